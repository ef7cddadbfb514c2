// Programs and SPMD programs written by hand, for the tests of the checker.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "shardwright/program/builder.h"
#include "shardwright/program/verify.h"
#include "shardwright/spmd/checker.h"

namespace shardwright::spmd {

// A few ops in float32, so that tests read like the programs they build.
class Net {
 public:
  using ValueId = program::ValueId;
  using OpId = program::OpId;

  ValueId argument(const std::string& path, std::initializer_list<int64_t> shape,
                   program::DType dtype = program::DType::kF32) {
    program::Argument argument;
    argument.path = path;
    return builder.addArgument(std::move(argument), builder.type(dtype, shape));
  }
  ValueId aliased(const std::string& path, std::initializer_list<int64_t> shape, uint32_t result) {
    program::Argument argument;
    argument.path = path;
    argument.donated = true;
    argument.aliasedResult = result;
    return builder.addArgument(std::move(argument), builder.type(program::DType::kF32, shape));
  }
  ValueId matmul(ValueId a, ValueId b) {
    const auto type = builder.type(program::DType::kF32, {shape(a)[0], shape(b)[1]});
    return one("stablehlo.dot_general", program::DotAttrs{{}, {}, {1}, {0}}, {a, b}, type);
  }
  ValueId transpose(ValueId a) {
    const auto type = builder.type(program::DType::kF32, {shape(a)[1], shape(a)[0]});
    return one("stablehlo.transpose", program::DimsAttrs{{1, 0}}, {a}, type);
  }
  ValueId unary(const char* name, ValueId a) { return one(name, {}, {a}, typeOf(a)); }
  ValueId binary(const char* name, ValueId a, ValueId b) {
    return one(name, {}, {a, b}, typeOf(a));
  }
  ValueId one(const char* name, const program::Attributes& attributes,
              std::initializer_list<ValueId> operands, program::TypeId type) {
    return builder.result(builder.addOp(name, attributes, operands, {type}));
  }
  void result(ValueId value) { builder.addResult({}, value); }
  program::TypeId typeOf(ValueId value) const { return builder.program().value(value).type; }
  std::span<const int64_t> shape(ValueId value) const { return builder.program().shape(value); }

  void build() {
    program = std::make_unique<program::Program>(std::move(builder).finish());
    const Status bad = program::verify(*program);
    ASSERT_FALSE(bad) << bad->str();
    auto made = rules::RuleTable::make(*program);
    ASSERT_TRUE(static_cast<bool>(made)) << made.error().str();
    rules = std::make_unique<rules::RuleTable>(std::move(*made));
    analysis = std::make_unique<analysis::Analysis>(analysis::Analysis::make(*program, *rules));
  }
  plan::Subject subject() const { return {*program, *rules, *analysis}; }
  OpId definition(ValueId value) const { return program->value(value).definition; }
  // The colour of a dim of an argument.
  analysis::ColorId color(ValueId argument, size_t dim) const {
    const OpId op = definition(argument);
    return analysis->color({op, rules->rule(program->op(op).signature).dim(0, dim)[0]});
  }

  program::ProgramBuilder builder;
  std::unique_ptr<program::Program> program;
  std::unique_ptr<rules::RuleTable> rules;
  std::unique_ptr<analysis::Analysis> analysis;
};

struct HandLayout {
  std::vector<mesh::AxisList> dims;
  mesh::AxisSet partial = {};
};

// Writes instructions one after another; ops come in program order.
class Writer {
 public:
  Writer(const Net& net, const plan::Plan& plan) : net_(net) {
    spmd.mesh = plan.mesh;
    spmd.assignment = plan::Assignment(net.subject());
    spmd.yields.resize(net.program->regionCount());
  }

  // The next op, in its region; its factors are split as given (none if too few are given).
  LocalId compute(std::initializer_list<LocalId> operands, std::vector<HandLayout> results,
                  std::vector<mesh::AxisList> factors = {}) {
    const program::OpId op(next_++);
    for (uint32_t f = 0; f < factors.size(); ++f) {
      spmd.assignment.set(op, rules::FactorId(f), factors[f]);
    }
    Instruction instruction;
    instruction.op = op;
    instruction.region = net_.program->op(op).region;
    add(instruction, operands);
    for (uint32_t i = 0; i < results.size(); ++i) make(net_.program->result(op, i), results[i]);
    return spmd.instructions[last()].firstResult;
  }
  // `op`'s region is where it stands.
  LocalId move(Kind kind, program::OpId op, LocalId operand, mesh::AxisList axes,
               const HandLayout& result, uint8_t dim = 0, uint8_t toDim = 0) {
    Instruction instruction;
    instruction.kind = kind;
    instruction.op = op;
    instruction.region = net_.program->op(op).region;
    instruction.axes = axes;
    instruction.dim = dim;
    instruction.toDim = toDim;
    add(instruction, {operand});
    make(spmd.locals[operand].value, result);
    return spmd.instructions[last()].firstResult;
  }
  InstructionId last() const { return InstructionId(spmd.instructions.size() - 1); }

  SpmdProgram spmd;

 private:
  void add(Instruction instruction, std::initializer_list<LocalId> operands) {
    instruction.operandsBegin = static_cast<uint32_t>(spmd.operands.size());
    instruction.operandCount = static_cast<uint16_t>(operands.size());
    instruction.firstResult = spmd.locals.nextId();
    spmd.operands.insert(spmd.operands.end(), operands);
    spmd.instructions.push(instruction);
  }
  void make(program::ValueId value, const HandLayout& layout) {
    const auto whole = net_.program->shape(value);
    std::vector<int64_t> shape(whole.begin(), whole.end());
    for (size_t d = 0; d < shape.size(); ++d) {
      shape[d] /= mesh::deviceCount(spmd.mesh, layout.dims[d]);
    }
    const auto dtype = net_.program->types().dtype(net_.program->value(value).type);
    spmd.locals.push({value, spmd.layouts.intern(layout.dims, layout.partial),
                      spmd.types.intern(dtype, shape), last()});
    ++spmd.instructions[last()].resultCount;
  }

  const Net& net_;
  uint32_t next_ = 0;
};

inline mesh::Mesh meshOf(const char* text) {
  auto mesh = mesh::parseMesh(text);
  return mesh ? *mesh : mesh::Mesh{};
}

// The message of a rejection; "" if the program is accepted.
inline std::string verdict(const Net& net, const plan::Plan& plan, const SpmdProgram& spmd) {
  const Status bad = check(net.subject(), plan, spmd);
  return bad ? bad->message : "";
}

}  // namespace shardwright::spmd

// The verdict holds this text.
#define EXPECT_REJECTED(text, verdict) \
  EXPECT_TRUE((verdict).find(text) != std::string::npos) << "got `" << (verdict) << "`"
