//===- ShapePlans.h - The shapes of the plans of an entry -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SHAPEPLANS_H
#define WEIR_SUPPORT_SHAPEPLANS_H

#include "weir/Support/OptionText.h"

namespace weir {

/// The shapes of inputs for which one plan of an entry is made.
struct ShapePlan {
  /// The shapes, one for each input whose shape was given.
  std::vector<ShapeOption> shapes;
  /// The shapes in which this plan differs from others, "x:8x3,y:8x10". Empty
  /// if the entry has only one plan.
  std::string name;
};

/// The shapes that are given for an entry.
struct GivenShapes {
  /// The shapes that are given with the name of the entry. They replace the
  /// shared shapes of an input.
  std::vector<ShapeOption> own;
  /// The shapes that are given for all entries.
  std::vector<ShapeOption> shared;
};

/// The plans of an entry. If an input has several shapes, plan i has its shape
/// i. If it has one shape, all plans have that shape.
StatusOr<std::vector<ShapePlan>> planShapes(const GivenShapes &given);

/// The symbol of a plan of `entry`, "main[x:8x3]".
std::string nameShapePlan(std::string_view entry, const ShapePlan &plan);

} // namespace weir

#endif // WEIR_SUPPORT_SHAPEPLANS_H
