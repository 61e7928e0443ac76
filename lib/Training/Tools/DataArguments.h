//===- DataArguments.h - Data on the command line of graph-run ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_DATAARGUMENTS_H
#define WEIR_LIB_TRAINING_TOOLS_DATAARGUMENTS_H

#include "weir/Data/DataText.h"
#include "weir/Data/Loader.h"
#include "weir/Runtime/Session.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Parses "keep", "drop" or "pad", the value of `flag`.
StatusOr<LastBatch> parseLast(std::string_view text, std::string_view flag);

/// Parses the values of --map.
StatusOr<std::vector<ColumnMap>> parseMaps(std::span<const std::string> texts);

/// Opens `text`, whose columns are changed by `maps`. With `warns`, prints
/// warnings about the maps.
StatusOr<Dataset> openMapped(const std::string &text,
                             std::span<const ColumnMap> maps,
                             const ColumnClasses &classes, bool warns);

/// The names in the file `path`, one a line, as the classes of each column of
/// `data` that may have classes; nothing if `path` is empty.
StatusOr<ColumnClasses> readClasses(const std::string &path,
                                    const std::string &data);
/// Checks that `data`, opened with classes from the file `path` of --classes,
/// has a column that takes them.
Status checkClasses(const std::string &path, const Dataset &data);
/// The classes of the columns of `data`.
ColumnClasses classesOf(const Dataset &data);

/// Warns of the columns that `text` names and that are no inputs of `entry`.
void warnOfUnread(const std::string &text, const SessionEntry &entry);

/// Reads the files of --input: inputs that are the same for all batches.
StatusOr<std::vector<NamedColumn>>
readFixedInputs(std::span<const std::string> arguments);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_DATAARGUMENTS_H
