// The subcommands of `shardwright`. Each registers its options with the app and returns what runs
// it; the exit status is 0 for success, 1 for bad input, 3 when no plan fits.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace shardwright::tool {

inline constexpr int kSuccess = 0;
inline constexpr int kBadInput = 1;
inline constexpr int kBadUsage = 2;
inline constexpr int kNothingFits = 3;

using Command = std::function<int()>;

Command addInspect(CLI::App& app);
Command addAnalyze(CLI::App& app);
Command addApply(CLI::App& app);
Command addPartition(CLI::App& app);
Command addEstimate(CLI::App& app);
Command addExplain(CLI::App& app);
Command addDiff(CLI::App& app);
Command addCalibrate(CLI::App& app);

}  // namespace shardwright::tool
