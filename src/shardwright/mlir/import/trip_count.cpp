#include "shardwright/mlir/import/trip_count.h"

#include <limits>

#include "mlir/IR/BuiltinAttributes.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"

namespace shardwright {
namespace {

using Direction = stablehlo::ComparisonDirection;

// Chains of calls and loops are short; the bound guards against cycles in odd modules.
constexpr int kLongestChain = 64;

mlir::Operation* terminatorOf(mlir::Region& region) {
  return region.hasOneBlock() && !region.front().empty() ? &region.front().back() : nullptr;
}

}  // namespace

mlir::Value initOfInvariant(mlir::BlockArgument argument) {
  auto loop = mlir::dyn_cast_or_null<stablehlo::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop) return {};
  mlir::Operation* yield = terminatorOf(loop.getBody());
  const unsigned index = argument.getArgNumber();
  if (!yield || index >= yield->getNumOperands() || index >= loop->getNumOperands()) return {};
  if (loop.getBody().front().getNumArguments() <= index) return {};
  if (yield->getOperand(index) != loop.getBody().front().getArgument(index)) return {};
  return loop->getOperand(index);
}

namespace {

std::optional<int64_t> constantInteger(mlir::Value value, const CallArguments& arguments) {
  for (int i = 0; value && i < kLongestChain; ++i) {
    if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      const auto passed = arguments.find(value);
      value = passed != arguments.end() ? passed->second : initOfInvariant(argument);
    } else if (mlir::isa_and_nonnull<stablehlo::ConvertOp, sdy::ShardingConstraintOp>(
                   value.getDefiningOp())) {
      value = value.getDefiningOp()->getOperand(0);
    } else {
      auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
      if (!constant) return {};
      const auto elements = mlir::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
      if (!elements || !elements.isSplat()) return {};
      const llvm::APInt integer = elements.getSplatValue<llvm::APInt>();
      if (integer.getSignificantBits() > 63) return {};
      return integer.getSExtValue();
    }
  }
  return {};
}

// What the body adds to carried value `index` each time round.
std::optional<int64_t> stepOf(stablehlo::WhileOp loop, unsigned index,
                              const CallArguments& arguments) {
  mlir::Operation* yield = terminatorOf(loop.getBody());
  if (!yield || index >= yield->getNumOperands()) return {};
  if (index >= loop.getBody().front().getNumArguments()) return {};
  const mlir::Value counter = loop.getBody().front().getArgument(index);
  mlir::Operation* update = yield->getOperand(index).getDefiningOp();
  if (!update || !mlir::isa<stablehlo::AddOp, stablehlo::SubtractOp>(update)) return {};
  const mlir::Value lhs = update->getOperand(0), rhs = update->getOperand(1);
  if (mlir::isa<stablehlo::AddOp>(update)) {
    if (lhs == counter) return constantInteger(rhs, arguments);
    if (rhs == counter) return constantInteger(lhs, arguments);
    return {};
  }
  if (lhs != counter) return {};
  const auto step = constantInteger(rhs, arguments);
  if (!step || *step == std::numeric_limits<int64_t>::min()) return {};
  return -*step;
}

Direction mirrored(Direction direction) {
  switch (direction) {
    case Direction::LT:
      return Direction::GT;
    case Direction::LE:
      return Direction::GE;
    case Direction::GT:
      return Direction::LT;
    case Direction::GE:
      return Direction::LE;
    default:
      return direction;
  }
}

// for (i = start; i `direction` bound; i += step), in numbers that cannot overflow.
std::optional<int64_t> countOf(__int128 start, Direction direction, __int128 bound, __int128 step) {
  if (step < 0) return countOf(-start, mirrored(direction), -bound, -step);
  if (step == 0) return {};
  if (direction == Direction::LE) bound += 1;
  if (direction == Direction::NE) {
    if (bound < start || (bound - start) % step != 0) return {};
  } else if (direction != Direction::LT && direction != Direction::LE) {
    return {};
  }
  const __int128 count = bound <= start ? 0 : (bound - start + step - 1) / step;
  if (count > std::numeric_limits<int64_t>::max()) return {};
  return static_cast<int64_t>(count);
}

std::optional<int64_t> countFromCompare(stablehlo::WhileOp loop, stablehlo::CompareOp compare,
                                        const CallArguments& arguments) {
  mlir::Block& condition = loop.getCond().front();
  for (const bool swapped : {false, true}) {
    const mlir::Value counter = swapped ? compare.getRhs() : compare.getLhs();
    const mlir::Value bound = swapped ? compare.getLhs() : compare.getRhs();
    const auto argument = mlir::dyn_cast<mlir::BlockArgument>(counter);
    if (!argument || argument.getOwner() != &condition) continue;
    const unsigned index = argument.getArgNumber();
    const auto step = stepOf(loop, index, arguments);
    if (!step || index >= loop->getNumOperands()) continue;
    const auto start = constantInteger(loop->getOperand(index), arguments);
    const auto limit = constantInteger(bound, arguments);
    if (!start || !limit) continue;
    const Direction direction = compare.getComparisonDirection();
    return countOf(*start, swapped ? mirrored(direction) : direction, *limit, *step);
  }
  return {};
}

}  // namespace

std::optional<TripCount> recognizeTripCount(stablehlo::WhileOp loop,
                                            const CallArguments& arguments) {
  mlir::Operation* yield = terminatorOf(loop.getCond());
  if (!yield || yield->getNumOperands() != 1) return {};
  mlir::Operation* test = yield->getOperand(0).getDefiningOp();
  if (auto compare = mlir::dyn_cast_or_null<stablehlo::CompareOp>(test)) {
    const auto count = countFromCompare(loop, compare, arguments);
    if (count) return TripCount{*count, true};
    return {};
  }
  // `i < n and not done`: the counter alone bounds the loop.
  if (auto both = mlir::dyn_cast_or_null<stablehlo::AndOp>(test)) {
    for (const mlir::Value term : both->getOperands()) {
      auto compare = term.getDefiningOp<stablehlo::CompareOp>();
      if (!compare) continue;
      if (const auto count = countFromCompare(loop, compare, arguments))
        return TripCount{*count, false};
    }
  }
  return {};
}

}  // namespace shardwright
