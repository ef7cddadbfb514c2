#include "shardwright/mlir/import/importer.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/import/attributes.h"
#include "shardwright/mlir/import/counted_indices.h"
#include "shardwright/mlir/import/locations.h"
#include "shardwright/mlir/import/neutral_starts.h"
#include "shardwright/mlir/import/repetitions.h"
#include "shardwright/mlir/import/shardings.h"
#include "shardwright/mlir/import/trip_count.h"
#include "shardwright/mlir/import/types.h"
#include "shardwright/program/builder.h"
#include "shardwright/program/prune.h"
#include "shardwright/program/verify.h"

namespace shardwright {
namespace {

using program::LocationId;
using program::NameId;
using program::OpId;
using program::ProgramBuilder;
using program::TypeId;
using program::ValueId;

// Each call level takes some stack; JAX's chains are a handful long.
constexpr size_t kDeepestCalls = 1000;

using Values = llvm::SmallVector<ValueId, 8>;

class Importer {
 public:
  Importer(mlir::ModuleOp module, const ImportOptions& options)
      : module_(module), options_(options), shardings_(module, builder_) {}

  Result<program::Program> run() {
    numberOrigins();
    for (auto function : module_.getOps<mlir::func::FuncOp>()) {
      functions_[function.getSymNameAttr()] = function;
    }
    auto main = functions_.lookup(mlir::StringAttr::get(module_.getContext(), "main"));
    if (!main || main.isDeclaration()) return noMain();
    if (mlir::failed(importMain(main))) return *error_;
    if (repeated_ > 0) {
      builder_.remark(LocationId(0u),
                      std::to_string(repeated_) + " ops that repeat others are left out");
    }
    removable_.resize(builder_.program().opCount(), 0);
    program::Pruned pruned = program::prune(std::move(builder_).finish(), removable_);
    if (Status breach = program::verify(pruned.program)) return *breach;
    return std::move(pruned.program);
  }

  std::vector<mlir::Operation*> takeOrigins() { return std::move(originOps_); }

 private:
  // --- errors ---
  mlir::LogicalResult fail(mlir::Location location, const std::string& message) {
    if (!error_) error_ = Diagnostic{message, sourceOf(location), {}};
    return mlir::failure();
  }

  Diagnostic noMain() {
    std::string names;
    for (auto function : module_.getOps<mlir::func::FuncOp>()) {
      if (names.size() > 100) {
        names += ", …";
        break;
      }
      names += (names.empty() ? "@" : ", @") + function.getSymName().str();
    }
    SourceLocation where = sourceOf(module_.getLoc());
    if (where.line == 0) where.line = where.column = 1;  // A module without braces has only a file.
    return {"the module has no function @main with a body; " +
                (names.empty() ? "it has no functions at all" : "its functions: " + names),
            std::move(where),
            {}};
  }

  // --- caches: an MLIR object is translated once ---
  void numberOrigins() {
    module_->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
      origins_[op] = static_cast<uint32_t>(originOps_.size());
      originOps_.push_back(op);
      builder_.addVariant(variantOf(op));
    });
  }

  // What the op says beside its types and regions: attributes are unique in MLIR, so equal ones
  // have one number.
  uint32_t variantOf(mlir::Operation* op) {
    const auto next = static_cast<uint32_t>(variants_.size()) + 1;
    return variants_.try_emplace(op->getAttrDictionary(), next).first->second;
  }

  NameId opName(mlir::OperationName name) {
    auto [entry, isNew] = names_.try_emplace(name.getAsOpaquePointer());
    if (isNew) entry->second = builder_.name(name.getStringRef());
    return entry->second;
  }

