// What the named strategies know of a program: which arguments are weights, which dim is batch, how
// each colour stands in the products with weights. Found from rules, roles and colours alone, so it
// holds for programs without names.
//
//   DATA     a value that depends on an input of the step (or on a cache, a random key, …)
//   WEIGHT   an argument that the model multiplies data with: a parameter of a training step, or
//            what is frozen there (the base of an adapter, a teacher); in a program that updates
//            nothing, what is neither integer nor state nor has the batch dim. Integers of a byte
//            or less are quantized weights
//   weight value: computed from weights and not from data (a cast or a slice of a weight), or what
//            the turns of a loop are given of a parameter that they train: many steps in one
//            program
//   PRODUCT  an op with a reduction factor that stands in two operands (matmul, convolution). What
//            counts of each weight is its first product with data in program order: that is the
//            forward one, and the backward ones turn columns into rows.
//   CUT      a dim that is a part of a column, which stays whole for it: queries, keys and values
//   of
//            one weight [D, 3 D] (sliced), or of [D, 3 H K] (heads are a minor factor of the dim)
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "shardwright/plan/plan.h"
#include "shardwright/plan/roles.h"
#include "shardwright/plan/updates.h"

namespace shardwright::plan {

// How one colour stands in the program. Bytes are those of results, times the iterations around.
struct ColorUse {
  double columnBytes = 0;  // Of products where it is a free dim of the weight, and of cuts.
  double rowBytes = 0;     // Of products where it is contracted between data and weight.
  double batchBytes = 0;   // Of products where it is a batch dim of data and weight.
  // Of sums over it without weights, and of values that need it whole. What has no batch dim, if
  // there is a batch, is left aside: the update of an optimizer.
  double otherBytes = 0;
  double weightBytes = 0;     // Of the weights in those products that show it.
  bool columnFirst = false;   // Its first product has it as a column, or it is cut out of one.
  bool rowOfAnother = false;  // It is also a row, of another weight than that.
  bool head = false;          // A maximum is taken apart for each of it: heads of a softmax.
  bool meetsItselfInWeight = false;  // Two dims of a weight.
  bool meetsItselfInData = false;    // Two dims of a product of data that is no weight's gradient.
  bool lookedUp = false;             // A dim of a weight that integer data index.
  bool maximum = false;              // A maximum is taken over it, as a softmax does.
};

class Structure {
 public:
  explicit Structure(const Subject& subject);

  const Subject& subject() const { return subject_; }
  const std::vector<Role>& roles() const { return roles_; }
  bool isWeight(uint32_t argument) const { return weights_[argument]; }
  // Weights, and what the optimizer keeps for them.
  bool isModelState(uint32_t argument) const {
    return weights_[argument] || roles_[argument] == Role::kOptimizerState;
  }
  // Vectors of a training step that are read only and no data: norms and scales of what is frozen.
  bool isFrozenVector(uint32_t argument) const { return frozenVectors_[argument]; }
  // Invalid where the dim has size 1.
  analysis::ColorId color(analysis::ArgumentDim dim) const;
  // Colours of dims that may be the batch: one if there is no doubt.
  const std::vector<analysis::ColorId>& batch() const { return batch_; }
  // Colours of other dims that examples lie along, if they do along these: what the program puts
  // together of such dims (the two halves of a contrastive batch, an example with and without its
  // label) and cuts out of them. Such ops need the dims whole, so the colours are others. So are
  // those of examples that were shuffled, drawn at random or sent to experts (mixedAt, mixedIn),
  // and what indices among the inputs join to these: edges that look up nodes, nodes that these are
  // added up for.
  std::vector<analysis::ColorId> joined(const std::vector<analysis::ColorId>& batch) const;
  // The dim that examples lie along: the first one that ops compute along. A dim that loops take
  // apart piece by piece (parts of a batch, time steps, layers of a cache) is moved and no more.
  size_t leadingDim(program::ValueId value) const;
  // Whether gradients are sums over the colour, which is of no parameter.
  bool isSummed(analysis::ColorId color) const { return summed_.contains(color); }
  const ColorUse& use(analysis::ColorId color) const { return uses_[color.index()]; }
  // The columns that the colour is cut out of, and those that these are cut out of.
  std::set<analysis::ColorId> cutOutOf(analysis::ColorId color) const;
  // What blocks of dims of the colour lie along: minor factors of them, and slices of half of one
  // or less. Not what is left of a sequence without its last token.
  std::set<analysis::ColorId> blocksOf(analysis::ColorId color) const;
  // Those blocks that loops take one by one and compute along, and along none of what is taken:
  // logits chunk by chunk. Not queries that meet all keys, if the sequence is taken.
  std::set<analysis::ColorId> chunksOf(analysis::ColorId color,
                                       const std::set<analysis::ColorId>& taken) const;
  // Arguments that are data, in order.
  std::vector<uint32_t> inputs() const;

 private:
  struct Product {
    program::OpId op;
    size_t weight = 0, data = 0;  // Operands.
    uint32_t argument = 0;        // The weight that it comes from.
  };

