// The flat program as text, for people and tests. There is no parser for it.
#pragma once

#include <string>

#include "shardwright/program/program.h"

namespace shardwright::program {

// One op a line, regions indented:
//   %0:f32[16,32] = argument "x"
//   %2:f32[16,64] = stablehlo.dot_general %0, %1 {lhs_contracting=[1], rhs_contracting=[0]}
//   return %2 "result"
std::string print(const Program& program);

}  // namespace shardwright::program