  // JAX leaves constants of functions that are called without a location, and says of its own code
  // no file: they are where the call is.
  LocationId location(mlir::Location location) {
    if (mlir::isa<mlir::UnknownLoc>(location) && call_.valid()) return call_;
    auto [entry, isNew] = locations_.try_emplace({location.getAsOpaquePointer(), 0});
    if (isNew) entry->second = builder_.addLocation(flatLocation(location));
    const LocationId own = entry->second;
    if (!call_.valid() || builder_.program().location(own).file.valid()) return own;
    auto [called, isNewCall] =
        locations_.try_emplace({location.getAsOpaquePointer(), call_.index() + 1});
    if (isNewCall) {
      program::Location placed = builder_.program().location(call_);
      placed.name = builder_.program().location(own).name;
      called->second = builder_.addLocation(placed);
    }
    return called->second;
  }

  program::Location flatLocation(mlir::Location location) {
    const ResolvedLocation resolved = resolve(location);
    program::Location flat{{}, {}, resolved.line, resolved.column};
    if (!resolved.file.empty()) flat.file = builder_.name(resolved.file);
    if (!resolved.name.empty()) flat.name = builder_.name(resolved.name);
    return flat;
  }

  // Fails with a message that names the type.
  mlir::FailureOr<TypeId> type(mlir::Type type, mlir::Location where) {
    auto [entry, isNew] = types_.try_emplace(type);
    if (!isNew) return entry->second;
    const Result<FlatType> flat = flatten(type);
    if (!flat) return fail(where, flat.error().message);
    return entry->second = builder_.type(flat->dtype, flat->shape);
  }

  mlir::FailureOr<ValueId> valueOf(mlir::Value value, mlir::Location where) {
    const auto found = values_.find(value);
    if (found == values_.end()) return fail(where, "uses a value that is not visible here");
    return found->second;
  }

  mlir::LogicalResult valuesOf(mlir::ValueRange range, mlir::Location where, Values& ids) {
    for (const mlir::Value value : range) {
      const auto id = valueOf(value, where);
      if (mlir::failed(id)) return mlir::failure();
      ids.push_back(*id);
    }
    return mlir::success();
  }

