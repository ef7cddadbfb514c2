// Reads tactics and pin specs.
#include <algorithm>
#include <charconv>

#include "shardwright/plan/tactic.h"

namespace shardwright::plan {
namespace {

Diagnostic error(std::string message) { return {std::move(message), {}, {}}; }

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

// Splits at commas that stand outside brackets and quotes. Empty text has no parts.
std::vector<std::string_view> splitParts(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trim(text).empty()) return parts;
  int depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

template <typename Number>
std::optional<Number> readNumber(std::string_view text) {
  Number number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

// `batch*:0`; nothing if it does not end in `:NUMBER`.
std::optional<DimPattern> readDimPattern(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  const auto dim = readNumber<int32_t>(trim(text.substr(colon + 1)));
  const std::string_view path = trim(text.substr(0, colon));
  if (!dim || path.empty()) return {};
  return DimPattern{std::string(path), *dim};
}

bool isIdentifier(std::string_view text) {
  const auto isWord = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, isWord);
}

// "data+model".
std::optional<std::vector<std::string>> readAxes(std::string_view text) {
  std::vector<std::string> axes;
  while (true) {
    const size_t plus = std::min(text.find('+'), text.size());
    const std::string_view name = trim(text.substr(0, plus));
    if (!isIdentifier(name)) return {};
    axes.emplace_back(name);
    if (plus == text.size()) return axes;
    text = text.substr(plus + 1);
  }
}

struct Form {
  const char* name;
  TacticKind kind;
  const char* takes;  // For messages.
};

constexpr Form kForms[] = {
    {"shard", TacticKind::kShard, "PATTERN:DIM, AXIS[+AXIS…]"},
    {"pin", TacticKind::kPin, "PATTERN, replicated or PATTERN, [AXIS+AXIS, -, …]"},
    {"dp", TacticKind::kDataParallel, "AXIS[, PATTERN:DIM…]"},
    {"megatron", TacticKind::kMegatron, "AXIS[, PATTERN:DIM…]"},
    {"sequence", TacticKind::kSequence, "AXIS[, query|key][, PATTERN:DIM…]"},
    {"zero2", TacticKind::kZero2, "AXIS[, PATTERN:DIM…]"},
    {"zero3", TacticKind::kZero3, "AXIS[, PATTERN:DIM…]"},
    {"vocab", TacticKind::kVocabulary, "AXIS[, PATTERN:DIM…]"},
    {"expert", TacticKind::kExpert, "AXIS[, PATTERN:DIM…]"},
    {"turn", TacticKind::kTurn, "PATTERN:DIM, PATTERN:DIM, AXIS"},
    {"auto", TacticKind::kAuto, "AXIS[, AXIS…]"},
    {"remake", TacticKind::kRemake, "a number of ops"},
};

const Form* findForm(std::string_view name) {
  const auto found = std::ranges::find(kForms, name, &Form::name);
  return found == std::end(kForms) ? nullptr : found;
}

std::string formNames() {
  std::string names;
  for (const Form& form : kForms) names += (names.empty() ? "" : ", ") + std::string(form.name);
  return names;
}

class Parser {
 public:
  Parser(std::string_view text, const Form& form, std::vector<std::string_view> parts)
      : form_(form), parts_(std::move(parts)) {
    tactic_.kind = form.kind;
    tactic_.text = std::string(text);
  }

  Result<Tactic> run() {
    bool good = false;
    switch (form_.kind) {
      case TacticKind::kShard:
        good = patternsThenAxis(1);
        break;
      case TacticKind::kTurn:
        good = patternsThenAxis(2);
        break;
      case TacticKind::kPin:
        return pin();
      case TacticKind::kAuto:
        good = onlyAxes();
        break;
      case TacticKind::kRemake:
        good = gap();
        break;
      default:
        good = axisThenPatterns();
        break;
    }
    return good ? Result<Tactic>(std::move(tactic_)) : bad();
  }

 private:
  Diagnostic bad(const std::string& why = "") const {
    return error("tactic `" + tactic_.text + "`: " + form_.name + " takes " + form_.takes +
                 (why.empty() ? "" : "; " + why));
  }

  bool axis(std::string_view text) {
    if (isIdentifier(text)) tactic_.axes.emplace_back(text);
    return isIdentifier(text);
  }

  bool pattern(std::string_view text) {
    std::optional<DimPattern> dim = readDimPattern(text);
    if (dim) tactic_.dims.push_back(std::move(*dim));
    return dim.has_value();
  }

  bool patternsThenAxis(size_t patterns) {
    if (parts_.size() != patterns + 1) return false;
    for (size_t i = 0; i < patterns; ++i) {
      if (!pattern(parts_[i])) return false;
    }
    return form_.kind == TacticKind::kShard ? joinedAxes(parts_.back()) : axis(parts_.back());
  }

  bool joinedAxes(std::string_view text) {
    std::optional<std::vector<std::string>> axes = readAxes(text);
    if (axes) tactic_.axes = std::move(*axes);
    return axes.has_value();
  }

