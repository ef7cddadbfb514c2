#include "shardwright/program/printer.h"

#include <unordered_map>

namespace shardwright::program {
namespace {

const char* regionTitle(RegionKind kind) {
  switch (kind) {
    case RegionKind::kEntry:
      return "entry";
    case RegionKind::kCondition:
      return "condition";
    case RegionKind::kBody:
      return "body";
    case RegionKind::kBranch:
      return "branch";
  }
  return "";
}

std::string valueText(ValueId value) { return "%" + std::to_string(value.index()); }

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {
    for (const Argument& argument : program.arguments()) {
      labels_[program.value(argument.value).definition.index()] = argument.path;
    }
    for (const ProgramResult& result : program.results()) {
      labels_[result.returnOp.index()] = result.path;
    }
  }

  std::string run() && {
    const Region& entry = program_.region(program_.entry());
    printOps(entry.begin, entry.end, 0);
    return std::move(text_);
  }

 private:
  // Regions nest, so `end` of the op's last region is where the list goes on.
  void printOps(OpId begin, OpId end, size_t depth) {
    for (OpId op = begin; op < end;) {
      printOp(op, depth);
      OpId next = op.plus(1);
      for (const RegionId id : program_.regions(op)) {
        printRegion(program_.region(id), depth + 1);
        next = program_.region(id).end;
      }
      op = next;
    }
  }

  void printRegion(const Region& region, size_t depth) {
    text_.append(2 * depth, ' ');
    text_ += regionTitle(region.kind);
    text_ += " yields";
    for (size_t i = 0; i < region.yields.size(); ++i) {
      text_ += (i == 0 ? " " : ", ") + valueText(region.yields[i]);
    }
    text_ += "\n";
    printOps(region.begin, region.end, depth + 1);
  }

  void printOp(OpId op, size_t depth) {
    text_.append(2 * depth, ' ');
    const uint32_t results = program_.resultCount(op);
    for (uint32_t i = 0; i < results; ++i) {
      const ValueId value = program_.result(op, i);
      text_ += (i == 0 ? "" : ", ") + valueText(value) + ":" +
               program_.types().str(program_.value(value).type);
    }
    if (results > 0) text_ += " = ";
    text_ += program_.name(op);
    const auto operands = program_.operands(op);
    for (size_t i = 0; i < operands.size(); ++i)
      text_ += (i == 0 ? " " : ", ") + valueText(operands[i]);
    const std::string attributes = str(program_.attributes(program_.op(op).signature));
    if (!attributes.empty()) text_ += " " + attributes;
    if (const auto label = labels_.find(op.index()); label != labels_.end()) {
      text_ += " \"" + label->second + "\"";
    }
    text_ += "\n";
  }

  const Program& program_;
  std::unordered_map<uint32_t, std::string> labels_;
  std::string text_;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).run(); }

}  // namespace shardwright::program
