// Plain-text tables for reports.
#pragma once

#include <string>
#include <vector>

namespace shardwright::driver {

// Left-aligned columns, two blanks apart and two blanks in; the last column is not padded. Widths
// count characters, not bytes. Rows may differ in length.
std::string textTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace shardwright::driver