  bool axisThenPatterns() {
    if (parts_.empty() || !axis(parts_[0])) return false;
    for (size_t i = 1; i < parts_.size(); ++i) {
      if (!side(parts_[i]) && !pattern(parts_[i])) return false;
    }
    return true;
  }

  bool side(std::string_view text) {
    const bool named = text == "query" || text == "key";
    if (form_.kind != TacticKind::kSequence || !named || tactic_.side) return false;
    tactic_.side = text == "query" ? Side::kQuery : Side::kKey;
    return true;
  }

  bool onlyAxes() {
    return !parts_.empty() &&
           std::ranges::all_of(parts_, [&](std::string_view part) { return axis(part); });
  }

  bool gap() {
    const std::optional<uint32_t> number =
        parts_.size() == 1 ? readNumber<uint32_t>(parts_[0]) : std::nullopt;
    tactic_.gap = number.value_or(0);
    return number.has_value();
  }

  Result<Tactic> pin() {
    if (parts_.size() != 2 || parts_[0].empty()) return bad();
    tactic_.pinned = std::string(parts_[0]);
    Result<PinSpec> spec = parseSpec(parts_[1]);
    if (!spec) return bad(spec.error().message);
    tactic_.spec = std::move(*spec);
    return std::move(tactic_);
  }

  const Form& form_;
  std::vector<std::string_view> parts_;
  Tactic tactic_;
};

}  // namespace

Result<Tactic> parseTactic(std::string_view text) {
  text = trim(text);
  const size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') {
    return error("tactic `" + std::string(text) + "`: expected NAME(…), as in dp(data)");
  }
  const std::string_view name = trim(text.substr(0, open));
  const Form* form = findForm(name);
  if (form == nullptr) {
    return error("tactic `" + std::string(text) + "`: there is no tactic `" + std::string(name) +
                 "`; there are " + formNames());
  }
  return Parser(text, *form, splitParts(text.substr(open + 1, text.size() - open - 2))).run();
}

Result<PinSpec> parseSpec(std::string_view text) {
  text = trim(text);
  PinSpec spec;
  if (text == "replicated") {
    spec.replicated = true;
    return spec;
  }
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    return error("`" + std::string(text) +
                 "` is neither `replicated` nor a list such as [data, -]");
  }
  for (const std::string_view part : splitParts(text.substr(1, text.size() - 2))) {
    const bool open = part == "?" || part.ends_with("+?");
    std::string_view named = part;
    if (open) named.remove_suffix(std::min<size_t>(part.size(), 2));
    std::optional<std::vector<std::string>> axes =
        part == "-" || part == "?" ? std::vector<std::string>() : readAxes(named);
    if (!axes) {
      return error("`" + std::string(part) + "` in `" + std::string(text) +
                   "` is neither an axis, nor axes joined by +, nor -, nor ?");
    }
    spec.dims.push_back(std::move(*axes));
    spec.open.push_back(open);
  }
  return spec;
}

Result<uint32_t> axisNumber(const mesh::Mesh& mesh, std::string_view name) {
  const uint32_t axis = mesh::findAxis(mesh, name);
  if (axis != mesh::kMostAxes) return axis;
  return error("the mesh has no axis `" + std::string(name) + "`; it is " + mesh::str(mesh));
}

Result<std::vector<mesh::AxisList>> resolveSpec(const mesh::Mesh& mesh, const PinSpec& spec,
                                                size_t rank) {
  std::vector<mesh::AxisList> dims(rank);
  if (spec.replicated) return dims;
  if (spec.dims.size() > rank) {
    return error("it has " + std::to_string(rank) + " dims, the spec " +
                 std::to_string(spec.dims.size()));
  }
  mesh::AxisSet seen;
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    for (const std::string& name : spec.dims[i]) {
      const Result<uint32_t> axis = axisNumber(mesh, name);
      if (!axis) return axis.error();
      if (seen.contains(*axis)) return error("the spec names axis `" + name + "` twice");
      seen.add(*axis);
      dims[i].append(*axis);
    }
  }
  return dims;
}

std::string specText(const mesh::Mesh& mesh, const std::vector<mesh::AxisList>& dims) {
  std::string text;
  bool any = false;
  for (const mesh::AxisList axes : dims) {
    any = any || !axes.empty();
    text += (text.empty() ? "" : ", ") + (axes.empty() ? "-" : mesh::str(mesh, axes));
  }
  return any ? "[" + text + "]" : "replicated";
}

std::string specText(const mesh::Mesh& mesh, const Pin& pin) {
  if (std::ranges::none_of(pin.open, [](bool open) { return open; }))
    return specText(mesh, pin.dims);
  std::string text;
  for (size_t d = 0; d < pin.dims.size(); ++d) {
    const std::string axes = pin.dims[d].empty() ? "" : mesh::str(mesh, pin.dims[d]);
    const std::string more = axes.empty() ? "?" : "+?";
    text += (d == 0 ? "" : ", ") + (pin.isOpen(d) ? axes + more : axes.empty() ? "-" : axes);
  }
  return "[" + text + "]";
}

}  // namespace shardwright::plan
