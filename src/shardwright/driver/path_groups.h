// Paths of the layers of a network in one row of a report.
#pragma once

#include <string>

namespace shardwright::driver {

// With a star for each index: `layers[12]['w1']` becomes `layers[*]['w1']`, and `['Block_3']`
// `['Block_*']`. A number that touches a letter is part of a name.
std::string withoutIndices(const std::string& path);

// Two paths that `withoutIndices` spells alike, with a star where they differ; `a` may have some.
//   together("['Block_0']['Dense_1']", "['Block_2']['Dense_1']") = "['Block_*']['Dense_1']"
std::string together(const std::string& a, const std::string& b);

}  // namespace shardwright::driver
