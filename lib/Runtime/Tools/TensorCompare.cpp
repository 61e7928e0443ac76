//===- TensorCompare.cpp - The first tensor that differs ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TensorCompare.h"

#include "weir/Support/Counted.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"
#include "weir/Support/TensorFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

using namespace weir;

void TensorCompare::addPorts(std::span<const TensorInfo> ports, Kind kind) {
  const std::string what = kind == Kind::Input ? "input" : "output";
  for (const TensorInfo &port : ports)
    rows.push_back({{port.name, PlanTensor::Place::Visible, "-", what, "-",
                     port.desc, false},
                    {},
                    {}});
}

Status TensorCompare::open(const RunTarget &target) {
  auto opened = StoredTensors::open(folder);
  if (!opened)
    return std::move(opened).status().withContext("--compare-with");
  const StoredTensors stored = *std::move(opened);
  addPorts(target.inputs(), Kind::Input);
  numInputs = rows.size();
  for (const PlanTensor &tensor : target.tensors())
    rows.push_back({tensor, {}, {}});
  numTensors = target.tensors().size();
  addPorts(target.outputs(), Kind::Output);
  WEIR_RETURN_IF_ERROR(match(stored));
  for (const Row &row : rows)
    WEIR_RETURN_IF_ERROR(check(row).withContext(fmt::format(
        "--compare-with: tensor '{}'", printable(row.tensor.name))));
  return Status::ok();
}

/// Gives each file to the first row of its name. If a launch writes a tensor
/// with the name of an output, that tensor is compared, and not the output.
Status TensorCompare::match(const StoredTensors &stored) {
  std::map<std::string, Row *> byStem;
  std::vector<std::string> names;
  for (Row &row : rows) {
    auto [other, isNew] = byStem.emplace(fileStem(row.tensor.name), &row);
    if (isNew)
      names.push_back(row.tensor.name);
    if (!isNew && other->second->tensor.name != row.tensor.name)
      return invalidArgument(fmt::format(
          "--compare-with: tensors '{}' and '{}' would be in one file",
          printable(other->second->tensor.name), printable(row.tensor.name)));
    // A tensor that no launch leaves may still be an output.
    if (!isNew && other->second->tensor.place != PlanTensor::Place::Visible)
      other->second = &row;
  }
  // An input is the given tensor itself, so its equality says nothing.
  const auto isComputed = [&](const auto &file) {
    const auto row = byStem.find(file.first);
    return row != byStem.end() && row->second >= rows.data() + numInputs;
  };
  if (std::ranges::none_of(stored.files(), isComputed)) {
    const auto unknown =
        std::ranges::find_if(stored.files(), [&](const auto &file) {
          return !byStem.contains(file.first);
        });
    if (unknown == stored.files().end())
      return invalidArgument(
          "--compare-with: the folder has only inputs of the model; store "
          "outputs or other tensors in it");
    const auto &[stem, path] = *unknown;
    return notFound(
        fmt::format("--compare-with: '{}' is not a tensor of the model; {}",
                    printable(path), offerNames(stem, names, "tensors")));
  }
  for (const auto &[stem, path] : stored.files()) {
    if (const auto row = byStem.find(stem); row != byStem.end()) {
      row->second->path = path;
      continue;
    }
    const std::string_view near = findNearest(stem, names);
    unknownFiles += fmt::format(
        "not in the model: '{}'{}\n", printable(path),
        near.empty() ? ""
                     : fmt::format("; did you mean '{}'?", printable(near)));
  }
  return Status::ok();
}

std::vector<std::string> TensorCompare::files() const {
  std::vector<std::string> paths;
  for (const Row &row : rows)
    if (!row.path.empty())
      paths.push_back(row.path);
  return paths;
}

/// Whether tensors of the two types can be compared. A reference in f32 is fit
/// for a run in a smaller float type.
static bool isComparable(DType found, DType expected) {
  return found == expected || (isFloat(found) && isFloat(expected));
}

Status TensorCompare::check(const Row &row) const {
  if (row.path.empty() || row.tensor.place != PlanTensor::Place::Visible)
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(const HostTensor stored, readTensorFile(row.path));
  if (stored.dims() == row.tensor.desc.dims &&
      isComparable(row.tensor.desc.type, stored.type()))
    return Status::ok();
  return invalidArgument(fmt::format(
      "'{}' has {}, the model computes {}x{}; store it in that shape",
      printable(row.path), stored.desc().toString(),
      fmt::join(row.tensor.desc.dims, "x"), toString(row.tensor.desc.type)));
}

