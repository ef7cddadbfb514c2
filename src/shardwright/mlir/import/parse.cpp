#include "shardwright/mlir/import/parse.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/thread.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "shardwright/mlir/dialects/bool_constants.h"
#include "shardwright/mlir/dialects/register.h"
#include "shardwright/mlir/import/locations.h"

namespace shardwright {
namespace {

// JAX nests a few dozen levels. MLIR's parser and verifier recurse once or more per level, some
// kilobytes each (more under a sanitizer), so this many are safe on the stack below.
constexpr unsigned kDeepestNesting = 1000;
constexpr unsigned kStackBytes = 64u << 20;

constexpr llvm::StringLiteral kBytecodeMagic = "ML\xefR";

// Keeps the first error (with its notes) and swallows the rest: later ones are mostly echoes.
class FirstError {
 public:
  explicit FirstError(mlir::MLIRContext* context)
      : handler_(context, [this](mlir::Diagnostic& diagnostic) { return keep(diagnostic); }) {}

  const std::optional<Diagnostic>& get() const { return error_; }

 private:
  mlir::LogicalResult keep(mlir::Diagnostic& diagnostic) {
    if (!error_ && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
      error_ = Diagnostic{diagnostic.str(), sourceOf(diagnostic.getLocation()), {}};
      for (const mlir::Diagnostic& note : diagnostic.getNotes()) {
        error_->notes.push_back({note.str(), sourceOf(note.getLocation()), {}});
      }
    }
    return mlir::success();
  }

  std::optional<Diagnostic> error_;
  mlir::ScopedDiagnosticHandler handler_;
};

// The line of the first `array<index: …>`, 0 if there is none. No attribute has that type, and MLIR
// 22's parser crashes on it instead of saying so.
unsigned lineOfIndexArray(llvm::StringRef text) {
  constexpr llvm::StringLiteral kArray = "array";
  for (size_t at = text.find(kArray); at != llvm::StringRef::npos; at = text.find(kArray, at + 1)) {
    llvm::StringRef rest = text.drop_front(at + kArray.size()).ltrim();
    if (!rest.consume_front("<") || !rest.ltrim().starts_with("index")) continue;
    return 1 + static_cast<unsigned>(text.take_front(at).count('\n'));
  }
  return 0;
}

Status refuse(llvm::StringRef text, const std::string& name) {
  if (text.starts_with(kBytecodeMagic)) {
    return Diagnostic{
        "this is MLIR bytecode; Shardwright reads text, as `jax.jit(f).lower(…).as_text()` "
        "or `jax.export.export(…).mlir_module()` prints it",
        {name, 1, 1},
        {}};
  }
  if (text.find('\0') != llvm::StringRef::npos) {
    return Diagnostic{"this is a binary file, not the text of an MLIR module", {name, 1, 1}, {}};
  }
  if (text.trim().empty()) return Diagnostic{"the file is empty", {name, 1, 1}, {}};
  if (const unsigned line = lineOfIndexArray(text)) {
    return Diagnostic{"an array attribute cannot hold `index` elements", {name, line, 1}, {}};
  }
  const Nesting nesting = deepestNesting(text);
  if (nesting.depth > kDeepestNesting) {
    return Diagnostic{"brackets nest " + std::to_string(nesting.depth) + " deep; at most " +
                          std::to_string(kDeepestNesting) + " are read",
                      {name, nesting.line, 1},
                      {}};
  }
  return {};
}

Result<ParsedModule> parseChecked(llvm::StringRef text, const std::string& name) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  ParsedModule parsed;
  parsed.context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  parsed.context->allowUnregisteredDialects();
  FirstError firstError(parsed.context.get());
  parsed.module =
      mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(parsed.context.get()), name);
  if (parsed.module) return parsed;
  if (firstError.get()) return *firstError.get();
  return Diagnostic{"not an MLIR module", {name, 1, 1}, {}};
}

}  // namespace

Nesting deepestNesting(llvm::StringRef text) {
  Nesting deepest;
  unsigned depth = 0, line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '\n':
        ++line;
        break;
      case '"':
        for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      case '/':
        if (i + 1 < text.size() && text[i + 1] == '/') {
          while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
        }
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        if (++depth > deepest.depth) deepest = {depth, line};
        break;
      case ')':
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case '>':  // Not the arrow of a function type.
        if (depth > 0 && (i == 0 || text[i - 1] != '-')) --depth;
        break;
      default:
        break;
    }
  }
  return deepest;
}

void runWithLargeStack(llvm::function_ref<void()> work) {
  llvm::thread thread(std::optional<unsigned>(kStackBytes), [&] { work(); });
  thread.join();
}

Result<ParsedModule> parseModule(llvm::StringRef text, const std::string& name) {
  if (Status refusal = refuse(text, name)) return *refusal;
  std::optional<Result<ParsedModule>> result;
  const std::string readable = packBoolConstants(text);
  runWithLargeStack([&] { result = parseChecked(readable, name); });
  return std::move(*result);
}

Result<std::string> readInput(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                                   /*RequiresNullTerminator=*/false);
  if (!buffer)
    return Diagnostic{"cannot read `" + path + "`: " + buffer.getError().message(), {}, {}};
  return (*buffer)->getBuffer().str();
}

}  // namespace shardwright
