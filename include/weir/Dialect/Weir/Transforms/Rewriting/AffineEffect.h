//===- AffineEffect.h - What steps by known values come to ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// x * c * d is x * (c * d) only while c * d is a normal number, and
// (x + c) + d is x + (c + d) only while c and d do not cancel: whoever adds and
// subtracts a large number rounds x. So steps are combined by their values.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_AFFINEEFFECT_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_AFFINEEFFECT_H

#include "weir/Dialect/Weir/Transforms/Folding/KnownValues.h"
#include "weir/Dialect/Weir/Transforms/Rewriting/AffineStep.h"

#include <functional>

namespace weir {

/// The shape of a weight in which each loop is a separate dim, and the shape of
/// a vector that scales it.
struct SplitShapes {
  llvm::SmallVector<int64_t> weight, scale;
};

/// How a vector along a dim of the result (or of one element, for -1) scales
/// the weight. Nothing if it cannot.
using MeetFn = std::function<std::optional<SplitShapes>(int64_t dim)>;

/// The scale and shift that steps come to, element by element. A step is taken
/// only if the result stays what the steps compute:
///
/// - All elements are finite. A product is a normal number, or 0 because a
///   factor is. It may be subnormal only where a factor is.
/// - Shifts of which one is written in the graph do not cancel: their sum is at
///   least as large as each of them. The shifts inside of a composite, such as
///   a batch norm, may cancel each other and, behind a weight, shifts that
///   follow.
/// - Without a weight in front, a shift that is written is not scaled, and the
///   smaller of two shifts keeps its digits in their sum.
class AffineEffect {
public:
  /// The effect of steps on values of `type` with nothing in front of them.
  AffineEffect(KnownValues &known, mlir::Type type);

  /// Lets the steps follow a sum of products, which starts with `init`; that
  /// may be null. Returns false if too little is known.
  bool startWith(mlir::Value weight, mlir::Value init, MeetFn meet);

  /// Adds `step`, if it can be. `isOwn` says whether the step is a part of a
  /// composite.
  bool take(const AffineStep &step, bool isOwn);

  /// Bounds for the weight, which a step has scaled.
  Magnitudes getScaledWeight() const;

private:
  using Elements = std::vector<double>;

  double round(double value) const;
  bool isSafe(double product, double left, double right) const;
  std::optional<Elements> multiply(const std::optional<Elements> &factor,
                                   const Elements &by, bool divides) const;
  bool scaleBy(const Elements &by, bool divides, bool isOwn);
  std::optional<Elements> add(const Elements &first,
                              const Elements &second) const;
  bool shiftBy(const Elements &by, bool isOwn);
  bool cancels(double first, double second) const;
  Magnitudes measureScale() const;
  bool fitsWeight();
  bool fitsEach() const;

  KnownValues &known;
  mlir::Type type;
  /// The least normal number of the type.
  double leastNormal;
  std::optional<Elements> scale, shift;
  /// The shift without those inside of composites.
  std::optional<Elements> written;
  /// The dim along which the steps vary, or -1.
  int64_t dim = -1;
  /// The weight in front, or null, and its magnitudes once they are known.
  mlir::Value weight;
  std::optional<Magnitudes> own;
  MeetFn meet;
  /// Whether a step of the graph, and not of a composite, is in `shift`.
  bool hasWrittenShift = false;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_AFFINEEFFECT_H
