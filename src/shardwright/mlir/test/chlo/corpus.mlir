// The modules of tests/data/chlo hold every op as jaxlib prints it. They must come back letter by letter: as they are, by
// way of the generic form, and by way of bytecode. Blank lines do not count.
//
// DEFINE: %{data} = %S/../../../../../tests/data/chlo
// DEFINE: %{file} =
// DEFINE: %{pretty} = shardwright-opt %{data}/%{file} | grep . | diff %{data}/%{file} -
// DEFINE: %{generic} = shardwright-opt --mlir-print-op-generic %{data}/%{file} | shardwright-opt | grep . | diff %{data}/%{file} -
// DEFINE: %{bytecode} = shardwright-opt --emit-bytecode %{data}/%{file} | shardwright-opt | grep . | diff %{data}/%{file} -
// DEFINE: %{check} = %{pretty} && %{generic} && %{bytecode}
//
// REDEFINE: %{file} = binary.mlir
// RUN: %{check}
// REDEFINE: %{file} = ops.mlir
// RUN: %{check}
// REDEFINE: %{file} = scan.mlir
// RUN: %{check}
// REDEFINE: %{file} = unary.mlir
// RUN: %{check}
// REDEFINE: %{file} = unstable_top_k.mlir
// RUN: %{check}
