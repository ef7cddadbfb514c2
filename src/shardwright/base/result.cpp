#include "shardwright/base/result.h"

namespace shardwright {

std::string SourceLocation::str() const {
  if (line == 0) return file;
  std::string text = file + ":" + std::to_string(line);
  if (column != 0) text += ":" + std::to_string(column);
  return text;
}

namespace {

void append(const Diagnostic& diagnostic, const char* severity, std::string& text) {
  const std::string where = diagnostic.location.str();
  if (!where.empty()) text += where + ": ";
  text += severity + diagnostic.message;
  for (const Diagnostic& note : diagnostic.notes) {
    text += "\n";
    append(note, "note: ", text);
  }
}

}  // namespace

std::string Diagnostic::str() const {
  std::string text;
  append(*this, "error: ", text);
  return text;
}

}  // namespace shardwright
