#include "shardwright/cost/padded_images.h"

#include <algorithm>

#include "shardwright/cost/patterns.h"
#include "shardwright/rules/window.h"

namespace shardwright::cost {
namespace {

using program::ConvolutionAttrs;
using rules::entryOr;
using spmd::Instruction;
using spmd::LocalId;

std::span<const int64_t> shapeOf(const Graph& graph, LocalId local) {
  return graph.spmd->types.shape(graph.spmd->locals[local].type);
}

int64_t sizeAt(std::span<const int64_t> shape, int64_t dim) {
  return shape[static_cast<size_t>(dim)];
}

// Perhaps with its features in other places.
bool readsReversed(const Graph& graph, const Instruction& convolution,
                   const ConvolutionAttrs& attrs) {
  const auto maker = [&](LocalId local) { return graph.spmd->locals[local].definition; };
  spmd::InstructionId kernel = maker(graph.operandsOf(convolution)[1]);
  while (graph.node(kernel).work == rules::WorkKind::kTranspose ||
         graph.node(kernel).role == Role::kView) {
    kernel = maker(graph.operandsOf(graph.instruction(kernel))[0]);
  }
  return attrs.windowReversed || graph.node(kernel).work == rules::WorkKind::kReverse;
}

// What the images have in one spatial dim.
struct Sides {
  int64_t low = 0, high = 0, gap = 1;

  // In the gradient of a kernel, as many points as the steps of the convolution leave over need not
  // be read, so that the library may pad by what it likes among them.
  bool areEqual(int64_t leftOver) const {
    return low >= 0 && high <= low && low <= high + leftOver;
  }
};

Sides sidesOf(const ConvolutionAttrs& attrs, size_t n) {
  return {entryOr(attrs.padding, 2 * n, 0), entryOr(attrs.padding, 2 * n + 1, 0),
          entryOr(attrs.lhsDilation, n, 1)};
}

bool haveGaps(const ConvolutionAttrs& attrs) {
  return std::ranges::any_of(attrs.lhsDilation, [](int64_t gap) { return gap > 1; });
}

bool mustPad(const ConvolutionAttrs& attrs, bool kernelGradient) {
  // XLA lets the images of such a gradient, from which gaps are missing, be the window.
  if (haveGaps(attrs)) return !kernelGradient;
  for (size_t n = 0; n < attrs.inputSpatial.size(); ++n) {
    const int64_t leftOver = kernelGradient ? entryOr(attrs.rhsDilation, n, 1) - 1 : 0;
    if (!sidesOf(attrs, n).areEqual(leftOver)) return true;
  }
  return false;
}

}  // namespace

// A kernel may be larger than what it makes of an image, too: of patches, or of the whole image.
bool isKernelGradient(const Graph& graph, const Instruction& instruction) {
  const ConvolutionAttrs& attrs = *convolution(graph, instruction.op);
  const bool strided =
      std::ranges::any_of(attrs.strides, [](int64_t stride) { return stride > 1; });
  if (strided || attrs.inputBatch < attrs.inputFeature) return false;
  const auto kernel = shapeOf(graph, graph.operandsOf(instruction)[1]);
  const auto result = shapeOf(graph, graph.spmd->result(instruction));
  double covered = 1, made = 1;
  for (size_t n = 0; n < attrs.kernelSpatial.size(); ++n) {
    const int64_t gap = entryOr(attrs.rhsDilation, n, 1);
    covered *= static_cast<double>((sizeAt(kernel, attrs.kernelSpatial[n]) - 1) * gap + 1);
    made *= static_cast<double>(sizeAt(result, attrs.outputSpatial[n]));
  }
  return covered > made;
}

bool readsKernelAsItLies(const Graph& graph, const Instruction& instruction) {
  const ConvolutionAttrs& attrs = *convolution(graph, instruction.op);
  return kernelStandsAsWanted(attrs) || (isKernelGradient(graph, instruction) && !haveGaps(attrs));
}

int64_t paddedImageBytes(const Graph& graph, const Instruction& instruction) {
  const ConvolutionAttrs* attrs = convolution(graph, instruction.op);
  if (attrs == nullptr || readsReversed(graph, instruction, *attrs)) return 0;
  if (!mustPad(*attrs, isKernelGradient(graph, instruction))) return 0;
  const LocalId images = graph.operandsOf(instruction)[0];
  const auto shape = shapeOf(graph, images);
  double bytes = static_cast<double>(graph.spmd->bytes(images));
  for (size_t n = 0; n < attrs->inputSpatial.size(); ++n) {
    const int64_t size = sizeAt(shape, attrs->inputSpatial[n]);
    const Sides sides = sidesOf(*attrs, n);
    if (size == 0) return 0;
    const int64_t padded = (size - 1) * sides.gap + 1 + sides.low + sides.high;
    bytes *= static_cast<double>(padded) / static_cast<double>(size);
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace shardwright::cost
