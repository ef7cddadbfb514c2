// Convolution: ([b, y, x, i], [h, w, i, o])->([b, y, x, o]), i summed. y and x are halos, unless
// the windows only cut the image up (1x1 convolutions, patch embeddings).
//
// Groups are a parallel factor g of their own. With feature groups the input feature is (g, i) and
// the output feature (g, o); with batch groups it is the input batch that is (g, b).
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"
#include "shardwright/rules/window.h"

namespace shardwright::rules {
namespace {

using program::Combiner;
using program::ConvolutionAttrs;

constexpr size_t kInput = 0, kKernel = 1, kOutput = 2;

Status checkConvolution(const OpView& view, const ConvolutionAttrs& attrs) {
  const auto all = [](int64_t a, int64_t b, const program::IntList& spatial) {
    return joined({{a, b}}, spatial);
  };
  const auto input = all(attrs.inputBatch, attrs.inputFeature, attrs.inputSpatial);
  const auto kernel = all(attrs.kernelInputFeature, attrs.kernelOutputFeature, attrs.kernelSpatial);
  const auto output = all(attrs.outputBatch, attrs.outputFeature, attrs.outputSpatial);
  const size_t spatial = attrs.inputSpatial.size();
  Checker check(view);
  check.counts(2, 1)
      .perDim("input dims", input, kInput)
      .dims("input dims", input, kInput)
      .perDim("kernel dims", kernel, kKernel)
      .dims("kernel dims", kernel, kKernel)
      .perDim("output dims", output, kOutput)
      .dims("output dims", output, kOutput)
      .sameLength("input_spatial", attrs.inputSpatial, "kernel_spatial", attrs.kernelSpatial)
      .sameLength("input_spatial", attrs.inputSpatial, "output_spatial", attrs.outputSpatial)
      .that(attrs.padding.empty() || attrs.padding.size() == 2 * spatial,
            "padding has " + std::to_string(attrs.padding.size()) + " entries, expected " +
                std::to_string(2 * spatial))
      .that(attrs.featureGroupCount >= 1 && attrs.batchGroupCount >= 1,
            "group counts must be at least 1")
      .that(attrs.featureGroupCount == 1 || attrs.batchGroupCount == 1,
            "has both feature groups and batch groups");
  return check.status();
}

// Writes the factors of one convolution.
class Convolution {
 public:
  Convolution(const OpView& view, const ConvolutionAttrs& attrs)
      : view_(view), attrs_(attrs), builder_(view) {}

  Result<Rule> rule() && {
    const auto groups = std::max(attrs_.featureGroupCount, attrs_.batchGroupCount);
    if (groups > 1) group_ = builder_.parallel(groups);
    batchAndFeatures(groups);
    for (size_t s = 0; s < attrs_.inputSpatial.size(); ++s) spatial(s);
    builder_.flops(multiplyAddFlops(view_.dtype(kInput)) * multiplyAdds());
    return std::move(builder_).finish();
  }

 private:
  int64_t size(size_t tensor, int64_t dim) const {
    return view_.shape(tensor)[static_cast<size_t>(dim)];
  }
  void map(size_t tensor, int64_t dim, FactorId factor) {
    builder_.map(tensor, static_cast<size_t>(dim), factor);
  }
  // A dim made of the groups and a factor; a factor of size 1 is left out of the compound.
  void mapGrouped(size_t tensor, int64_t dim, FactorId factor, int64_t factorSize) {
    if (group_.valid()) map(tensor, dim, group_);
    if (!group_.valid() || factorSize != 1) map(tensor, dim, factor);
  }

  void batchAndFeatures(int64_t groups) {
    const bool batchGroups = attrs_.batchGroupCount > 1;
    const int64_t batchSize = size(kOutput, attrs_.outputBatch);
    const int64_t inFeatures = size(kKernel, attrs_.kernelInputFeature);
    const int64_t outFeatures = size(kKernel, attrs_.kernelOutputFeature) / groups;

    const FactorId batch = builder_.parallel(batchSize);
    map(kOutput, attrs_.outputBatch, batch);
    const FactorId in = builder_.reduction(inFeatures, Combiner::kAdd);
    map(kKernel, attrs_.kernelInputFeature, in);
    if (batchGroups) {
      mapGrouped(kInput, attrs_.inputBatch, batch, batchSize);
      map(kInput, attrs_.inputFeature, in);
    } else {
      map(kInput, attrs_.inputBatch, batch);
      mapGrouped(kInput, attrs_.inputFeature, in, inFeatures);
    }
    // Unused when the groups are all there is of the output feature.
    const bool onlyGroups = groups > 1 && outFeatures == 1;
    const FactorId out = onlyGroups ? FactorId() : builder_.parallel(outFeatures);
    mapGrouped(kKernel, attrs_.kernelOutputFeature, out, outFeatures);
    mapGrouped(kOutput, attrs_.outputFeature, out, outFeatures);
  }

