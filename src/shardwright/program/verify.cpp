#include "shardwright/program/verify.h"

#include <algorithm>
#include <set>

namespace shardwright::program {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), loopOfCarry_(program.opCount()) {
    OpId loop;  // Of the carries just before; found walking backwards.
    for (size_t i = program.opCount(); i-- > 0;) {
      const OpId op(i);
      if (program.name(op) == kWhile) {
        loop = op;
      } else if (program.name(op) != kCarry) {
        loop = OpId();
      }
      loopOfCarry_[i] = loop;
    }
  }

  Status run() {
    for (uint32_t i = 0; i < program_.regionCount(); ++i) {
      if (Status status = checkRegion(RegionId(i))) return status;
    }
    for (uint32_t i = 0; i < program_.opCount(); ++i) {
      if (Status status = checkOp(OpId(i))) return status;
    }
    return checkInterface();
  }

 private:
  Diagnostic breach(const char* law, OpId op, const std::string& what) const {
    return {std::string(law) + ": op " + std::to_string(op.index()) + " (" +
                std::string(program_.name(op)) + "): " + what,
            program_.source(op),
            {}};
  }

  // P2.
  Status checkRegion(RegionId id) const {
    const Region& region = program_.region(id);
    if (id == program_.entry()) return {};
    if (!(region.parent < region.begin) || region.end < region.begin ||
        region.end.index() > program_.opCount()) {
      return breach("P2", region.parent, "region " + std::to_string(id.index()) + " is misplaced");
    }
    const Region& outer = program_.region(program_.op(region.parent).region);
    if (region.begin < outer.begin || outer.end < region.end) {
      return breach("P2", region.parent, "region reaches beyond the region around it");
    }
    return {};
  }

  Status checkOp(OpId op) const {
    if (Status status = checkTypes(op)) return status;
    for (size_t i = 0; i < program_.operands(op).size(); ++i) {
      const bool yielded = (i == 1 && program_.name(op) == kCarry) || program_.name(op) == kMerge;
      if (yielded) continue;  // P6 looks at it, from the loop or the case.
      if (Status status = checkUse(op, program_.operands(op)[i])) return status;
    }
    if (program_.name(op) == kWhile) return checkLoop(op);
    if (program_.name(op) == kCase) return checkCase(op);
    if (program_.name(op) == kCarry || program_.name(op) == kMerge) return checkOneType(op);
    return {};
  }

  // P1.
  Status checkTypes(OpId op) const {
    const SignatureId signature = program_.op(op).signature;
    const auto types = program_.operandTypes(signature);
    const auto operands = program_.operands(op);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].index() >= program_.valueCount()) return breach("P1", op, "no such operand");
      if (program_.value(operands[i]).type != types[i]) {
        return breach("P1", op, "operand " + std::to_string(i) + " has another type");
      }
    }
    const auto results = program_.resultTypes(signature);
    for (size_t i = 0; i < results.size(); ++i) {
      const Value& value = program_.value(program_.result(op, i));
      if (value.type != results[i] || value.definition != op) {
        return breach("P1", op, "result " + std::to_string(i) + " does not match");
      }
    }
    return {};
  }

  bool inside(OpId op, RegionId region) const {
    const Region& range = program_.region(region);
    return range.begin <= op && op < range.end;
  }

  // P3 and P4.
  Status checkUse(OpId user, ValueId value) const {
    const OpId definition = program_.value(value).definition;
    const std::string what = "operand %" + std::to_string(value.index());
    if (!(definition < user)) return breach("P3", user, what + " is defined later");
    if (!inside(user, program_.op(definition).region)) {
      return breach("P3", user, what + " is defined in a region that has ended");
    }
    if (program_.name(definition) != kCarry) return {};
    const OpId loop = loopOfCarry_[definition.index()];
    if (!loop.valid() || program_.regions(loop).size() != 2) {
      return breach("P6", definition, "carry without a loop");
    }
    const auto regions = program_.regions(loop);
    const bool inCondition = inside(user, regions[0]), inBody = inside(user, regions[1]);
    const uint32_t index = program_.resultIndex(value);
    const bool allowed = index == 0 ? inCondition : index == 1 ? inBody : !inCondition && !inBody;
    if (!allowed) return breach("P4", user, what + " of a carry is used in the wrong place");
    return {};
  }

  // P6.
  Status checkLoop(OpId loop) const {
    const auto regions = program_.regions(loop);
    if (regions.size() != 2) return breach("P6", loop, "a loop has a condition and a body");
    const Region& condition = program_.region(regions[0]);
    const Region& body = program_.region(regions[1]);
    if (condition.yields.size() != 1) return breach("P6", loop, "condition yields not one value");
    uint32_t first = loop.index();
    while (first > 0 && program_.name(OpId(first - 1)) == kCarry) --first;
    if (body.yields.size() != loop.index() - first) {
      return breach("P6", loop, "body yields not one value per carry");
    }
    for (size_t i = 0; i < body.yields.size(); ++i) {
      const OpId carry = OpId(first).plus(i);
      if (program_.operands(carry)[1] != body.yields[i]) {
        return breach("P6", carry, "second operand is not what the body yields");
      }
    }
    return {};
  }

  Status checkCase(OpId op) const {
    const auto regions = program_.regions(op);
    if (regions.empty()) return breach("P6", op, "no branches");
    OpId merge = program_.region(regions.back()).end;
    for (size_t i = 0; i < program_.region(regions[0]).yields.size(); ++i, merge = merge.plus(1)) {
      if (merge.index() >= program_.opCount() || program_.name(merge) != kMerge ||
          program_.operands(merge).size() != regions.size()) {
        return breach("P6", op, "branch yields without a merge");
      }
      for (size_t branch = 0; branch < regions.size(); ++branch) {
        const auto& yields = program_.region(regions[branch]).yields;
        if (i >= yields.size() || program_.operands(merge)[branch] != yields[i]) {
          return breach("P6", merge,
                        "operand " + std::to_string(branch) + " is not what the branch yields");
        }
      }
    }
    return {};
  }

  // P5.
  Status checkOneType(OpId op) const {
    const SignatureId signature = program_.op(op).signature;
    const TypeId type = program_.resultTypes(signature)[0];
    const auto same = [&](TypeId other) { return other == type; };
    if (!std::ranges::all_of(program_.operandTypes(signature), same) ||
        !std::ranges::all_of(program_.resultTypes(signature), same)) {
      return breach("P5", op, "values of different types");
    }
    return {};
  }

  // P7.
  Status checkInterface() const {
    std::set<uint32_t> aliased;
    for (const Argument& argument : program_.arguments()) {
      const OpId op = program_.value(argument.value).definition;
      if (program_.name(op) != kArgument) return breach("P7", op, "not an argument");
      if (!argument.aliasedResult) continue;
      const uint32_t index = *argument.aliasedResult;
      if (index >= program_.results().size() || !aliased.insert(index).second) {
        return breach("P7", op,
                      "`" + argument.path + "` is aliased to a result that is not there or taken");
      }
      const OpId returnOp = program_.results()[index].returnOp;
      if (program_.operandTypes(program_.op(returnOp).signature)[0] !=
          program_.value(argument.value).type) {
        return breach("P7", op, "`" + argument.path + "` is aliased to a result of another type");
      }
    }
    return {};
  }

  const Program& program_;
  std::vector<OpId> loopOfCarry_;  // Per op; invalid for what is no carry of a loop.
};

}  // namespace

Status verify(const Program& program) { return Verifier(program).run(); }

}  // namespace shardwright::program