  // --- the interface of @main ---
  mlir::LogicalResult importMain(mlir::func::FuncOp main) {
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      if (mlir::failed(importArgument(main, i))) return mlir::failure();
    }
    activeCalls_.insert(main);
    Values returned;
    if (mlir::failed(importBody(main, returned))) return mlir::failure();
    mlir::Operation* terminator = &main.getBody().front().back();
    const LocationId where = location(terminator->getLoc());
    for (unsigned i = 0; i < returned.size(); ++i) {
      program::ProgramResult result;
      result.path = "result" + std::to_string(i);
      if (const auto info = main.getResultAttrOfType<mlir::StringAttr>(i, "jax.result_info")) {
        if (!info.getValue().empty()) result.path = info.getValue().str();
      }
      result.sharding =
          sharding(main.getResultAttrOfType<sdy::TensorShardingAttr>(i, "sdy.sharding"));
      builder_.addResult(std::move(result), returned[i], where, origins_.lookup(terminator));
    }
    return checkAliases(main);
  }

  mlir::LogicalResult importArgument(mlir::func::FuncOp main, unsigned index) {
    const mlir::BlockArgument value = main.getArgument(index);
    const auto flatType = type(value.getType(), value.getLoc());
    if (mlir::failed(flatType)) return mlir::failure();
    program::Argument argument;
    argument.path = "arg" + std::to_string(index);
    if (const llvm::StringRef name = resolve(value.getLoc()).name; !name.empty())
      argument.path = name.str();
    if (const auto alias = main.getArgAttrOfType<mlir::IntegerAttr>(index, "tf.aliasing_output")) {
      argument.donated = true;
      argument.aliasedResult = static_cast<uint32_t>(alias.getValue().getLimitedValue(UINT32_MAX));
    }
    if (const auto donor = main.getArgAttrOfType<mlir::BoolAttr>(index, "jax.buffer_donor")) {
      argument.donated = argument.donated || donor.getValue();
    }
    argument.sharding =
        sharding(main.getArgAttrOfType<sdy::TensorShardingAttr>(index, "sdy.sharding"));
    if (!argument.sharding && llvm::is_contained(options_.statedInside, index))
      argument.sharding = statedBehind(value);
    const LocationId where = location(value.getLoc());
    if (main.getArgAttr(index, "mhlo.sharding")) {
      builder_.remark(where, "`" + argument.path +
                                 "` has a GSPMD sharding (mhlo.sharding), which is ignored; "
                                 "export with Shardy to keep it");
    }
    values_[value] =
        builder_.addArgument(std::move(argument), *flatType, where, origins_.lookup(main));
    return mlir::success();
  }

  // What a constraint says that is the only use of `value`, here or in a function called.
  std::optional<mesh::Sharding> statedBehind(mlir::Value value) {
    while (value.hasOneUse()) {
      mlir::OpOperand& use = *value.use_begin();
      if (auto constraint = mlir::dyn_cast<sdy::ShardingConstraintOp>(use.getOwner()))
        return sharding(constraint.getSharding());
      auto call = mlir::dyn_cast<mlir::func::CallOp>(use.getOwner());
      auto callee = call ? functions_.lookup(call.getCalleeAttr().getAttr()) : nullptr;
      if (!callee || callee.isDeclaration()) return {};
      value = callee.getArgument(use.getOperandNumber());
    }
    return {};
  }

  mlir::LogicalResult checkAliases(mlir::func::FuncOp main) {
    const auto& arguments = builder_.program().arguments();
    llvm::DenseMap<uint32_t, size_t> takenBy;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const auto result = arguments[i].aliasedResult;
      if (!result) continue;
      const std::string what =
          "argument `" + arguments[i].path + "` is aliased to result " + std::to_string(*result);
      const mlir::Location where = main.getArgument(static_cast<unsigned>(i)).getLoc();
      if (*result >= main.getNumResults()) {
        return fail(where, what + "; there are " + std::to_string(main.getNumResults()));
      }
      if (main.getResultTypes()[*result] != main.getArgumentTypes()[i]) {
        return fail(where, what + ", which has another type");
      }
      if (!takenBy.try_emplace(*result, i).second)
        return fail(where, what + ", and so is another argument");
    }
    return mlir::success();
  }

  std::optional<mesh::Sharding> sharding(sdy::TensorShardingAttr attribute) {
    if (!attribute) return {};
    return shardings_.read(attribute);
  }

  // --- ops ---
  // Imports the one block of a function; `returned` receives what it returns.
  mlir::LogicalResult importBody(mlir::func::FuncOp function, Values& returned) {
    if (!function.getBody().hasOneBlock()) {
      return fail(function.getLoc(), "function @" + function.getSymName().str() + " has " +
                                         std::to_string(function.getBody().getBlocks().size()) +
                                         " blocks; structured control flow has one");
    }
    return importBlock(function.getBody().front(), returned);
  }

  mlir::LogicalResult importBlock(mlir::Block& block, Values& yielded) {
    if (block.empty()) return fail(module_.getLoc(), "a region is empty");
    for (mlir::Operation& op : block.without_terminator()) {
      if (mlir::failed(importOp(&op))) return mlir::failure();
    }
    mlir::Operation& terminator = block.back();
    if (!mlir::isa<mlir::func::ReturnOp, stablehlo::ReturnOp, sdy::ReturnOp>(terminator)) {
      return fail(
          terminator.getLoc(),
          "a region ends in `" + terminator.getName().getStringRef().str() + "`, not in a return");
    }
    return valuesOf(terminator.getOperands(), terminator.getLoc(), yielded);
  }

  mlir::LogicalResult importOp(mlir::Operation* op) {
    // Counts ops met, not ops made: empty functions that call one another multiply too.
    if (++visited_ > options_.mostOps) {
      return fail(op->getLoc(), "more than " + std::to_string(options_.mostOps) +
                                    " ops once calls are inlined; calls multiply");
    }
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
      return importCall(op, call.getCalleeAttr().getAttr());
    }
    if (auto composite = mlir::dyn_cast<stablehlo::CompositeOp>(op)) {
      return importCall(op, mlir::StringAttr::get(op->getContext(), composite.getDecomposition()));
    }
    if (auto named = mlir::dyn_cast<sdy::NamedComputationOp>(op))
      return importNamedComputation(named);
    if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op)) return importWhile(loop);
    if (mlir::isa<stablehlo::CaseOp, stablehlo::IfOp>(op)) return importCase(op);
    if (mlir::isa<stablehlo::OptimizationBarrierOp>(op)) return importBarrier(op);
    if (mlir::isa<sdy::ShardingConstraintOp>(op) && op->hasAttr(kForXlaAttr)) return passBy(op);
    return importPlain(op);
  }

  mlir::LogicalResult passBy(mlir::Operation* op) {
    Values operands;
    if (mlir::failed(valuesOf(op->getOperands(), op->getLoc(), operands))) return mlir::failure();
    values_[op->getResult(0)] = operands[0];
    return mlir::success();
  }

  mlir::LogicalResult importPlain(mlir::Operation* op) {
    Values operands;
    if (mlir::failed(valuesOf(op->getOperands(), op->getLoc(), operands))) return mlir::failure();
    NameId name = opName(op->getName());
    if (auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op)) {
      name = builder_.name("stablehlo.custom_call:" + call.getCallTargetName().str());
    }
    const program::Attributes attributes = readAttributes(op);
    if (mlir::isa<stablehlo::DynamicGatherOp>(op) && attributes.index() == 0) {
      name = builder_.name("stablehlo.dynamic_gather with unknown sizes");
    }
    // The ops inside stay with the op: it is one step to us, with all it reads as operands.
    llvm::SetVector<mlir::Value> captured;
    if (op->getNumRegions() > 0) mlir::getUsedValuesDefinedAbove(op->getRegions(), captured);
    if (!captured.empty()) {
      name = builder_.name(op->getName().getStringRef().str() + " with captures");
      if (mlir::failed(valuesOf(captured.getArrayRef(), op->getLoc(), operands)))
        return mlir::failure();
    }
    return addOnce(op, name, builder_.attributes(attributes), operands);
  }

  // Adds the op, unless it repeats another one.
  mlir::LogicalResult addOnce(mlir::Operation* op, NameId name, program::AttributesId attributes,
                              const Values& operands) {
    llvm::SmallVector<TypeId, 4> resultTypes;
    for (const mlir::Type resultType : op->getResultTypes()) {
      const auto flat = type(resultType, op->getLoc());
      if (mlir::failed(flat)) return mlir::failure();
      resultTypes.push_back(*flat);
    }
    const uint32_t origin = origins_.lookup(op);
    if (resultTypes.size() == 1) {
      const uint32_t variant = builder_.program().variantOfOrigin(origin);
      const ValueId equal =
          repetitions_.find({name, attributes, variant, operands, resultTypes[0]});
      if (equal.valid()) {
        ++repeated_;
        values_[op->getResult(0)] = equal;
        return mlir::success();
      }
    }
    const OpId id =
        builder_.addOp(name, attributes, operands, resultTypes, location(op->getLoc()), origin);
    if (resultTypes.size() == 1) repetitions_.add(builder_.result(id));
    removable_.resize(id.index() + 1, 0);
    removable_[id.index()] = mlir::wouldOpBeTriviallyDead(op) ? 1 : 0;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      values_[op->getResult(i)] = builder_.result(id, i);
    readStatedShardings(op);
    return mlir::success();
  }

  // Shardings on the results of an op, or of a constraint.
  void readStatedShardings(mlir::Operation* op) {
    if (auto constraint = mlir::dyn_cast<sdy::ShardingConstraintOp>(op)) {
      stateSharding(constraint->getResult(0), constraint.getSharding());
      return;
    }
    const auto perValue = op->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding");
    if (!perValue) return;
    const auto shardings = perValue.getShardings();
    for (unsigned i = 0; i < shardings.size() && i < op->getNumResults(); ++i) {
      stateSharding(op->getResult(i), shardings[i]);
    }
  }

  void stateSharding(mlir::Value value, sdy::TensorShardingAttr attribute) {
    if (auto read = sharding(attribute))
      builder_.stateSharding(values_.lookup(value), std::move(*read));
  }

  mlir::LogicalResult bindResults(mlir::Operation* op, llvm::ArrayRef<ValueId> yielded) {
    if (yielded.size() != op->getNumResults()) {
      return fail(op->getLoc(), "has " + std::to_string(op->getNumResults()) +
                                    " results, but its body yields " +
                                    std::to_string(yielded.size()));
    }
    for (unsigned i = 0; i < yielded.size(); ++i) values_[op->getResult(i)] = yielded[i];
    readStatedShardings(op);
    return mlir::success();
  }

  // Gives the arguments of a block the ids of what is passed for them.
  mlir::LogicalResult bindArguments(mlir::Operation* op, mlir::Block& block,
                                    mlir::ValueRange passed) {
    if (block.getNumArguments() != passed.size()) {
      return fail(op->getLoc(), "passes " + std::to_string(passed.size()) + " values, " +
                                    std::to_string(block.getNumArguments()) + " are taken");
    }
    for (unsigned i = 0; i < passed.size(); ++i) {
      const auto id = valueOf(passed[i], op->getLoc());
      if (mlir::failed(id)) return mlir::failure();
      values_[block.getArgument(i)] = *id;
      callArguments_[block.getArgument(i)] = passed[i];
    }
    return mlir::success();
  }

  mlir::LogicalResult importCall(mlir::Operation* op, mlir::StringAttr callee) {
    auto function = functions_.lookup(callee);
    if (!function || function.isDeclaration()) return importPlain(op);  // Whole, and reported.
    if (!activeCalls_.insert(function).second) {
      return fail(op->getLoc(), "function @" + callee.str() + " calls itself");
    }
    if (activeCalls_.size() > kDeepestCalls) {
      return fail(op->getLoc(), "calls nest more than " + std::to_string(kDeepestCalls) + " deep");
    }
    if (!function.getBody().hasOneBlock()) {
      Values none;
      return importBody(function, none);
    }
    Values returned;
    if (mlir::failed(bindArguments(op, function.getBody().front(), op->getOperands())))
      return mlir::failure();
    const LocationId outer = std::exchange(call_, location(op->getLoc()));
    if (mlir::failed(importBody(function, returned))) return mlir::failure();
    call_ = outer;
    activeCalls_.erase(function);
    return bindResults(op, returned);
  }

  mlir::LogicalResult importNamedComputation(sdy::NamedComputationOp op) {
    if (!op.getBody().hasOneBlock()) return fail(op.getLoc(), "its body has not one block");
    Values yielded;
    if (mlir::failed(bindArguments(op, op.getBody().front(), op->getOperands())))
      return mlir::failure();
    if (mlir::failed(importBlock(op.getBody().front(), yielded))) return mlir::failure();
    return bindResults(op, yielded);
  }

  // One op per value; see program.h.
  mlir::LogicalResult importBarrier(mlir::Operation* op) {
    Values operands;
    if (mlir::failed(valuesOf(op->getOperands(), op->getLoc(), operands))) return mlir::failure();
    if (operands.size() != op->getNumResults())
      return fail(op->getLoc(), "operands and results differ in number");
    const NameId name = builder_.name(program::kBarrier);
    const auto none = builder_.attributes({});
    for (unsigned i = 0; i < operands.size(); ++i) {
      const auto resultType = type(op->getResult(i).getType(), op->getLoc());
      if (mlir::failed(resultType)) return mlir::failure();
      const OpId id =
          builder_.addOp(name, none, std::span(&operands[i], 1), std::span(&*resultType, 1),
                         location(op->getLoc()), origins_.lookup(op));
      values_[op->getResult(i)] = builder_.result(id);
    }
    readStatedShardings(op);
    return mlir::success();
  }

  // --- control flow ---
  mlir::LogicalResult importWhile(stablehlo::WhileOp op) {
    if (!op.getCond().hasOneBlock() || !op.getBody().hasOneBlock()) {
      return fail(op.getLoc(), "condition and body of a loop have one block each");
    }
    mlir::Block& condition = op.getCond().front();
    mlir::Block& body = op.getBody().front();
    const unsigned count = op->getNumOperands();
    if (op->getNumResults() != count || condition.getNumArguments() != count ||
        body.getNumArguments() != count) {
      return fail(op.getLoc(), "carries " + std::to_string(count) +
                                   " values; condition, body and results must agree");
    }
    const program::WhileAttrs attributes = tripCount(op);
    llvm::SmallVector<OpId, 8> carries;
    for (unsigned i = 0; i < count; ++i) {
      if (mlir::failed(importCarry(op, i, carries))) return mlir::failure();
    }
    const OpId loop = builder_.addOp(program::kWhile, attributes, {}, {}, location(op.getLoc()),
                                     origins_.lookup(op));
    const double weight = builder_.currentWeight() * static_cast<double>(attributes.tripCount);
    Values tested, yielded;
    if (mlir::failed(
            importRegion(loop, condition, program::RegionKind::kCondition, weight, tested)))
      return mlir::failure();
    if (mlir::failed(importRegion(loop, body, program::RegionKind::kBody, weight, yielded)))
      return mlir::failure();
    if (tested.size() != 1) return fail(op.getLoc(), "its condition yields not one value");
    return closeCarries(op, carries, yielded);
  }

  mlir::LogicalResult importCarry(stablehlo::WhileOp op, unsigned index,
                                  llvm::SmallVectorImpl<OpId>& carries) {
    const auto init = valueOf(op->getOperand(index), op.getLoc());
    if (mlir::failed(init)) return mlir::failure();
    // What the body yields is not known yet; closeCarries puts it in.
    const OpId carry = builder_.addCarry(index, *init, location(op.getLoc()), origins_.lookup(op));
    values_[op.getCond().front().getArgument(index)] = builder_.result(carry, 0);
    values_[op.getBody().front().getArgument(index)] = builder_.result(carry, 1);
    values_[op->getResult(index)] = builder_.result(carry, 2);
    carries.push_back(carry);
    return mlir::success();
  }

  mlir::LogicalResult closeCarries(stablehlo::WhileOp op, llvm::ArrayRef<OpId> carries,
                                   llvm::ArrayRef<ValueId> yielded) {
    if (yielded.size() != carries.size()) {
      return fail(op.getLoc(), "its body yields " + std::to_string(yielded.size()) + " values, " +
                                   std::to_string(carries.size()) + " are carried");
    }
    const program::Program& program = builder_.program();
    for (size_t i = 0; i < carries.size(); ++i) {
      if (program.value(yielded[i]).type != program.value(builder_.result(carries[i])).type) {
        return fail(op.getLoc(),
                    "carried value " + std::to_string(i) + " changes its type in the body");
      }
      builder_.setOperand(carries[i], 1, yielded[i]);
    }
    readStatedShardings(op);
    return mlir::success();
  }

  program::WhileAttrs tripCount(stablehlo::WhileOp op) {
    const auto known = recognizeTripCount(op, callArguments_);
    if (known && known->exact) return {known->count, true};
    const LocationId where = location(op.getLoc());
    if (known) {
      builder_.remark(where, "loop runs at most " + std::to_string(known->count) +
                                 " times and may stop earlier; counted in full");
      return {known->count, false};
    }
    builder_.remark(where, "loop with an unknown number of iterations; counted as " +
                               std::to_string(options_.defaultTripCount));
    return {options_.defaultTripCount, false};
  }

  mlir::LogicalResult importRegion(OpId parent, mlir::Block& block, program::RegionKind kind,
                                   double weight, Values& yielded) {
    builder_.openRegion(parent, kind, weight);
    if (mlir::failed(importBlock(block, yielded))) return mlir::failure();
    builder_.closeRegion(yielded);
    return mlir::success();
  }

  // stablehlo.case and stablehlo.if: one selector, any number of branches without arguments.
  mlir::LogicalResult importCase(mlir::Operation* op) {
    Values selector;
    if (mlir::failed(valuesOf(op->getOperands(), op->getLoc(), selector))) return mlir::failure();
    const OpId id = builder_.addOp(builder_.name(program::kCase), builder_.attributes({}), selector,
                                   {}, location(op->getLoc()), origins_.lookup(op));
    std::vector<Values> yields;
    for (mlir::Region& region : op->getRegions()) {
      if (!region.hasOneBlock()) return fail(op->getLoc(), "each branch has one block");
      yields.emplace_back();
      if (mlir::failed(importRegion(id, region.front(), program::RegionKind::kBranch,
                                    builder_.currentWeight(), yields.back()))) {
        return mlir::failure();
      }
      if (yields.back().size() != op->getNumResults()) {
        return fail(op->getLoc(), "branch " + std::to_string(yields.size() - 1) + " yields " +
                                      std::to_string(yields.back().size()) + " values for " +
                                      std::to_string(op->getNumResults()) + " results");
      }
    }
    if (yields.empty()) return fail(op->getLoc(), "has no branches");
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      if (mlir::failed(importMerge(op, i, yields))) return mlir::failure();
    }
    readStatedShardings(op);
    return mlir::success();
  }

  mlir::LogicalResult importMerge(mlir::Operation* op, unsigned index,
                                  llvm::ArrayRef<Values> yields) {
    const auto flat = type(op->getResult(index).getType(), op->getLoc());
    if (mlir::failed(flat)) return mlir::failure();
    Values merged;
    for (const Values& branch : yields) {
      if (builder_.program().value(branch[index]).type != *flat) {
        return fail(op->getLoc(),
                    "result " + std::to_string(index) + " and what a branch yields differ in type");
      }
      merged.push_back(branch[index]);
    }
    const OpId merge =
        builder_.addMerge(index, merged, location(op->getLoc()), origins_.lookup(op));
    values_[op->getResult(index)] = builder_.result(merge);
    return mlir::success();
  }

  mlir::ModuleOp module_;
  const ImportOptions& options_;
  ProgramBuilder builder_;
  Repetitions repetitions_{builder_};
  size_t repeated_ = 0;
  ShardingReader shardings_;
  std::optional<Diagnostic> error_;

  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> functions_;
  llvm::DenseSet<mlir::Operation*> activeCalls_;
  // Ids of the copy being made; a function inlined again overwrites its own, which nobody else
  // reads.
  llvm::DenseMap<mlir::Value, ValueId> values_;
  CallArguments callArguments_;

  std::vector<mlir::Operation*> originOps_;
  llvm::DenseMap<mlir::Operation*, uint32_t> origins_;
  llvm::DenseMap<mlir::Attribute, uint32_t> variants_;
  std::vector<char> removable_;  // Per op made so far; what is missing at the end is not removable.
  size_t visited_ = 0;
  llvm::DenseMap<const void*, NameId> names_;
  LocationId call_;  // Where the function that is being inlined is called; none in @main.
  // Of the module's locations, and of those without a file at each call.
  llvm::DenseMap<std::pair<const void*, uint32_t>, LocationId> locations_;
  llvm::DenseMap<mlir::Type, TypeId> types_;
};

}  // namespace

Result<ImportedProgram> importModule(ParsedModule parsed, const ImportOptions& options) {
  ImportedProgram imported;
  std::optional<Diagnostic> error;
  runWithLargeStack([&] {
    restoreStarts(*parsed.module);
    batchCountedDims(*parsed.module);
    Importer importer(*parsed.module, options);
    Result<program::Program> program = importer.run();
    if (!program) {
      error = program.error();
      return;
    }
    imported.program = std::move(*program);
    imported.origins = importer.takeOrigins();
  });
  if (error) return *error;
  imported.parsed = std::move(parsed);
  return imported;
}

Result<ImportedProgram> importText(llvm::StringRef text, const std::string& name,
                                   const ImportOptions& options) {
  Result<ParsedModule> parsed = parseModule(text, name);
  if (!parsed) return parsed.error();
  return importModule(std::move(*parsed), options);
}

}  // namespace shardwright
