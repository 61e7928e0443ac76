//===- Angle.cpp - Reduces angles to quarter turns --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Angle.h"

#include "Branches.h"

#include "mlir/IR/TypeUtilities.h"

#include <array>
#include <cmath>
#include <cstdint>

using namespace weir;

/// Pi/2 as the sum of three f64.
static constexpr double halfPi = 1.5707963267948966;
static constexpr double halfPiMiddle = 6.123233995736766e-17;
static constexpr double halfPiLow = -1.4973849048591833e-33;
/// The number 1.5 * 2^52. If it is added to a number, the low bits of the sum
/// are the nearest integer.
static constexpr double magic = 6755399441055744.0;

/// The binary digits of 2/pi after the point.
static constexpr uint32_t twoOverPi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08};
/// Large angles are divided by 2^scaleBits, and 2/pi is multiplied by it. So no
/// product overflows, and no relevant product underflows.
static constexpr int scaleBits = 200;

namespace {
/// A part of a turn, in quarter turns. It is the sum of the integer `whole` and
/// of two numbers. The second number is below the rounding error of the first.
struct Quarters {
  Real whole, high, low;

  explicit Quarters(const Reals &parts)
      : whole(parts[0]), high(parts[1]), low(parts[2]) {}
  Reals parts() const { return {whole, high, low}; }

  void add(Real term);

private:
  void setSum(Real a, Real b);
};
} // namespace

/// Sets `high` and `low` to the exact sum of two numbers of any sizes, by
/// Knuth's algorithm.
void Quarters::setSum(Real a, Real b) {
  high = a + b;
  Real fromB = high - a;
  low = (a - (high - fromB)) + (b - fromB);
}

void Quarters::add(Real term) {
  // Whole turns are dropped.
  term = fma(truncate(term * 0.25), -4, term);
  Real before = low;
  setSum(high, term);
  Real count = (high + magic) - magic;
  whole = whole + count;
  setSum(high - count, before + low);
}

/// The words of 2/pi as numbers.
static std::array<double, std::size(twoOverPi)> makeTable() {
  std::array<double, std::size(twoOverPi)> table;
  for (int i = 0; i < static_cast<int>(table.size()); ++i)
    table[i] = std::ldexp(twoOverPi[i], scaleBits - 32 * (i + 1));
  return table;
}

/// Reduces an angle of any size. The result is the number of quarter turns plus
/// `magic`, and the remainder. The method is from M. H. Payne and R. N. Hanek,
/// Radian reduction for trigonometric functions, 1983. It uses the first
/// `numWords` words of 2/pi. No f64 is closer than 2^-61 to a multiple of pi/2.
/// With all words, all digits of the remainder are right even for the largest
/// f64.
static Reals reduceLarge(Real x, int64_t numWords) {
  Real scaled = x * std::ldexp(1.0, -scaleBits), zero = x.like(0);
  Reals sum = forEach("weir_two_over_pi", makeTable(), numWords,
                      {zero, zero, zero}, [&](Real digits, const Reals &parts) {
                        Quarters quarters(parts);
                        Real product = scaled * digits;
                        quarters.add(product);
                        quarters.add(fma(scaled, digits, -product));
                        return quarters.parts();
                      });
  Quarters quarters(sum);
  Real rest = quarters.high * halfPi;
  Real low = fma(quarters.high, quarters.high.like(halfPi), -rest);
  low = fma(quarters.high, halfPiMiddle, low);
  low = fma(quarters.low, halfPi, low);
  return {quarters.whole + magic, rest + low};
}

/// Reduces a small angle, with a result like that of `reduceLarge`. The method
/// is from Cody and Waite.
static Reals reduceSmall(Real x) {
  Real shifted = fma(x, 0.6366197723675814, x.like(magic));
  Real count = shifted - magic;
  Real rest = fma(count, -halfPi, x);
  rest = fma(count, -halfPiMiddle, rest);
  rest = fma(count, -halfPiLow, rest);
  return {shifted, rest};
}

/// The f32 that was widened to `x`. If `x` was not widened, `x` itself.
static Real beforeWidening(Real x) {
  auto widening = x.value.getDefiningOp<mlir::arith::ExtFOp>();
  if (!widening ||
      !mlir::getElementTypeOrSelf(widening.getIn().getType()).isF32())
    return x;
  return {x.builder, widening.getIn()};
}

Angle weir::reduceAngle(Real x) {
  // For larger angles, the number of quarter turns may be wrong by 2^-13,
  // because it is computed with the f64 next to 2/pi. The f32 is compared,
  // because that takes half the work.
  constexpr double large = 0x1p40;
  Real given = beforeWidening(x);
  Mask isLarge = abs(given) >= large;
  // An f32 is below 2^128. So words behind the first 8 change the remainder by
  // less than 2^-128.
  const int64_t numWords = given.isDouble() ? std::size(twoOverPi) : 8;
  Reals small = reduceSmall(x);
  Reals reduced = ifAny(
      isLarge,
      [&] {
        Reals turned = reduceLarge(x, numWords);
        for (auto [of, instead] : llvm::zip_equal(turned, small))
          of = select(isLarge, of, instead);
        return turned;
      },
      small);
  return {toBits(reduced[0]), reduced[1]};
}
