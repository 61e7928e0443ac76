//===- MapWarnings.h - Warnings about maps of columns -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_MAPWARNINGS_H
#define WEIR_LIB_TRAINING_TOOLS_MAPWARNINGS_H

#include "weir/Data/Dataset.h"
#include "weir/Data/MapSteps.h"

#include <map>
#include <string>

namespace weir {

/// Finds steps of maps that can be applied but are hardly meant.
class MapWarnings {
public:
  /// A warning about `step`, the next step for `column`; else empty. To be
  /// called with all steps of a column, in order.
  std::string add(const ColumnInfo &column, const MapStep &step);

private:
  /// The steps that a column has had.
  struct Seen {
    /// The type in the file.
    DType type;
    bool isScaled = false;
    bool isChannelsFirst = false;
  };
  std::map<std::string, Seen> columns;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_MAPWARNINGS_H
