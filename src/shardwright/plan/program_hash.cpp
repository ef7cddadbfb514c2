#include <cstdio>

#include "shardwright/base/interner.h"
#include "shardwright/plan/plan_file.h"

namespace shardwright::plan {
namespace {

using program::OpId;
using program::Program;

void addText(std::string_view text, std::vector<uint64_t>& words) {
  words.push_back(text.size());
  for (const char c : text) words.push_back(static_cast<unsigned char>(c));
}

void addType(const Program& program, program::TypeId type, std::vector<uint64_t>& words) {
  words.push_back(static_cast<uint64_t>(program.types().dtype(type)));
  words.push_back(program.types().shape(type).size());
  for (const int64_t size : program.types().shape(type))
    words.push_back(static_cast<uint64_t>(size));
}

uint64_t signatureHash(const Program& program, program::SignatureId id) {
  std::vector<uint64_t> words;
  addText(program.name(id), words);
  encode(program.attributes(id), words);
  words.push_back(program.operandTypes(id).size());
  for (const program::TypeId type : program.operandTypes(id)) addType(program, type, words);
  for (const program::TypeId type : program.resultTypes(id)) addType(program, type, words);
  return hashWords(words);
}

void addRegions(const Program& program, std::vector<uint64_t>& words) {
  for (uint32_t i = 0; i < program.regionCount(); ++i) {
    const program::Region& region = program.region(program::RegionId(i));
    words.push_back(static_cast<uint64_t>(region.kind));
    words.push_back(region.begin.index());
    words.push_back(region.end.index());
    for (const program::ValueId value : region.yields) words.push_back(value.index());
  }
}

void addAliases(const Program& program, std::vector<uint64_t>& words) {
  for (const program::Argument& argument : program.arguments())
    words.push_back(argument.aliasedResult ? *argument.aliasedResult + uint64_t{1} : 0);
}

// What an op is but for its sizes: which dims it ties, sums over and needs whole.
uint64_t shapelessHash(const Subject& subject, program::SignatureId id) {
  const rules::Rule& rule = subject.rules.rule(id);
  std::vector<uint64_t> words;
  addText(subject.program.name(id), words);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    words.push_back(static_cast<uint64_t>(rule.factor(rules::FactorId(f)).kind));
    words.push_back(rule.canSplit(rules::FactorId(f)) ? 1 : 0);
  }
  for (size_t tensor = 0; tensor < rule.tensorCount(); ++tensor) {
    words.push_back(rule.rank(tensor));
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      words.push_back(rule.dim(tensor, d).size());
      for (const rules::FactorId factor : rule.dim(tensor, d)) words.push_back(factor.index());
    }
  }
  return hashWords(words);
}

void addColors(const Subject& subject, OpId op, std::vector<uint64_t>& words) {
  for (uint32_t f = 0; f < subject.rule(op).factorCount(); ++f) {
    const analysis::ColorId color = subject.analysis.color({op, rules::FactorId(f)});
    words.push_back(color.valid() ? color.index() + uint64_t{1} : 0);
  }
}

}  // namespace

uint64_t programHash(const Program& program) {
  std::vector<uint64_t> signatures, words;
  for (uint32_t i = 0; i < program.signatureCount(); ++i)
    signatures.push_back(signatureHash(program, program::SignatureId(i)));
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    words.push_back(signatures[program.op(OpId(i)).signature.index()]);
    for (const program::ValueId operand : program.operands(OpId(i)))
      words.push_back(operand.index());
  }
  addRegions(program, words);
  addAliases(program, words);
  return hashWords(words);
}

uint64_t structureHash(const Subject& subject) {
  const Program& program = subject.program;
  std::vector<uint64_t> signatures, words;
  for (uint32_t i = 0; i < program.signatureCount(); ++i)
    signatures.push_back(shapelessHash(subject, program::SignatureId(i)));
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    words.push_back(signatures[program.op(OpId(i)).signature.index()]);
    for (const program::ValueId operand : program.operands(OpId(i)))
      words.push_back(operand.index());
    addColors(subject, OpId(i), words);
  }
  for (const analysis::Conflict& conflict : subject.analysis.conflicts()) {
    words.insert(words.end(), {conflict.op.index(), conflict.first.index(), conflict.second.index(),
                               conflict.set.index()});
  }
  addRegions(program, words);
  addAliases(program, words);
  return hashWords(words);
}

std::string hashText(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace shardwright::plan
