#include "shardwright/mesh/sharding.h"

namespace shardwright::mesh {
namespace {

std::string quoted(const AxisRef& axis) {
  std::string text = "\"" + axis.name + "\"";
  if (axis.subAxis) {
    text += ":(" + std::to_string(axis.subAxis->preSize) + ")" + std::to_string(axis.subAxis->size);
  }
  return text;
}

std::string joined(const std::vector<AxisRef>& axes) {
  std::string text;
  for (const AxisRef& axis : axes) text += (text.empty() ? "" : ", ") + quoted(axis);
  return text;
}

std::string dimText(const DimSharding& dim) {
  std::string text = "{" + joined(dim.axes);
  if (!dim.closed) text += dim.axes.empty() ? "?" : ", ?";
  text += "}";
  if (dim.priority) text += "p" + std::to_string(*dim.priority);
  return text;
}

}  // namespace

std::string Sharding::str() const {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ", ") + dimText(dims[i]);
  text += "]";
  if (!replicated.empty()) text += ", replicated={" + joined(replicated) + "}";
  if (!unreduced.empty()) text += ", unreduced={" + joined(unreduced) + "}";
  return text;
}

}  // namespace shardwright::mesh