  WindowDim windowDim(size_t s) const {
    return {.in = size(kInput, attrs_.inputSpatial[s]),
            .out = size(kOutput, attrs_.outputSpatial[s]),
            .size = size(kKernel, attrs_.kernelSpatial[s]),
            .stride = entryOr(attrs_.strides, s, 1),
            .low = entryOr(attrs_.padding, 2 * s, 0),
            .baseDilation = entryOr(attrs_.lhsDilation, s, 1),
            .windowDilation = entryOr(attrs_.rhsDilation, s, 1)};
  }

  void spatial(size_t s) {
    const WindowDim dim = windowDim(s);
    // A reversed kernel does not go with the input index by index.
    const bool reversed = attrs_.windowReversed && dim.size > 1;
    switch (windowShape(dim)) {
      case WindowShape::kOverlapping:
        return overlapping(s, dim);
      case WindowShape::kTiles:
        return reversed ? sparse(s, dim) : tiles(s, dim);
      case WindowShape::kSparse:
        return sparse(s, dim);
      case WindowShape::kInterleaved:
        return reversed ? overlapping(s, dim) : interleaved(s, dim);
    }
  }

  // Each window needs its neighbours' part of the input, and all of the kernel.
  void overlapping(size_t s, const WindowDim& dim) {
    const FactorId in = builder_.halo(dim.in);
    map(kInput, attrs_.inputSpatial[s], in);
    map(kOutput, attrs_.outputSpatial[s], dim.in == dim.out ? in : builder_.halo(dim.out));
    map(kKernel, attrs_.kernelSpatial[s], builder_.blocked(dim.size));
  }

  // input = (out, kernel): no more than a dot product over the kernel.
  void tiles(size_t s, const WindowDim& dim) {
    const FactorId out = builder_.parallel(dim.out);
    const FactorId kernel = builder_.reduction(dim.size, Combiner::kAdd);
    map(kOutput, attrs_.outputSpatial[s], out);
    map(kKernel, attrs_.kernelSpatial[s], kernel);
    if (dim.out != 1 || dim.size == 1) map(kInput, attrs_.inputSpatial[s], out);
    if (dim.size != 1) map(kInput, attrs_.inputSpatial[s], kernel);
  }

  // input = (out, stride), of which the kernel reads a part.
  void sparse(size_t s, const WindowDim& dim) {
    const FactorId out = builder_.parallel(dim.out);
    map(kOutput, attrs_.outputSpatial[s], out);
    map(kKernel, attrs_.kernelSpatial[s], builder_.blocked(dim.size));
    if (dim.out != 1) map(kInput, attrs_.inputSpatial[s], out);
    map(kInput, attrs_.inputSpatial[s], builder_.blocked(dim.out == 0 ? 1 : dim.in / dim.out));
  }

  // input = (kernel, dilation): the sum over the kernel is outside, as in the gradient of a patch
  // embedding's kernel. What lies within a dilation is the output, if that fills it.
  void interleaved(size_t s, const WindowDim& dim) {
    const int64_t dilation = dim.windowDilation;
    const bool filled = dim.out == dilation;
    const FactorId kernel = builder_.reduction(dim.size, Combiner::kAdd);
    const FactorId out = filled ? builder_.parallel(dim.out) : builder_.blocked(dim.out);
    map(kKernel, attrs_.kernelSpatial[s], kernel);
    map(kOutput, attrs_.outputSpatial[s], out);
    map(kInput, attrs_.inputSpatial[s], kernel);
    if (dilation != 1) {
      map(kInput, attrs_.inputSpatial[s], filled ? out : builder_.blocked(dilation));
    }
  }

  // Every output element meets the kernel's window and the input features of its group.
  double multiplyAdds() const {
    double count = productOf(view_.shape(kOutput)) *
                   static_cast<double>(size(kKernel, attrs_.kernelInputFeature));
    for (const int64_t dim : attrs_.kernelSpatial) count *= static_cast<double>(size(kKernel, dim));
    return count;
  }

  const OpView& view_;
  const ConvolutionAttrs& attrs_;
  RuleBuilder builder_;
  FactorId group_;  // Invalid without groups.
};

}  // namespace

Result<Rule> convolution(const OpView& view) {
  const auto* attrs = view.attributes<ConvolutionAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = checkConvolution(view, *attrs)) return *bad;
  return Convolution(view, *attrs).rule();
}

}  // namespace shardwright::rules
