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
  for (const program::Argument& argument : program.arguments())
    words.push_back(argument.aliasedResult ? *argument.aliasedResult + uint64_t{1} : 0);
  return hashWords(words);
}

}  // namespace shardwright::plan
