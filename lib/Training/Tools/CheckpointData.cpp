//===- CheckpointData.cpp - What checkpoints keep of their data -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckpointData.h"

#include "weir/Support/Printable.h"
#include "weir/Support/SafeTensors.h"
#include "weir/Support/ToolMain.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

using namespace weir;

/// The texts that the checkpoint `path` has under "`kind` of 'x'", by the
/// column 'x'.
static StatusOr<std::map<std::string, std::string>>
partsOf(const std::string &path, std::string_view kind) {
  const std::string prefix = fmt::format("weir.identity.{} of '", kind);
  WEIR_ASSIGN_OR_RETURN(const SafeTensors file, SafeTensors::read(path));
  std::map<std::string, std::string> parts;
  for (const auto &[key, value] : file.metadata())
    if (key.starts_with(prefix) && key.ends_with('\''))
      parts[key.substr(prefix.size(), key.size() - prefix.size() - 1)] = value;
  return parts;
}

StatusOr<ColumnClasses> weir::classesOfCheckpoint(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(const auto parts, partsOf(path, "classes"));
  ColumnClasses classes;
  for (const auto &[column, text] : parts) {
    const auto names =
        nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    std::vector<std::string> &known = classes[column];
    if (names.is_array())
      for (const auto &name : names)
        if (name.is_string())
          known.push_back(name.get<std::string>());
  }
  return classes;
}

/// Whether `column` has the elements and the dims of an input `desc`, of which
/// the first dim is the batch. Dims of size 1 may be left out.
static bool fits(const Dataset &data, const std::string &column,
                 const TensorDesc &desc) {
  const StatusOr<size_t> place = data.findColumn(column);
  if (!place || desc.dims.empty())
    return false;
  const ColumnInfo &info = data.columns()[*place];
  const auto isLarge = [](int64_t dim) { return dim != 1; };
  return info.type == desc.type &&
         std::ranges::equal(info.dims | std::views::filter(isLarge),
                            desc.dims | std::views::drop(1) |
                                std::views::filter(isLarge));
}

/// `data` with `map`, if that gives examples of an input `desc`.
static StatusOr<Dataset> tryMap(const Dataset &data, const std::string &map,
                                const TensorDesc &desc) {
  WEIR_ASSIGN_OR_RETURN(const ColumnMap parsed, parseColumnMap(map));
  WEIR_ASSIGN_OR_RETURN(Dataset mapped, data.map(parsed.column, parsed.steps));
  WEIR_ASSIGN_OR_RETURN(const size_t place, mapped.findColumn(parsed.column));
  if (fits(mapped, parsed.column, desc))
    return mapped;
  const ColumnInfo &column = mapped.columns()[place];
  return invalidArgument(fmt::format(
      "it gives examples of {} {}, and the input "
      "is {}",
      fmt::join(column.dims, "x"), toString(column.type), desc.toString()));
}

StatusOr<Dataset> weir::mapAsCheckpoint(const std::string &path, Dataset data,
                                        std::span<const ColumnMap> given,
                                        const SessionEntry &entry) {
  if (path.empty())
    return data;
  WEIR_ASSIGN_OR_RETURN(const auto parts, partsOf(path, "map"));
  for (const auto &[column, steps] : parts) {
    const auto input =
        std::ranges::find(entry.inputs(), column, &TensorInfo::name);
    const bool isGiven =
        std::ranges::find(given, column, &ColumnMap::column) != given.end();
    if (isGiven || input == entry.inputs().end() || !data.findColumn(column))
      continue;
    // The user may already have mapped numbers that fit.
    if (fits(data, column, input->desc)) {
      printReport(fmt::format(
          "warning: the checkpoint's training had the map {0}={1}, and column "
          "'{0}' fits without one; if it is as the training's data was, give "
          "--map '{0}={1}'\n",
          printable(column), printable(steps)));
      continue;
    }
    auto mapped = tryMap(data, column + "=" + steps, input->desc);
    if (mapped) {
      printReport(fmt::format("note: column '{0}' has the map of the "
                              "checkpoint's training, {0}={1}; give --map for "
                              "another one\n",
                              printable(column), printable(steps)));
      data = *std::move(mapped);
    } else {
      printReport(fmt::format(
          "warning: the map of the checkpoint's training, {}={}, is not used, "
          "because it does not fit here: {}; give --map for another one\n",
          printable(column), printable(steps), mapped.status().message()));
    }
  }
  return data;
}
