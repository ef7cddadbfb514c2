// Quantities with units, so that bytes are not added to seconds.
#pragma once

#include <compare>
#include <cstdint>

namespace shardwright::cost {

// A number and what it counts. Quantities of one kind add, subtract and compare; a plain number
// scales them. `Seconds{1.5}`, `Bytes{1 << 20}`, `Seconds{2} * 3`.
template <typename Tag, typename Number>
struct Quantity {
  Number value{};

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const { return {value + other.value}; }
  constexpr Quantity operator-(Quantity other) const { return {value - other.value}; }
  constexpr Quantity operator*(Number factor) const { return {value * factor}; }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }
};

struct BytesTag;
struct SecondsTag;
struct FlopsTag;
struct BytesPerSecondTag;
struct FlopsPerSecondTag;

using Bytes = Quantity<BytesTag, int64_t>;
using Seconds = Quantity<SecondsTag, double>;
using Flops = Quantity<FlopsTag, double>;  // Floating-point operations, a multiply-add being two.
using BytesPerSecond = Quantity<BytesPerSecondTag, double>;
using FlopsPerSecond = Quantity<FlopsPerSecondTag, double>;

//   Bytes{3'000} / BytesPerSecond{1e3} = 3 s
constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) {
  return {static_cast<double>(bytes.value) / rate.value};
}
constexpr Seconds operator/(Flops flops, FlopsPerSecond rate) { return {flops.value / rate.value}; }

}  // namespace shardwright::cost
