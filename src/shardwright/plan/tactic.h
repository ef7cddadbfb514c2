// Tactics: named producers of decisions. Each builds on what those before it settled.
//
//   shard(PATTERN:DIM, AXIS)      the colours that these argument dims show join the axis's list;
//                                 AXIS+AXIS, in the order of the mesh: the lists of both
//   pin(PATTERN, SPEC)            an explicit layout of arguments or results; SPEC is `replicated`
//                                 or one entry per dim: `[data, -, model+tensor]`
//   dp(AXIS)                      data parallelism: the leading dim of the inputs
//   megatron(AXIS)                weights in column-then-row pairs: heads, ff, …
//   sequence(AXIS[, query|key])   the sequence, for attention on the query side or on the key side
//   zero3(AXIS)                   (FSDP) batch, then dims that cover parameters and optimizer state
//   zero2(AXIS)                   the same with the parameters whole along AXIS between steps
//   vocab(AXIS)                   the vocabulary of embedding and logits
//   expert(AXIS)                  the experts of a mixture
//   turn(PATTERN:DIM, PATTERN:DIM, AXIS)
//                                 where the two meet on the axis, the first wins
//   auto(AXIS, …)                 search; needs a callback
//   remake(GAP)                   gathered copies are made again when GAP ops lie between uses
//
// The named strategies find their dims from the structure of the program (structure.h), say in
// words what they took, and take patterns instead when given: `dp(data, tokens*:0)`. The patterns
// of zero2 and zero3 name the batch if they name an input. In doubt strategies fail with a
// diagnostic that names the candidates. Patterns: pattern.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/base/result.h"
#include "shardwright/plan/names.h"
#include "shardwright/plan/op_patterns.h"
#include "shardwright/plan/plan.h"
#include "shardwright/plan/structure.h"

namespace shardwright::plan {

enum class TacticKind : uint8_t {
  kShard,
  kPin,
  kDataParallel,
  kMegatron,
  kSequence,
  kZero2,
  kZero3,
  kVocabulary,
  kExpert,
  kTurn,
  kAuto,
  kRemake,
};

// `batch*:0`; `*w:-1` is the last dim of each argument that matches.
struct DimPattern {
  std::string path;
  int32_t dim = 0;
  bool operator==(const DimPattern&) const = default;
};

// `replicated`, for values of any rank, or the names of the axes of each dim, and which are open.
struct PinSpec {
  bool replicated = false;
  std::vector<std::vector<std::string>> dims;
  std::vector<bool> open;
  bool operator==(const PinSpec&) const = default;
};

// Which side of attention the sequence is split on.
enum class Side : uint8_t { kQuery, kKey };

struct Tactic {
  TacticKind kind = TacticKind::kShard;
  std::string text;  // As written.
  std::vector<std::string> axes;
  std::vector<DimPattern> dims;
  std::string pinned;  // kPin: the pattern.
  PinSpec spec;        // kPin.
  std::optional<Side> side;
  uint32_t gap = 0;
};

// `megatron(model)`. Axes and patterns are looked up when the tactic is applied.
//   parseTactic("shard(batch*:0)") fails: "tactic `shard(batch*:0)`: shard takes PATTERN:DIM, AXIS"
Result<Tactic> parseTactic(std::string_view text);

// A plan and how it came about.
struct TacticOutcome {
  Plan plan;
  std::vector<std::string> tactics;  // As written,
  std::vector<std::string> words;    // and what each of them took.
  std::vector<std::string> notes;    // What could not be taken and why.
  // Columns of weights that are left whole since dims that are cut out of them are split.
  std::vector<analysis::ColorId> cut = {};
};

// Adds decisions for the axes (numbers in the plan's mesh) to a plan, and says in words which.
using AutoSearch = std::function<Result<std::string>(const Subject&, Plan& plan,
                                                     const std::vector<uint32_t>& axes)>;

struct TacticOptions {
  bool keepStated = true;  // Shardings that the module states become pins.
  AutoSearch search;       // For auto(…).
  bool words = true;       // Else TacticOutcome::words name no colours: making names takes time.
};

// What tactics look up in a program. Whoever applies many schedules to one program makes it once.
struct TacticTables {
  explicit TacticTables(const Subject& subject)
      : structure(subject),
        names(subject.program, subject.rules, subject.analysis),
        patterns(subject),
        nextValues(stateResults(subject)) {}
  Structure structure;
  AnalysisNames names;
  OpPatterns patterns;
  std::vector<std::optional<uint32_t>> nextValues;  // Per argument.
};

// Applies tactics in order. Diagnostics name tactic, argument, dim, axis and sizes:
//   unknown axis; pattern that matches nothing; dim out of range; dim that the axis does not
//   divide; tactics that contradict each other (one dim pinned two ways, a colour given twice to
//   one axis, a pin against a shard).
Result<TacticOutcome> applyTactics(const Subject& subject, const mesh::Mesh& mesh,
                                   const std::vector<Tactic>& tactics,
                                   const TacticOptions& options = {});
Result<TacticOutcome> applyTactics(const Subject& subject, const TacticTables& tables,
                                   const mesh::Mesh& mesh, const std::vector<Tactic>& tactics,
                                   const TacticOptions& options = {});

// The shardings that the module states, as pins: of arguments, results and values inside. Axes are
// matched by name and size. Open dims are open in the pin; a sharding that states no axis and is
// open throughout is no pin. Sub-axes, unreduced axes and other meshes are refused.
struct StatedPin {
  Pin pin;
  // "argument `x`", "the value of dot_general at model.py:3:7". Empty if the sharding is of a mesh
  // without axes: nobody wrote it, JAX says so of the words that make up a random key.
  std::string what;
};
Result<std::vector<StatedPin>> statedPins(const Subject& subject, const mesh::Mesh& mesh);

// `[data, -, model+tensor]`; `replicated` for no axes at all.
std::string specText(const mesh::Mesh& mesh, const std::vector<mesh::AxisList>& dims);
// The same with the open dims of a pin: `[?, model+?, -]`.
std::string specText(const mesh::Mesh& mesh, const Pin& pin);
// The inverse; axes are looked up by resolveSpec.
Result<PinSpec> parseSpec(std::string_view text);
// The axis lists of a spec for a value of this rank; dims that the spec leaves out at its end are
// whole. Diagnostics: unknown axis, a spec of more dims.
Result<std::vector<mesh::AxisList>> resolveSpec(const mesh::Mesh& mesh, const PinSpec& spec,
                                                size_t rank);
// The number of an axis; the diagnostic lists the axes there are.
Result<uint32_t> axisNumber(const mesh::Mesh& mesh, std::string_view name);

}  // namespace shardwright::plan
