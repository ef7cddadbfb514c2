// The actions of a search over plans, and what was left out of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shardwright/plan/plan.h"
#include "shardwright/plan/structure.h"

namespace shardwright::search {

enum class ActionKind : uint8_t {
  kGive,      // Colours join the end of an axis's list, with a side for each conflict.
  kRemake,    // Gathered copies are made again when they are far from their last use.
  kStart,     // Starts from a given plan, wherever it stands in its path.
  kWhole,     // Arguments stay whole along an axis between steps.
  kTurn,      // Where two classes meet on an axis, the later one wins at some ops.
  kTogether,  // Several others at once: one class on several axes, several classes on one.
};

struct Action {
  ActionKind kind = ActionKind::kGive;
  uint32_t axis = 0;                      // kGive, kWhole, kTurn.
  uint32_t slot = 0;                      // Of the actions with one slot a path has at most one.
  std::vector<analysis::ColorId> colors;  // kGive.
  std::vector<analysis::SetId> seconds;   // kGive: these sets go to their second side.
  uint32_t gap = 0;                       // kRemake: Plan::remakeGap.
  plan::Plan start;                       // kStart.
  std::vector<uint32_t> arguments;        // kWhole: indices into Program::arguments.
  uint32_t meeting = 0;                   // kTurn: index into meetingClasses.
  bool firstWins = false;                 // kTurn.
  std::vector<uint32_t> together;         // kTogether: places of the others in the space.
  bool coarse = false;                    // kTogether: of several classes; some may be there.
  std::string words;                      // "heads (…) on model".
};

// What to search over.
struct ActionOptions {
  std::vector<uint32_t> axes;  // Numbers in the mesh.
  // A class is searched if it touches this share of all bytes, FLOPs or argument bytes,
  double leastShare = 0.005;
  // and if it is among so many that touch most.
  size_t mostClasses = 40;
  // automap: how many groups of argument dims are kept.
  size_t mostArgumentDims = 24;
};

struct ActionSpace {
  // Those of kind kTogether stand behind the ones that they name.
  std::vector<Action> actions;
  std::vector<std::string> leftOut;  // In words; nothing is left out silently.
};

// (class of colours, axis, resolution): classes that touch most first; then dims of like-named
// arguments that are of many classes; then each of these on several axes at once. Classes that
// an axis divides nowhere are left out for it.
[[nodiscard]] ActionSpace classActions(const plan::Structure& structure, const mesh::Mesh& mesh,
                                       const ActionOptions& options);

// Automap's: (argument dim, axis), arguments that are copies of one another being one. The colours
// that these dims show join the axis's list. Argument dims that touch most are kept.
[[nodiscard]] ActionSpace argumentActions(const plan::Structure& structure, const mesh::Mesh& mesh,
                                          const ActionOptions& options);

// For refinement: parameters that stay whole along an axis, and inputs, all together or one group
// of copies at a time, the largest first. Indices that are read column by column are gathered once.
[[nodiscard]] ActionSpace wholeActions(const plan::Structure& structure, const mesh::Mesh& mesh,
                                       const ActionOptions& options);

// After how many ops gathered copies may be made again (Plan::remakeGap): at once, and so that a
// quarter, half or three quarters of the bytes that are used twice are kept from use to use.
[[nodiscard]] std::vector<uint32_t> remakeGaps(const plan::Subject& subject);

}  // namespace shardwright::search
