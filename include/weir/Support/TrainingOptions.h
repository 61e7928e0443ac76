//===- TrainingOptions.h - How a loss is minimised --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TRAININGOPTIONS_H
#define WEIR_SUPPORT_TRAININGOPTIONS_H

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weir {

using OptionValue = std::variant<bool, int64_t, double, std::vector<int64_t>>;
using OptionValues = std::vector<std::pair<std::string, OptionValue>>;

/// The name and the numbers of an optimiser, a schedule or an initialiser:
/// {"adam", {{"rate", 0.001}}}. Numbers that are not given have their defaults.
struct NamedOptions {
  std::string name = {};
  OptionValues values = {};
};

/// A group of parameters that are trained differently.
struct ParameterGroup {
  /// Globs of parameters. A parameter belongs to the first group with a glob
  /// that fits.
  std::vector<std::string> parameters = {};
  /// `rate_factor`, by which the rate is multiplied, `frozen`, and numbers of
  /// the optimiser.
  OptionValues values = {};
};

/// How a loss is minimised (docs/training.md). The defaults are those of
/// `weir.minimize`.
struct MinimizeOptions {
  /// The optimiser. Its number `rate` is the learning rate, unless the graph
  /// computes the rate.
  NamedOptions optimizer = {};
  /// The schedule of the rate. Without a name, the rate is constant.
  NamedOptions schedule = {};
  /// Globs of the parameters to train. Empty: all parameters on which the loss
  /// depends.
  std::vector<std::string> parameters = {};
  std::vector<ParameterGroup> groups = {};
  /// The largest absolute value of an element of a gradient, and the largest
  /// norm of all gradients together; 0: no limit.
  double clipValue = 0;
  double clipNorm = 0;
  /// The number of runs whose gradients are averaged for one update.
  int64_t accumulate = 1;
};

} // namespace weir

#endif // WEIR_SUPPORT_TRAININGOPTIONS_H
