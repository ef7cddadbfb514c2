// Where a device stands in the mesh, as values of the program.
#pragma once

#include <map>

#include "mlir/IR/Builders.h"
#include "shardwright/mesh/layout.h"
#include "shardwright/mlir/export/emit.h"

namespace shardwright {

// Positions are made once, at the top of `block`, when first asked for. Regions inside read them
// from there.
//   mesh a=4,b=2: position({a}) = partition_id / 2, position({b}) = partition_id % 2
class Positions {
 public:
  // `alone`: the program runs on one device, which takes the place of the first (export.h, the
  // local form).
  Positions(const mesh::Mesh& mesh, mlir::Block& block, mlir::Location location,
            bool alone = false);

  // The position along the axes together, the first being major: tensor<i32>.
  mlir::Value position(mesh::AxisList axes);
  // Whether it is 0: tensor<i1>.
  mlir::Value isFirst(mesh::AxisList axes);
  // position x size, where the device's part of a dim begins: a scalar of `element`, i32 or i64.
  mlir::Value offset(mesh::AxisList axes, int64_t size, mlir::Type element);

 private:
  mlir::Value deviceNumber();
  mlir::Value numberOfFirst();
  // deviceNumber / stride % count.
  mlir::Value digit(int64_t stride, int64_t count);
  mlir::Value makePosition(mesh::AxisList axes);
  // Lets `make` write behind what stands at the top so far.
  template <typename Make>
  mlir::Value atTop(Make make);

  const mesh::Mesh& mesh_;
  mlir::Block& block_;
  bool alone_;
  mlir::OpBuilder builder_;
  Emit emit_;
  mlir::Operation* last_ = nullptr;
  mlir::Value deviceNumber_;
  std::map<uint64_t, mlir::Value> positions_, firsts_;
  std::map<std::tuple<uint64_t, int64_t, bool>, mlir::Value> offsets_;
};

}  // namespace shardwright
