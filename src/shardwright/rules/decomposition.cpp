// How much arithmetic the routines of linear algebra do. Libraries' calls carry a sharding rule of
// JAX's, or none; what they compute is known by their names alone.
#include <algorithm>
#include <optional>
#include <string>

#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// One of the matrices that are decomposed, and what else a count depends on.
struct Sizes {
  double rows = 0, columns = 0;
  double others = 0;  // Right-hand sides, or reflectors.

  double least() const { return std::min(rows, columns); }
};

double cubed(double n) { return n * n * n; }

// Of `steps` eliminations, each updates what is left of the matrix: 2 per element.
double eliminations(double rows, double columns, double steps) {
  return 2 * (rows * columns * steps - (rows + columns) * steps * steps / 2 + cubed(steps) / 3);
}

double lu(const Sizes& s) { return eliminations(s.rows, s.columns, s.least()); }
double qr(const Sizes& s) { return 2 * lu(s); }
double reflectors(const Sizes& s) { return 2 * eliminations(s.rows, s.columns, s.others); }
double triangular(const Sizes& s) { return s.columns * s.columns * s.others; }

// Routines that iterate: so many times rows x columns x the lesser of them.
template <int kTimes>
double times(const Sizes& s) {
  return kTimes * s.rows * s.columns * s.least();
}

template <int kNumerator>
double thirds(const Sizes& s) {
  return kNumerator * cubed(s.columns) / 3;
}

struct Routine {
  std::string_view name;
  double (*flops)(const Sizes&);
};

// By the names of XLA's own calls and of LAPACK's routines without the letter of the type, as
// cuSOLVER has them too. Where cuSOLVER's is another algorithm or runs far below the rate of
// arithmetic, it stands here with its library: those counts are what fits the time on an H200
// (docs/rules.md). Sorted by name.
constexpr Routine kRoutines[] = {
    {"Cholesky", thirds<1>},
    {"Eigh", times<100>},
    {"LuDecomposition", lu},
    {"ProductOfElementaryHouseholderReflectors", reflectors},
    {"Qr", qr},
    {"cuhybrid_eig_comp", times<25>},
    {"cuhybrid_eig_real", times<25>},
    {"cusolver_gesvd", times<800>},
    {"cusolver_gesvdj", times<800>},
    {"cusolver_gesvdp", times<800>},
    {"cusolver_syevd", times<30>},
    {"gees", times<25>},
    {"geev", times<25>},
    {"gehrd", thirds<10>},
    {"geqp3", qr},
    {"geqrf", qr},
    {"gesdd", times<20>},
    {"gesvd", times<20>},
    {"getrf", lu},
    {"heevd", times<9>},
    {"hetrd", thirds<4>},
    {"orgqr", reflectors},
    {"potrf", thirds<1>},
    {"syevd", times<9>},
    {"sytrd", thirds<4>},
    {"trsm", triangular},
    {"ungqr", reflectors},
};
static_assert(std::is_sorted(std::begin(kRoutines), std::end(kRoutines),
                             [](const Routine& a, const Routine& b) { return a.name < b.name; }));

const Routine* find(std::string_view name) {
  const Routine* found =
      std::lower_bound(std::begin(kRoutines), std::end(kRoutines), name,
                       [](const Routine& r, std::string_view n) { return r.name < n; });
  return found != std::end(kRoutines) && found->name == name ? found : nullptr;
}

// Cuts `start` off; false if the text begins otherwise.
bool cut(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

// The routine that `stablehlo.custom_call:lapack_spotrf_ffi` calls is potrf.
const Routine* routineOf(std::string_view opName) {
  std::string_view name = opName;
  if (!cut(name, "stablehlo.custom_call:")) return nullptr;
  if (name.ends_with("_ffi")) name.remove_suffix(4);
  if (cut(name, "lapack_")) return name.empty() ? nullptr : find(name.substr(1));
  if (cut(name, "hipsolver_") || cut(name, "cusolver_")) {
    const Routine* own = find("cusolver_" + std::string(name));
    return own != nullptr ? own : find(name);
  }
  return find(name);
}

// Operand 0 holds the matrices; operand 1, if there is one, the right-hand sides or the reflectors.
std::optional<Sizes> sizesOf(const OpView& view, const Routine& routine) {
  const bool solves = routine.flops == triangular, multiplies = routine.flops == reflectors;
  if (view.operandCount() < (solves || multiplies ? 2u : 1u)) return std::nullopt;
  const auto shape = view.operandShape(0);
  if (shape.size() < 2) return std::nullopt;
  Sizes sizes{static_cast<double>(shape[shape.size() - 2]), static_cast<double>(shape.back())};
  if (solves && sizes.columns > 0) {
    sizes.others = productOf(view.operandShape(1)) /
                   (sizes.columns * productOf(shape.first(shape.size() - 2)));
  }
  if (multiplies && !view.operandShape(1).empty()) {
    sizes.others = static_cast<double>(view.operandShape(1).back());
  }
  return sizes;
}

}  // namespace

double decompositionFlops(const OpView& view) {
  const Routine* routine = routineOf(view.name());
  if (routine == nullptr) return 0;
  const std::optional<Sizes> sizes = sizesOf(view, *routine);
  if (!sizes) return 0;
  const auto shape = view.operandShape(0);
  const double flops = productOf(shape.first(shape.size() - 2)) * routine->flops(*sizes);
  return std::max(0.0, flops * multiplyAddFlops(view.dtype(0)) / 2);
}

}  // namespace shardwright::rules
