//===- LaneEmitter.h - Emits values of the lanes of a vector ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A value that is equal in all lanes stays a scalar until it is combined with a
// vector.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_LANEEMITTER_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_LANEEMITTER_H

#include "CodeLevels.h"
#include "ScheduledNest.h"

namespace weir::kernels {

/// Whether `value` is a vector.
bool isWide(mlir::Value value);

class LaneEmitter {
public:
  explicit LaneEmitter(CodeLevels &code) : code(code) {}

  /// From here on, a point is a vector with the lanes `given`, or one element
  /// if there are no lanes.
  void set(std::optional<Lanes> given) { lanes = given; }
  int64_t getCount() const { return lanes ? lanes->count : 1; }
  mlir::VectorType toVector(mlir::Type type) const;

  /// The step of `index` from one lane to the next; 0 if it is equal in all
  /// lanes. An index in unequal steps is a fault, as no vector can be emitted.
  int64_t getStep(const LinearIndex &index);
  /// Whether one of `at` may depend on the lane.
  bool isLaneIn(llvm::ArrayRef<LinearIndex> at) const;
  /// The value of `index`: a vector unless it is equal in all lanes.
  mlir::Value emitIndex(const LinearIndex &index);
  /// The vector 0, step, 2 step, ...
  mlir::Value emitSteps(int64_t step);

  /// `value` broadcast to all lanes.
  mlir::Value splat(mlir::Value value);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);

  /// The mask of the last vector of a loop, of which `used` lanes are in use.
  Mask maskLast(mlir::Value used);
  /// Whether `mask` has all lanes, or is the result of the last `maskLast`.
  bool areFirst(const Mask &mask) const;
  /// The number of lanes in use by `maskLast`.
  mlir::Value getUsed() const { return used; }
  /// The mask of the vector that begins at element `first` of `step` vectors
  /// whose lanes alternate. It has the elements of the lanes in use.
  mlir::Value maskFrom(int64_t first, int64_t step);
  /// `mask` as a value.
  mlir::Value toValue(const Mask &mask);

private:
  CodeLevels &code;
  std::optional<Lanes> lanes;
  /// The result and the argument of the last `maskLast`.
  mlir::Value last, used;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_LANEEMITTER_H
