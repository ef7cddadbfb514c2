#include "shardwright/mlir/export/lowering.h"

#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/export/shardings.h"

namespace shardwright {

using program::OpId;
using program::RegionId;
using spmd::Instruction;
using spmd::Kind;
using spmd::LocalId;

Status Lowering::run(mlir::Block& entry) {
  blocks_[program_.entry()] = &entry;
  for (unsigned i = 0; i < spmd_.arguments.size(); ++i) {
    bind(spmd_.arguments[i], entry.getArgument(i));
  }
  for (const Instruction& instruction : spmd_.instructions) {
    // Part of a barrier is still to come, and this needs one of its results.
    const bool waits = !barrier_.empty() && !ready(instruction);
    if (waits) deferred_.push_back(&instruction);
    if (waits) continue;
    if (Status failed = step(instruction)) return failed;
  }
  SW_CHECK(barrier_.empty() && deferred_.empty());
  for (const auto& [region, block] : blocks_) {
    if (region != program_.entry()) closeRegion(region);
  }
  return {};
}

llvm::SmallVector<mlir::Value> Lowering::operands(const Instruction& instruction) const {
  llvm::SmallVector<mlir::Value> values;
  for (const LocalId operand : spmd_.operandsOf(instruction)) values.push_back(value(operand));
  return values;
}

// A carry needs what its loop yields only later.
bool Lowering::ready(const Instruction& instruction) const {
  if (program_.name(instruction.op) == program::kCarry && instruction.kind == Kind::kCompute) {
    return bound(spmd_.operandsOf(instruction)[0]);
  }
  return llvm::all_of(spmd_.operandsOf(instruction), [&](LocalId local) { return bound(local); });
}

Status Lowering::step(const Instruction& instruction) {
  builder_.setInsertionPointToEnd(blocks_.at(instruction.region));
  if (instruction.kind != Kind::kCompute) return write(instruction);
  const std::string_view name = program_.name(instruction.op);
  if (name == program::kArgument || name == program::kReturn) return {};
  if (name == program::kCarry) {
    carries_[instruction.op] = &instruction;
  } else if (name == program::kWhile) {
    openWhile(instruction);
  } else if (name == program::kCase) {
    openCase(instruction);
  } else if (name == program::kMerge) {
    bind(spmd_.result(instruction), merged_.at(instruction.op));
    made(spmd_.result(instruction));
  } else if (name == program::kBarrier) {
    addBarrier(instruction);
    return flushDeferred();
  } else {
    return write(instruction);
  }
  return {};
}

mlir::Operation* Lowering::rebuild(mlir::Operation* origin, mlir::ValueRange operands,
                                   mlir::TypeRange types) {
  mlir::OperationState state(origin->getLoc(), origin->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(origin->getAttrs());
  for (unsigned i = 0; i < origin->getNumRegions(); ++i) state.addRegion();
  mlir::Operation* op = builder_.create(state);
  removeShardings(op);
  return op;
}

// The importer makes one op per value of a barrier and removes none of them, so the values of one
// barrier are the next ones of its origin. Keeping them together is what the barrier is for.
void Lowering::addBarrier(const Instruction& instruction) {
  barrier_.push_back(&instruction);
  mlir::Operation* source = origin(instruction.op);
  if (barrier_.size() < source->getNumOperands()) return;
  llvm::SmallVector<mlir::Value> values;
  LocalIds results;
  for (const Instruction* part : barrier_) {
    values.push_back(value(spmd_.operandsOf(*part)[0]));
    results.push_back(spmd_.result(*part));
  }
  mlir::Operation* op = rebuild(source, values, mlir::ValueRange(values).getTypes());
  for (unsigned i = 0; i < results.size(); ++i) bind(results[i], op->getResult(i));
  mark(op, results);
  for (const LocalId result : results) made(result);
  barrier_.clear();
}

Status Lowering::flushDeferred() {
  while (barrier_.empty() && !deferred_.empty()) {
    const Instruction* next = deferred_.front();
    deferred_.pop_front();
    if (Status failed = step(*next)) return failed;
  }
  return {};
}

// The carries of a loop stand just before it; those that nothing needs are not there.
Lowering::Carries Lowering::carriesOf(const Instruction& loop) {
  const auto regions = program_.regions(loop.op);
  const std::vector<LocalId>& yielded = spmd_.yields[regions[1]];
  Carries carries;
  for (size_t i = 0; i < yielded.size(); ++i) {
    const auto first = loop.op.index() - static_cast<uint32_t>(yielded.size());
    carries.push_back(carries_.at(OpId(first).plus(i)));
  }
  for (const RegionId region : regions) {
    yields_[region].assign(spmd_.yields[region].begin(), spmd_.yields[region].end());
  }
  return carries;
}

void Lowering::openWhile(const Instruction& instruction) {
  const auto regions = program_.regions(instruction.op);
  const Carries carries = carriesOf(instruction);
  llvm::SmallVector<mlir::Value> starts;
  LocalIds results;
  for (const Instruction* carry : carries) {
    starts.push_back(value(spmd_.operandsOf(*carry)[0]));
    results.push_back(spmd_.result(*carry, 2));
  }
  mlir::Operation* source = origin(instruction.op);
  const mlir::TypeRange types = mlir::ValueRange(starts).getTypes();
  mlir::Operation* loop = rebuild(source, starts, types);
  const llvm::SmallVector<mlir::Location> locations(starts.size(), source->getLoc());
  for (unsigned part = 0; part < 2; ++part) {
    mlir::Block& block = loop->getRegion(part).emplaceBlock();
    block.addArguments(types, locations);
    blocks_[regions[part]] = &block;
    for (unsigned i = 0; i < carries.size(); ++i) {
      bind(spmd_.result(*carries[i], part), block.getArgument(i));
    }
  }
  for (unsigned i = 0; i < carries.size(); ++i) bind(results[i], loop->getResult(i));
  mark(loop, results);
  for (const LocalId result : results) made(result);
}

// The merges of a case stand just behind its branches.
void Lowering::openCase(const Instruction& instruction) {
  const auto regions = program_.regions(instruction.op);
  const std::vector<LocalId>& yielded = spmd_.yields[regions[0]];
  const OpId firstMerge = program_.region(regions.back()).end;
  mlir::Operation* source = origin(instruction.op);
  llvm::SmallVector<mlir::Type> types;
  for (size_t i = 0; i < yielded.size(); ++i) {
    const uint32_t index = program_.tieIndex(firstMerge.plus(i));
    types.push_back(localType(yielded[i], source->getResult(index).getType()));
  }
  mlir::Operation* op = rebuild(source, operands(instruction), types);
  for (unsigned i = 0; i < regions.size(); ++i) {
    blocks_[regions[i]] = &op->getRegion(i).emplaceBlock();
    yields_[regions[i]].assign(spmd_.yields[regions[i]].begin(), spmd_.yields[regions[i]].end());
  }
  for (unsigned i = 0; i < yielded.size(); ++i) merged_[firstMerge.plus(i)] = op->getResult(i);
  mark(op, LocalIds(yielded.begin(), yielded.end()));
}

void Lowering::closeRegion(RegionId id) {
  llvm::SmallVector<mlir::Value> values;
  for (const LocalId local : yields_[id]) values.push_back(value(local));
  builder_.setInsertionPointToEnd(blocks_.at(id));
  stablehlo::ReturnOp::create(builder_, origin(program_.region(id).parent)->getLoc(), values);
}

}  // namespace shardwright
