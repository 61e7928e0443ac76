//===- AffineEffect.h - What steps by known values come to ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// x * c * d equals x * (c * d) only if c * d is a normal number. (x + c) + d
// equals x + (c + d) only if c and d do not cancel, because adding and
// subtracting a large number rounds x. So whether steps can be combined depends
// on their values.
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

/// Finds the shapes in which a vector along dim `dim` of the result can scale
/// the weight. For -1, the vector has one element. Nothing if it cannot scale
/// the weight.
using MeetFn = std::function<std::optional<SplitShapes>(int64_t dim)>;

/// The combined scale and shift of several steps, element by element. A step is
/// taken only if the result remains what the steps compute:
///
/// - All elements are finite. A product is a normal number, unless a factor is
///   not: it may be 0 if a factor is 0, and subnormal if a factor is subnormal.
/// - Shifts do not cancel if at least one of them is written in the graph:
///   their sum is at least as large as each of them. Shifts inside of a
///   composite, such as a batch norm, may cancel each other. After a weight,
///   they may also cancel later shifts.
/// - Without a weight before the steps, a written shift is not scaled, and the
///   smaller of two shifts keeps its digits in their sum.
class AffineEffect {
public:
  /// The effect of steps on values of `type`, with no weight before them.
  AffineEffect(KnownValues &known, mlir::Type type);

  /// Puts a sum of products before the steps. It starts with `init`, which may
  /// be null. Returns false if too little is known.
  bool startWith(mlir::Value weight, mlir::Value init, MeetFn meet);

  /// Adds `step` if possible, and returns whether it did. `isOwn` says whether
  /// the step is part of a composite.
  bool take(const AffineStep &step, bool isOwn);

  /// Bounds for the scaled weight.
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
  /// The part of `shift` that comes from steps outside of composites.
  std::optional<Elements> written;
  /// The dim along which the steps vary, or -1.
  int64_t dim = -1;
  /// The weight before the steps, or null. `own` has its magnitudes once they
  /// are known.
  mlir::Value weight;
  std::optional<Magnitudes> own;
  MeetFn meet;
  /// Whether `shift` includes a step that is written in the graph.
  bool hasWrittenShift = false;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_AFFINEEFFECT_H
