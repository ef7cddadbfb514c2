// Large boolean constants, as JAX prints them and as MLIR 22 does.
//
// Both print `dense<"0x…"> : tensor<16x16xi1>`, but the MLIR inside jaxlib writes one byte per
// element and MLIR 22 one bit. Only these constants differ, so the text is rewritten on its way in
// and out.
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"

namespace shardwright {

// Bytes to bits, for MLIR 22 to read. What is packed already stays. The text keeps its length, so
// lines and columns stay true.
//   dense<"0x01000001…"> becomes dense<"0x09…"         >
std::string packBoolConstants(llvm::StringRef text);

// Bits to bytes, for JAX to read.
std::string unpackBoolConstants(llvm::StringRef text);

}  // namespace shardwright