Status TensorCompare::compareInto(Row &row, const HostTensor &found) const {
  WEIR_ASSIGN_OR_RETURN(const HostTensor expected, readTensorFile(row.path));
  WEIR_ASSIGN_OR_RETURN(row.result, compareTensors(found, expected, tolerance));
  return Status::ok();
}

Status TensorCompare::compare(size_t index, const void *data) {
  Row &row = rows[numInputs + index];
  if (row.path.empty())
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(const HostTensor found,
                        gatherTensor(row.tensor.desc, data));
  return compareInto(row, found);
}

Status TensorCompare::comparePorts(const RunTarget &target,
                                   std::span<const HostTensor> inputs,
                                   std::span<const HostTensor> outputs) {
  for (size_t i = 0; i < target.inputs().size(); ++i)
    if (Row &row = rows[i]; !row.path.empty())
      WEIR_RETURN_IF_ERROR(compareInto(row, inputs[i]));
  for (size_t i = 0; i < target.outputs().size(); ++i)
    if (Row &row = rows[numInputs + numTensors + i]; !row.path.empty())
      WEIR_RETURN_IF_ERROR(compareInto(row, outputs[i]));
  return Status::ok();
}

std::vector<const TensorCompare::Row *> TensorCompare::comparedRows() const {
  std::vector<const Row *> compared;
  for (const Row &row : rows)
    if (row.result)
      compared.push_back(&row);
  return compared;
}

static bool differs(const Comparison &result) {
  return result.numDifferent != 0;
}

/// Stored tensors that the model does not have, or that a run does not leave.
std::string TensorCompare::describeLeftOut() const {
  std::string text = unknownFiles;
  for (const Row &row : rows) {
    if (row.path.empty() || row.result)
      continue;
    const std::string name = printable(row.tensor.name);
    text +=
        row.tensor.place == PlanTensor::Place::Inside
            ? fmt::format("not visible: '{}' is inside of launch '{}' "
                          "({}) on {}; compile with --keep='{}'\n",
                          name, printable(row.tensor.op),
                          printable(row.tensor.kernel), row.tensor.device, name)
            : fmt::format("not visible: '{}' is not computed by a run; "
                          "compile with --keep='{}'\n",
                          name, name);
  }
  return text;
}

static constexpr const char *rowFormat =
    "{:<24} {:<8} {:<20} {:<16} {:>13} {:>20} {:>14} {:>14}\n";

static std::string rowText(const PlanTensor &tensor, const Comparison &result) {
  const Comparison::Element &worst = result.worst.front();
  return fmt::format(fmt::runtime(rowFormat), printable(tensor.name),
                     tensor.device, printable(tensor.op),
                     printable(tensor.kernel),
                     fmt::format("{:.3g}", worst.error),
                     indexText(worst.index, tensor.desc.dims),
                     fmt::format("{:.8g}", worst.expected),
                     fmt::format("{:.8g}", worst.found));
}

std::string TensorCompare::report() const {
  const std::vector<const Row *> compared = comparedRows();
  const auto first =
      std::find_if(compared.begin(), compared.end(),
                   [](const Row *row) { return differs(*row->result); });
  std::string text = describeLeftOut();
  if (compared.empty())
    return text;
  if (first == compared.end())
    return text + fmt::format("{} compared with '{}', all equal\n",
                              counted(compared.size(), "tensor"),
                              printable(folder));
  text += fmt::format("{} compared with '{}', {} equal before the first that "
                      "differs:\n",
                      counted(compared.size(), "tensor"), printable(folder),
                      first - compared.begin());
  text += fmt::format(fmt::runtime(rowFormat), "tensor", "device", "op",
                      "kernel", "largest error", "at", "expected", "found");
  return text + rowText((*first)->tensor, *(*first)->result) +
         toTable(*(*first)->result, (*first)->tensor.desc.dims,
                 fmt::format("tensor '{}'", printable((*first)->tensor.name)));
}

Status TensorCompare::status() const {
  const std::vector<const Row *> compared = comparedRows();
  if (compared.empty())
    return invalidArgument(fmt::format(
        "--compare-with: no tensor of '{}' is visible, so nothing is compared",
        printable(folder)));
  size_t numDifferent = 0;
  const Row *first = nullptr;
  for (const Row *row : compared)
    if (differs(*row->result)) {
      first = first ? first : row;
      ++numDifferent;
    }
  if (!first)
    return Status::ok();
  return invalidArgument(fmt::format(
      "tensor '{}' is the first of {} that differ beyond rtol {} and atol {}",
      printable(first->tensor.name), numDifferent, tolerance.rtol,
      tolerance.atol));
}
