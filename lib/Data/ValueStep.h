//===- ValueStep.h - Arithmetic on the elements of an example ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_VALUESTEP_H
#define WEIR_LIB_DATA_VALUESTEP_H

#include "ExampleStep.h"

#include "weir/Support/DType.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace weir {

/// The places of channels in an example. Element i belongs to channel `i /
/// inner % count`.
struct ChannelPlace {
  int64_t count = 1;
  int64_t inner = 1;

  bool operator==(const ChannelPlace &) const = default;
};

/// A sequence of conversions and arithmetic operations on each element. Each
/// operation rounds its result to its type, as if it ran alone on the whole
/// array. For elements of one byte, a table holds the results.
class ValueStep : public ExampleStep {
public:
  ValueStep(DType from, int64_t numElements)
      : from(from), to(from), numElements(numElements) {}

  void cast(DType type);
  /// Subtracts `values`, or divides by them. There is one value for all
  /// elements, or one for each channel of `place`. `place` must be the same in
  /// all calls. The elements must be floats.
  void subtract(std::vector<double> values, ChannelPlace place);
  void divide(std::vector<double> values, ChannelPlace place);
  /// Ends the sequence of operations. Must be called before the step is used.
  void finish();

  DType result() const { return to; }
  Status apply(const std::byte *source, std::byte *target,
               const StepDraw &draw) const override;

private:
  struct Operation {
    enum class Kind { Cast, Subtract, Divide } kind;
    /// The type of the result.
    DType type;
    std::vector<double> values;

    double valueOf(int64_t channel) const {
      return values[values.size() == 1 ? 0 : static_cast<size_t>(channel)];
    }
  };
  double evaluate(double value, int64_t channel) const;
  bool isInFloats() const;
  void applyInFloats(const std::byte *source, float *target) const;
  void applyTable(const std::byte *source, std::byte *target) const;
  void applyAny(const std::byte *source, std::byte *target) const;
  void add(Operation::Kind kind, std::vector<double> values,
           ChannelPlace channels);

  DType from, to;
  int64_t numElements;
  ChannelPlace place;
  std::vector<Operation> operations;
  /// The results, for each value of a byte and each channel. Empty if elements
  /// do not have one byte.
  std::vector<std::byte> table;
};

} // namespace weir

#endif // WEIR_LIB_DATA_VALUESTEP_H
