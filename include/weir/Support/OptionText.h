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

/// "image:1x3x224x224": the shape of an input; "x:" is a scalar.
struct ShapeOption {
  std::string input;
  std::vector<int64_t> dims;
};

/// "starts=starts.npy": an input and the file with its value.
struct BindOption {
  std::string input;
  std::string file;
};

/// "loss=fc*": an output or op, and a glob of parameters and inputs.
struct GradientOption {
  std::string loss;
  Glob of;
};

/// "image=cpu:1": an input or output that lies in the memory of a device.
struct PortSpaceOption {
  std::string port;
  DeviceName device;
};

/// "conv*=cpu:1" or "after:pool=cpu:1": a placement rule.
struct PlacementRule {
  /// A well-formed glob, or the name behind "after:".
  std::string pattern;
  bool isAfter = false;
  DeviceName device;
};

/// "cpu:0=64MiB": the most scratch that a device may use.
struct MemoryCap {
  DeviceName device;
  uint64_t bytes = 0;
};

/// "loss=loss, optimizer=adam(rate=0.001), clip_norm=1": an entry that trains.
struct TrainOption {
  /// An output or op with one element; with `lossOp`, an output of which that
  /// op makes a loss for each row.
  std::string loss;
  std::string lossOp;
  /// An input that has the rate; empty: the optimiser has it.
  std::string rate;
  /// The entry that has the loss; empty: the only one.
  std::string entry;
  MinimizeOptions minimize;
};

/// What an error about `name`, which does not exist, adds if it may have been
/// meant as a list or a range, or is written as in a text: "; ..." or empty.
std::string describeList(std::string_view name);

/// `error` of reading `file`, the value that a flag gives to a name. If there
/// is no such file, it lists the `forms` of values.
Status offerForms(Status error, std::string_view file, std::string_view forms);

/// The error that a flag speaks of `name` twice, in `first` and in `second`.
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
