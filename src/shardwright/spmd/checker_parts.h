// The parts of the checker, one per group of laws. Internal to checker*.cpp.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "shardwright/spmd/checker.h"

namespace shardwright::spmd::checking {

// What is checked.
struct Input {
  const plan::Subject& subject;
  const plan::Plan& plan;
  const SpmdProgram& spmd;

  const program::Program& program() const { return subject.program; }
  const Local& local(LocalId id) const { return spmd.locals[id]; }
};

// "K5: op 7 (stablehlo.add): what", at the op's place in the source.
Diagnostic breach(const Input& in, const char* law, program::OpId op, const std::string& what);
// "data+model (4x2)", "none".
std::string axesStr(const mesh::Mesh& mesh, mesh::AxisList axes);
std::string axesStr(const mesh::Mesh& mesh, mesh::AxisSet axes);
// "%5".
std::string str(LocalId id);
// The axes that have more than one device.
mesh::AxisList proper(const mesh::Mesh& mesh, mesh::AxisList axes);
// Whether all axes are on the mesh and none is named twice.
bool wellFormed(const mesh::Mesh& mesh, mesh::AxisList axes);

// The law of plan/assignment.h, written down a second time from its text.
class Law {
 public:
  explicit Law(const Input& in);

  // The axes of each factor of an op.
  std::vector<mesh::AxisList> at(program::OpId op) const;
  // L5: the axes of a dim of a pinned value, which is that tensor of its op.
  mesh::AxisList pinned(const plan::Pin& pin, size_t tensor, size_t dim) const;

 private:
  // L1 to L4.
  std::vector<mesh::AxisList> unpinned(program::OpId op) const;
  bool canTake(program::OpId op, rules::FactorId factor, mesh::AxisList taken, uint32_t axis) const;
  std::pair<bool, uint32_t> place(program::OpId op, uint32_t axis, analysis::ColorId color) const;
  bool beats(program::OpId op, uint32_t axis, rules::FactorId later, rules::FactorId earlier) const;
  rules::FactorId taker(program::OpId op, uint32_t axis,
                        const std::vector<mesh::AxisList>& axes) const;

  const Input& in_;
  std::vector<std::vector<uint32_t>> listed_;  // Per axis and colour: its place in the list.
  std::vector<std::vector<bool>> secondWins_;  // Per axis and set.
  std::unordered_map<uint32_t, std::vector<const plan::Turn*>> turns_;              // By op.
  std::unordered_map<uint32_t, std::vector<const analysis::Conflict*>> conflicts_;  // By op.
  std::unordered_map<uint32_t, const plan::Pin*> pins_;                             // By op.
  std::unordered_map<uint32_t, program::OpId>
      follows_;  // Return -> argument whose buffer it takes.
};

// K1.
Status checkForm(const Input& in);

// K2, K3 and K8: which op stands where, and who sees what.
class Structure {
 public:
  explicit Structure(const Input& in);

  Status check();

 private:
  struct Frame {
    program::RegionId region;
    program::OpId last;     // The op that came last in the region, unless a move came after it.
    size_t nextRegion = 0;  // Of `last`: which of its regions may open now.
  };

  void findTies();
  bool within(program::RegionId inner, program::RegionId outer) const;
  Status checkOrder();
  Status enter(const Instruction& instruction);
  Status open(const Instruction& instruction);
  Status checkValues(const Instruction& instruction, uint32_t place) const;
  Status checkOperand(const Instruction& instruction, uint32_t place, size_t operand) const;
  Status checkVisible(LocalId local, program::OpId user, program::RegionId region,
                      uint32_t place) const;
  Status checkCarried(LocalId local, program::OpId user, program::RegionId region,
                      uint32_t place) const;
  // The local that the regions of an op yield to this operand; invalid if it is no such operand.
  LocalId yielded(program::OpId op, size_t operand) const;
  Status checkYields(program::RegionId region) const;
  Status checkInterface() const;

  const Input& in_;
  std::vector<Frame> open_;
  std::vector<bool> closed_;           // Per region.
  std::vector<uint32_t> placeOf_;      // Per op: its instruction.
  std::vector<program::OpId> tiedTo_;  // Per op: the loop of a carry, the case of a merge.
  std::vector<uint32_t> slotOf_;       // Per op: which yield a carry or merge takes.
};

// K4 to K7: what each instruction does to layouts. Looks at instructions in order.
class Layouts {
 public:
  explicit Layouts(const Input& in);

  Status check();

 private:
  // What enters one op.
  struct Flow {
    mesh::AxisSet axes;        // Partial axes that flow through.
    mesh::AxisSet reductions;  // Axes of split reduction factors.
    bool mixed = false;        // Terms of different combiners meet.
    bool any = false;
    program::Combiner combiner = program::Combiner::kAdd;
    void meet(program::Combiner other);
  };

  Status checkCompute(const Instruction& instruction);
  Status checkSplits(program::OpId op, mesh::AxisSet flowing) const;
  bool isIdleCarry(program::OpId op, uint32_t axis) const;
  bool isIdle(program::OpId op, std::span<const mesh::AxisList> law, uint32_t axis) const;
  bool onlyMoves(program::OpId op) const;
  bool movesIntoLoop(program::OpId op) const;
  bool isMovedWhole(program::OpId op, uint32_t axis) const;
  void findUse();
  Status checkTensor(program::OpId op, size_t tensor, LocalId local) const;
  Status findReductions(program::OpId op, Flow& flow) const;
  Status findFlow(const Instruction& instruction, Flow& flow) const;
  Status checkGroups(const Instruction& instruction) const;
  bool isZero(program::ValueId value) const;
  mesh::AxisSet counted(program::OpId op, size_t operand) const;
  mesh::AxisSet flowing(const Instruction& instruction, size_t operand) const;

  // What a move must leave. The functions return what is wrong with it, or nothing.
  struct Moved {
    std::vector<mesh::AxisList> dims;
    mesh::AxisSet partial;
    program::Combiner combiner;
  };
  Status checkMove(const Instruction& instruction);
  std::string move(const Instruction& instruction, Moved& moved) const;
  std::string moveDims(const Instruction& instruction, Moved& moved) const;
  std::string moveTerms(const Instruction& instruction, Moved& moved) const;
  std::string permuteFault(const Instruction& instruction) const;

  mesh::AxisSet partial(LocalId id) const { return in_.spmd.layouts.partial(in_.local(id).layout); }
  Status checkPinned(const Instruction& instruction, uint32_t place);
  bool hasPinnedLayout(LocalId local) const;

  const Input& in_;
  Law law_;
  std::vector<mesh::AxisSet>
      made_;  // Per value: axes that split it, or it is partial over, as made.
  std::vector<mesh::AxisSet> wanted_;  // Per value: axes that split it for some op that takes it.
  // Per value: axes that do not split it for one op that takes it, or for two.
  std::vector<mesh::AxisSet> wholeOnce_, wholeTwice_;
  std::vector<program::Combiner> combiner_;  // Per local: of its terms, where it is partial.
  std::unordered_map<uint32_t, const plan::Pin*> pinOf_;  // By value: of values that no tie holds.
  std::vector<bool> settled_;  // Per local: in the pinned layout, or made from it.
};

}  // namespace shardwright::spmd::checking
