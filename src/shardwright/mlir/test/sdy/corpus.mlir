// The modules of tests/data/sdy hold every op and every form of every attribute, as jaxlib prints them. They must come
// back letter by letter (but for blank lines): as they are, by way of the generic form, and by way of
// bytecode.
//
// DEFINE: %{data} = %S/../../../../../tests/data/sdy
// DEFINE: %{file} =
// DEFINE: %{pretty} = shardwright-opt %{data}/%{file} | grep . | diff %{data}/%{file} -
// DEFINE: %{generic} = shardwright-opt --mlir-print-op-generic %{data}/%{file} | shardwright-opt | grep . | diff %{data}/%{file} -
// DEFINE: %{bytecode} = shardwright-opt --emit-bytecode %{data}/%{file} | shardwright-opt | grep . | diff %{data}/%{file} -
// DEFINE: %{check} = %{pretty} && %{generic} && %{bytecode}
//
// REDEFINE: %{file} = attributes.mlir
// RUN: %{check}
// REDEFINE: %{file} = collectives.mlir
// RUN: %{check}
// REDEFINE: %{file} = debug_information.mlir
// RUN: %{check}
// REDEFINE: %{file} = manual_computation.mlir
// RUN: %{check}
// REDEFINE: %{file} = meshes.mlir
// RUN: %{check}
// REDEFINE: %{file} = ops.mlir
// RUN: %{check}
// REDEFINE: %{file} = reduction_kinds.mlir
// RUN: %{check}
// REDEFINE: %{file} = rules.mlir
// RUN: %{check}
// REDEFINE: %{file} = shardings.mlir
// RUN: %{check}
