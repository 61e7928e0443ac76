//===- OptionText.h - Parses the values of compile options ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each form is parsed only here. So a tool can refuse a malformed option before
// it opens a file, with the same words as a pass.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_OPTIONTEXT_H
#define WEIR_SUPPORT_OPTIONTEXT_H

#include "weir/Support/DeviceName.h"
#include "weir/Support/Glob.h"
#include "weir/Support/Status.h"
#include "weir/Support/TrainingOptions.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The shape of an input: "image:1x3x224x224". "x:" is a scalar.
struct ShapeOption {
  std::string input;
  std::vector<int64_t> dims;
};

/// An input and the file with its value: "starts=starts.npy".
struct BindOption {
  std::string input;
  std::string file;
};

/// An output or op, and a glob of parameters and inputs: "loss=fc*".
struct GradientOption {
  std::string loss;
  Glob of;
};

/// An input or output in the memory of a device: "image=cpu:1".
struct PortSpaceOption {
  std::string port;
  DeviceName device;
};

/// A placement rule: "conv*=cpu:1" or "after:pool=cpu:1".
struct PlacementRule {
  /// A well-formed glob, or the name after "after:".
  std::string pattern;
  bool isAfter = false;
  DeviceName device;
};

/// The most memory that a model may hold on a device: "cpu:0=64MiB".
struct MemoryCap {
  DeviceName device;
  uint64_t bytes = 0;
};

/// An entry that trains: "loss=loss, optimizer=adam(rate=0.001), clip_norm=1".
struct TrainOption {
  /// The loss: an output or op with one element. With `lossOp`, it is an output
  /// from which that op makes a loss for each row.
  std::string loss;
  std::string lossOp;
  /// An input that has the rate; empty: the optimiser has it.
  std::string rate;
  /// The entry that has the loss; empty: the only one.
  std::string entry;
  MinimizeOptions minimize;
};

/// The addition "; ..." to an error about `name`, which does not exist, if
/// `name` looks like a list, a range or a name in a text; else empty.
std::string describeList(std::string_view name);

/// Extends `error` of reading `file`, which is the value that a flag gives to a
/// name. If there is no such file, the error lists the `forms` of values.
Status offerForms(Status error, std::string_view file, std::string_view forms);

/// The error that a flag gives `name` twice, in `first` and in `second`.
Status givenTwice(std::string_view name, std::string_view first,
                  std::string_view second);

StatusOr<ShapeOption> parseShapeOption(std::string_view text);
StatusOr<BindOption> parseBindOption(std::string_view text);
StatusOr<GradientOption> parseGradientOption(std::string_view text);
StatusOr<PortSpaceOption> parsePortSpaceOption(std::string_view text);
StatusOr<PlacementRule> parsePlacementRule(std::string_view text);
StatusOr<MemoryCap> parseMemoryCap(std::string_view text);
StatusOr<TrainOption> parseTrainOption(std::string_view text);

} // namespace weir

#endif // WEIR_SUPPORT_OPTIONTEXT_H
