//===- DataArguments.cpp - Data on the command line of graph-run ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataArguments.h"

#include "MapWarnings.h"

#include "Runtime/Tools/TensorArguments.h"
#include "weir/Support/Printable.h"
#include "weir/Support/RegularFile.h"
#include "weir/Support/TensorFile.h"
#include "weir/Support/ToolMain.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

using namespace weir;

StatusOr<LastBatch> weir::parseLast(std::string_view text,
                                    std::string_view flag) {
  if (text == "keep")
    return LastBatch::Keep;
  if (text == "drop")
    return LastBatch::Drop;
  if (text == "pad")
    return LastBatch::Pad;
  return invalidArgument(fmt::format(
      "{}: expected keep, drop or pad, found '{}'", flag, printable(text)));
}

StatusOr<std::vector<ColumnMap>>
weir::parseMaps(std::span<const std::string> texts) {
  std::vector<ColumnMap> maps;
  for (const std::string &text : texts) {
    auto map = parseColumnMap(text);
    if (!map)
      return std::move(map).status().withContext("--map");
    maps.push_back(*std::move(map));
  }
  return maps;
}

StatusOr<Dataset> weir::openMapped(const std::string &text,
                                   std::span<const ColumnMap> maps,
                                   const ColumnClasses &classes, bool warns) {
  WEIR_ASSIGN_OR_RETURN(Dataset data, parseDataset(text, classes));
  MapWarnings warnings;
  for (const ColumnMap &map : maps)
    for (const MapStep &step : map.steps) {
      auto mapped = data.map(map.column, {step});
      if (!mapped)
        return std::move(mapped).status().withContext("--map");
      WEIR_ASSIGN_OR_RETURN(const size_t place, data.findColumn(map.column));
      const std::string warning = warnings.add(data.columns()[place], step);
      if (warns && !warning.empty())
        printReport(warning + "\n");
      data = *std::move(mapped);
    }
  return data;
}

/// The names in the file `path`, one a line.
static StatusOr<std::vector<std::string>> readNames(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(const std::string text, readRegularFile(path));
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r'))
      line.pop_back();
    if (line.empty() || std::ranges::find(names, line) != names.end())
      return invalidArgument(fmt::format(
          "'{}', line {}: expected the name of a class, found {}",
          printable(path), names.size() + 1,
          line.empty() ? "nothing"
                       : fmt::format("'{}' again", printable(line))));
    names.push_back(line);
  }
  if (names.empty())
    return invalidArgument(
        fmt::format("'{}' has no names of classes; expected one on each line",
                    printable(path)));
  return names;
}

StatusOr<ColumnClasses> weir::readClasses(const std::string &path,
                                          const std::string &data) {
  ColumnClasses classes;
  if (path.empty())
    return classes;
  auto names = readNames(path);
  if (!names)
    return std::move(names).status().withContext("--classes");
  WEIR_ASSIGN_OR_RETURN(const auto items, parseDataItems(data));
  for (const DataItem &item : items)
    classes[item.name.empty() ? item.part : item.name] = *names;
  // A folder of images has its labels in this column.
  classes["label"] = *names;
  return classes;
}

Status weir::checkClasses(const std::string &path, const Dataset &data) {
  if (path.empty() || !classesOf(data).empty())
    return Status::ok();
  return invalidArgument(
      "--classes: no column of the data has classes; make one of texts with "
      ":type=classes, or leave the flag out");
}

void weir::warnOfUnread(const std::string &text, const SessionEntry &entry) {
  const StatusOr<std::vector<DataItem>> items = parseDataItems(text);
  if (!items)
    return;
  for (const DataItem &item : *items) {
    const bool isRead =
        item.name.empty() ||
        std::ranges::any_of(entry.inputs(), [&](const TensorInfo &input) {
          return input.name == item.name;
        });
    if (!isRead)
      printReport(fmt::format("warning: column '{}' is no input of entry '{}', "
                              "so it is not used\n",
                              printable(item.name), printable(entry.name())));
  }
}

ColumnClasses weir::classesOf(const Dataset &data) {
  ColumnClasses classes;
  for (const ColumnInfo &column : data.columns())
    if (!column.classes.empty())
      classes[column.name] = column.classes;
  return classes;
}

StatusOr<std::vector<NamedColumn>>
weir::readFixedInputs(std::span<const std::string> arguments) {
  std::vector<NamedColumn> inputs;
  WEIR_ASSIGN_OR_RETURN(const auto named,
                        splitTensorArguments(arguments, "--input"));
  for (const NamedValue &argument : named) {
    auto values = readTensorFile(argument.value);
    if (!values) {
      Status error = std::move(values).status();
      // If there is no such file, the user may have meant a number.
      if (error.code() == StatusCode::NotFound)
        error = notFound(
            fmt::format("{}; expected FILE.npy or FILE.pb", error.message()));
      return std::move(error).withContext(
          fmt::format("--input {}", printable(argument.name)));
    }
    inputs.push_back({argument.name, *std::move(values)});
  }
  return inputs;
}