  void findSummed();
  void sumInto(program::OpId op, const std::set<analysis::ColorId>& parameterColors);
  bool mayLead(analysis::ColorId color) const;
  bool isForEach(analysis::ColorId color, analysis::ColorId other) const;
  int sideOf(program::OpId op, analysis::ColorId color, analysis::ColorId other) const;
  bool isIndexed(analysis::ColorId color) const;
  bool isIndexedAt(const analysis::Name& name) const;
  bool isStack(analysis::ColorId color) const;
  bool isIndexedByOthers(analysis::ColorId color, const std::set<analysis::ColorId>& known) const;
  std::vector<program::ValueId> dataArguments() const;
  void findBatch();
  void dropShared();
  void findExamples();
  std::vector<analysis::ColorId> partsOfBatch() const;
  std::vector<analysis::ColorId> partsOf(analysis::ColorId color) const;
  bool isCut(program::ValueId value, size_t dim, analysis::ColorId color) const;
  void findJoins();
  bool joins(const std::vector<analysis::ColorId>& together,
             const std::set<analysis::ColorId>& known) const;
  void findLookups();
  std::vector<char> givenNumbers() const;
  bool isOfATable(analysis::ColorId color) const;
  analysis::ColorId joinedAt(program::OpId op, const std::set<analysis::ColorId>& known) const;
  analysis::ColorId mixedAt(program::OpId gradient, const std::set<analysis::ColorId>& known) const;
  analysis::ColorId mixedIn(const Product& product, const std::set<analysis::ColorId>& known) const;
  bool mayBeMixed(analysis::ColorId color, const std::set<analysis::ColorId>& known) const;
  bool isBeside(analysis::ColorId color, const std::set<analysis::ColorId>& others) const;
  std::vector<analysis::ColorId> takenWhole(program::ValueId value, size_t dim) const;
  analysis::ColorId colorAt(program::OpId op, size_t tensor, size_t dim) const;
  std::set<analysis::ColorId> insideOneExample() const;
  bool isOfInputs(analysis::ColorId color) const;
  bool isComputedAlone(analysis::ColorId color, const std::set<analysis::ColorId>& others) const;
  bool shows(program::OpId op, const std::set<analysis::ColorId>& colors) const;
  void findWeights();
  bool mayBeWeight(uint32_t argument) const;
  bool showsAny(uint32_t argument, const std::set<analysis::ColorId>& colors) const;
  void spread();
  void spreadOver(program::OpId op, bool& changed);
  bool spreadTo(program::ValueId result, std::span<const program::ValueId> operands);
  bool trains(program::OpId op) const;
  void findProducts();
  void countProducts();
  void countProduct(const Product& product);
  void countCuts(program::OpId op);
  void countSlice(program::OpId op, size_t operand, size_t dim);
  void countMinors(program::OpId op, size_t operand, size_t dim);
  bool isSliced(program::ValueId value, size_t dim, int64_t parts = 1) const;
  bool countCut(analysis::ColorId whole, analysis::ColorId part, double bytes);
  bool putsTogether(program::OpId op, size_t operand, size_t dim) const;
  void countOther(program::OpId op);
  void countReductions(program::OpId op, bool free);
  void countMaximum(program::OpId op, rules::FactorId factor);
  bool isLookup(program::OpId op, rules::FactorId factor) const;
  void countWhole(program::OpId op);
  void findMeetings();
  bool sumsOverBatch(program::OpId op) const;
  bool isWeightValue(program::ValueId value) const {
    return !data_[value.index()] && source_[value.index()] != kNone;
  }
  // A weight that data have moved: the trial points of a line search, adapted or perturbed ones.
  bool isMovedWeight(program::ValueId value) const;
  bool hasDimsOfAWeight(program::ValueId value) const;
  std::vector<analysis::ColorId> colorsOf(program::ValueId value) const;
  double resultBytes(program::OpId op) const;
  ColorUse& useOf(program::OpId op, rules::FactorId factor);

  static constexpr uint32_t kNone = UINT32_MAX;

  Subject subject_;
  std::vector<Role> roles_;
  Updates elementwise_;
  bool updates_;                                           // Whether there are parameters.
  std::vector<char> weights_, inputs_, frozenVectors_;     // Per argument.
  std::set<std::vector<analysis::ColorId>> weightColors_;  // Of the dims of each weight.
  // What gradients are sums over: batch, sequence, nodes, edges. Not a vocabulary that is frozen:
  // sums over it still have the batch.
  std::set<analysis::ColorId> summed_;
  std::vector<program::OpId> gradients_;               // The products that sum so.
  double mostFlops_ = 0;                               // Of the colour that has most.
  std::vector<char> moves_;                            // Per signature: such ops only move points.
  std::vector<std::vector<analysis::ColorId>> joins_;  // Of dims that are made of one another.
  std::vector<program::OpId> lookups_;                 // Gathers and scatters where inputs say.
  std::vector<analysis::ColorId> batch_;
  std::set<analysis::ColorId> examples_;  // The batch and what is joined to it.
  std::vector<char> data_;                // Per value.
  std::vector<uint32_t> source_;          // Per value: the first weight it is computed from.
  std::vector<Product> products_;         // Of weights with data, in program order.
  // Per colour: the weight of its first product, if a column, or the one that it is cut out of.
  std::vector<uint32_t> firstColumn_;
  std::map<analysis::ColorId, std::set<analysis::ColorId>> cutOutOf_;  // By colours of cuts.
  std::vector<char> cutSeen_;   // Per value: whether it has counted as a cut.
  std::vector<ColorUse> uses_;  // Per colour; the last is for factors without one.
};

// Whether `factor` indexes a dim of the rule's tensor.
bool stands(const rules::Rule& rule, size_t tensor, rules::FactorId factor);
// Whether the op cannot be split along the dim.
bool needsWhole(const rules::Rule& rule, size_t tensor, size_t dim);
// Whether a reduction makes the op a product of these operands.
bool isProduct(const rules::Rule& rule, size_t a, size_t b);
// The colour of a dim of a value; invalid where the dim has size 1.
analysis::ColorId colorOfDim(const Subject& subject, program::ValueId value, size_t dim);
// Whether all elements are 0, whatever part one looks at: a constant, or what linear ops of one
// operand make of it.
bool isZero(const Subject& subject, program::ValueId value);

}  // namespace shardwright::plan
