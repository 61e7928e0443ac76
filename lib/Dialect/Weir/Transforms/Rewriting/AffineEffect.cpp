//===- AffineEffect.cpp - What steps by known values come to ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Rewriting/AffineEffect.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <cmath>

using namespace mlir;
using namespace weir;

using Kind = AffineStep::Kind;

/// The largest ratio of two shifts whose sum keeps enough digits of the smaller
/// one.
static constexpr double mostRatio = 32;

AffineEffect::AffineEffect(KnownValues &known, Type type)
    : known(known), type(type), leastNormal(getLeastNormal(type)) {}

bool AffineEffect::startWith(Value inFront, Value init, MeetFn meetWeight) {
  weight = inFront;
  meet = std::move(meetWeight);
  if (init)
    shift = written = known.getElements(init);
  return !init || shift;
}

/// `value` rounded to the element type.
double AffineEffect::round(double value) const {
  return type.isF32() ? static_cast<float>(value) : value;
}

bool AffineEffect::isSafe(double product, double left, double right) const {
  if (!std::isfinite(product))
    return false;
  auto isTiny = [&](double element) { return std::abs(element) < leastNormal; };
  return !isTiny(product) || isTiny(left) || isTiny(right);
}

/// Calls `combine` for each pair of elements of two vectors, until a call
/// returns false. Returns whether all pairs were combined. One vector may have
/// a single element, which is paired with all elements of the other vector.
template <typename Fn>
static bool pairUp(const std::vector<double> &left,
                   const std::vector<double> &right, Fn combine) {
  const size_t count = std::max(left.size(), right.size());
  if ((left.size() != count && left.size() != 1) ||
      (right.size() != count && right.size() != 1))
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!combine(left[left.size() == 1 ? 0 : i],
                 right[right.size() == 1 ? 0 : i]))
      return false;
  return true;
}

/// `factor` multiplied or divided by `by`; nothing if a product or quotient is
/// not safe. An absent factor is 1.
std::optional<AffineEffect::Elements>
AffineEffect::multiply(const std::optional<Elements> &factor,
                       const Elements &by, bool divides) const {
  Elements products;
  const bool isSafeProduct = pairUp(
      factor ? *factor : Elements{1}, by, [&](double left, double right) {
        products.push_back(round(divides ? left / right : left * right));
        return isSafe(products.back(), left, right);
      });
  return isSafeProduct ? std::optional(std::move(products)) : std::nullopt;
}

Magnitudes AffineEffect::measureScale() const {
  Magnitudes found;
  for (double element : scale ? *scale : Elements{1})
    found.add(element, leastNormal);
  return found;
}

Magnitudes AffineEffect::getScaledWeight() const {
  const Magnitudes factor = measureScale();
  return {own->least * factor.least, own->most * factor.most};
}

/// Whether all products of the weight and the scale are safe. Usually the
/// extremes of both suffice to decide this.
bool AffineEffect::fitsWeight() {
  // The weight is measured only when it is needed, because a measurement may
  // read a large file.
  if (!own)
    own = known.measure(weight);
  if (!own)
    return false;
  const Magnitudes products = getScaledWeight();
  const bool isSmallEnough = std::isfinite(round(products.most));
  return (isSmallEnough && products.least >= leastNormal) || fitsEach();
}

/// Whether all products of the weight and the scale are safe. Computes each
/// product.
bool AffineEffect::fitsEach() const {
  const auto shapes = meet(scale->size() == 1 ? -1 : dim);
  const std::optional<TensorBytes> bytes = known.view(weight);
  if (!shapes || !bytes)
    return false;
  const DType element = *toDType(type);
  const int64_t count = getTensorType(weight).getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    // A dim of the scale has size 1 if the scale does not vary along that dim.
    int64_t rest = i, at = 0, stride = 1;
    for (size_t d = shapes->weight.size(); d-- > 0;) {
      if (shapes->scale[d] != 1)
        at += rest % shapes->weight[d] * stride;
      rest /= shapes->weight[d];
      stride *= shapes->scale[d];
    }
    const double factor = (*scale)[static_cast<size_t>(at)];
    const double value = loadFloat(element, bytes->data(), i);
    if (!isSafe(round(value * factor), value, factor))
      return false;
  }
  return true;
}

bool AffineEffect::scaleBy(const Elements &by, bool divides, bool isOwn) {
  if (!weight && shift && (!isOwn || hasWrittenShift))
    return false;
  std::optional<Elements> scaled = multiply(scale, by, divides);
  std::optional<Elements> moved, movedWritten;
  if (shift)
    moved = multiply(shift, by, divides);
  if (written)
    movedWritten = multiply(written, by, divides);
  if (!scaled || (shift && !moved) || (written && !movedWritten))
    return false;
  std::swap(scale, scaled);
  if (weight && !fitsWeight()) {
    std::swap(scale, scaled);
    return false;
  }
  shift = std::move(moved);
  written = std::move(movedWritten);
  return true;
}

/// Whether the sum of two shifts loses digits that adding them one after the
/// other keeps.
bool AffineEffect::cancels(double first, double second) const {
  const double larger = std::max(std::abs(first), std::abs(second));
  const double smaller = std::min(std::abs(first), std::abs(second));
  if (std::abs(round(first + second)) < larger)
    return true;
  return !weight && smaller != 0 && larger > mostRatio * smaller;
}

/// The sums of the elements of two vectors; nothing if a sum is not finite.
std::optional<AffineEffect::Elements>
AffineEffect::add(const Elements &first, const Elements &second) const {
  Elements sums;
  const bool areFinite = pairUp(first, second, [&](double left, double right) {
    sums.push_back(round(left + right));
    return std::isfinite(sums.back());
  });
  return areFinite ? std::optional(std::move(sums)) : std::nullopt;
}

bool AffineEffect::shiftBy(const Elements &by, bool isOwn) {
  const Elements none = {0};
  const Elements &all = shift ? *shift : none;
  const Elements &kept = written ? *written : none;
  std::optional<Elements> sums = add(all, by), writtenSums;
  if (!isOwn)
    writtenSums = add(kept, by);
  if (!sums || (!isOwn && !writtenSums))
    return false;
  const bool mayCancel = isOwn && !hasWrittenShift;
  const bool isBehindWeight = weight && !isOwn;
  if (!mayCancel && !pairUp(isBehindWeight ? kept : all, by,
                            [&](double first, double second) {
                              return !cancels(first, second);
                            }))
    return false;
  shift = std::move(sums);
  if (!isOwn)
    written = std::move(writtenSums);
  hasWrittenShift |= !isOwn;
  return true;
}

bool AffineEffect::take(const AffineStep &step, bool isOwn) {
  std::optional<Elements> by = known.getElements(step.by);
  if (!by)
    return false;
  dim = std::max(dim, step.dim);
  switch (step.kind) {
  case Kind::Sub:
    for (double &element : *by)
      element = -element;
    return shiftBy(*by, isOwn);
  case Kind::Add:
    return shiftBy(*by, isOwn);
  case Kind::Mul:
  case Kind::Div:
    return scaleBy(*by, step.kind == Kind::Div, isOwn);
  }
  llvm_unreachable("a kind of step");
}
