// The modules of tests/data/ops hold every op of the dialect in every form, as jaxlib prints them. But for comments and
// empty lines they must come back letter by letter: as they are, by way of the generic form, with locations, and by way
// of bytecode.
//
// DEFINE: %{data} = %S/../../../../../tests/data/ops
// DEFINE: %{file} =
// DEFINE: %{golden} = grep -v -e "^ *//" -e "^$" %{data}/%{file} > %t.golden
// DEFINE: %{pretty} = shardwright-opt %{data}/%{file} | grep . | diff %t.golden -
// DEFINE: %{generic} = shardwright-opt --mlir-print-op-generic %{data}/%{file} | shardwright-opt | grep . | diff %t.golden -
// DEFINE: %{locations} = shardwright-opt --mlir-print-debuginfo %{data}/%{file} | shardwright-opt | grep . | diff %t.golden -
// DEFINE: %{bytecode} = shardwright-opt --emit-bytecode %{data}/%{file} | shardwright-opt | grep . | diff %t.golden -
// DEFINE: %{check} = %{golden} && %{pretty} && %{generic} && %{locations} && %{bytecode}
//
// REDEFINE: %{file} = attributes.mlir
// RUN: %{check}
// REDEFINE: %{file} = collective.mlir
// RUN: %{check}
// REDEFINE: %{file} = control.mlir
// RUN: %{check}
// REDEFINE: %{file} = dynamic.mlir
// RUN: %{check}
// REDEFINE: %{file} = elementwise.mlir
// RUN: %{check}
// REDEFINE: %{file} = indexing.mlir
// RUN: %{check}
// REDEFINE: %{file} = linear.mlir
// RUN: %{check}
// REDEFINE: %{file} = mesh.mlir
// RUN: %{check}
// REDEFINE: %{file} = newer.mlir
// RUN: %{check}
// REDEFINE: %{file} = quantized.mlir
// RUN: %{check}
// REDEFINE: %{file} = reduction.mlir
// RUN: %{check}
// REDEFINE: %{file} = shape.mlir
// RUN: %{check}
