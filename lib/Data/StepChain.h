//===- StepChain.h - The steps of the map of a column -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_STEPCHAIN_H
#define WEIR_LIB_DATA_STEPCHAIN_H

#include "ColumnSource.h"
#include "ExampleStep.h"

#include "weir/Data/MapSteps.h"

#include <memory>
#include <vector>

namespace weir {

class ValueStep;

/// The steps of a column, in order. Each step is checked against the type of
/// its input. Adjacent steps that compute on elements are joined into one.
/// Steps that move no bytes are dropped.
class StepChain {
public:
  explicit StepChain(ExampleType source) : type(std::move(source)) {}

  /// Appends `step`.
  Status append(const MapStep &step);

  bool isEmpty() const { return links.empty(); }
  /// The type of the examples after the last step.
  const ExampleType &result() const { return type; }
  /// Applies all steps to `from`, which may be in `scratch.first`. There must
  /// be at least one step.
  Status apply(const std::byte *from, std::byte *to, const DrawKey &key,
               int64_t row, ReadScratch &scratch) const;

private:
  struct Link {
    std::shared_ptr<const ExampleStep> step;
    /// The number of bytes that the step writes.
    size_t bytes;
    int64_t randomStep;
  };
  Status add(const CastStep &step);
  Status add(const ScaleStep &step);
  Status add(const NormaliseStep &step);
  Status add(const OneHotStep &step);
  Status add(const ReshapeStep &step);
  Status add(const ChannelsFirstStep &step);
  Status add(const IsChannelsFirstStep &step);
  Status add(const RandomCropStep &step);
  Status add(const RandomFlipStep &step);
  Status add(const CustomStep &step);
  Status push(std::shared_ptr<const ExampleStep> step, ExampleType result);
  /// A step on elements for the end of the chain. If the last step is one, this
  /// is a copy of it, and otherwise a new step.
  std::shared_ptr<ValueStep> valueStep();
  Status pushValues(std::shared_ptr<ValueStep> step);
  Status castToFloats();

  ExampleType type;
  bool isChannelsFirst = false;
  int64_t numRandomSteps = 0;
  std::vector<Link> links;
  /// The step of the last link, if it computes on elements. Otherwise null.
  std::shared_ptr<const ValueStep> last;
};

} // namespace weir

#endif // WEIR_LIB_DATA_STEPCHAIN_H
