//===- Dataset.cpp - Examples for training --------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Data/Dataset.h"

#include "ArraySource.h"
#include "DatasetState.h"

#include "weir/Support/Counted.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <variant>

using namespace weir;

ExampleType DatasetColumn::example() const { return steps.result(); }

Status DatasetColumn::read(int64_t index, const DrawKey &key, std::byte *to,
                           ReadScratch &scratch) const {
  const int64_t row = view.row(index);
  if (steps.isEmpty())
    return source->read(row, to, scratch);
  const std::byte *from = source->peek(row);
  const size_t elementBytes = byteSize(source->example().type);
  if (!from || reinterpret_cast<uintptr_t>(from) % elementBytes != 0) {
    std::byte *held = scratch.first.reserve(source->exampleBytes());
    if (!held)
      return Status::outOfMemory();
    WEIR_RETURN_IF_ERROR(source->read(row, held, scratch));
    from = held;
  }
  Status status = steps.apply(from, to, key, row, scratch);
  if (!status.isOk())
    return std::move(status).withContext(source->describe(row));
  return status;
}

/// Makes a dataset of `state`. Its columns and infos are already set.
static StatusOr<Dataset> makeState(DatasetState state) {
  if (state.columns.empty())
    return invalidArgument("a dataset expects at least one column");
  for (size_t i = 0; i < state.infos.size(); ++i) {
    const ExampleType example = state.columns[i].example();
    state.infos[i].type = example.type;
    state.infos[i].dims = example.dims;
    for (size_t j = 0; j < i; ++j)
      if (state.infos[i].name == state.infos[j].name)
        return invalidArgument(
            fmt::format("two columns are called '{}'; rename one of them",
                        printable(state.infos[i].name)));
  }
  return Dataset(std::make_shared<const DatasetState>(std::move(state)));
}

static Status unequalLengths(const ColumnInfo &first, int64_t firstSize,
                             const ColumnInfo &other, int64_t otherSize) {
  return invalidArgument(fmt::format(
      "column '{}' has {} examples, but column '{}' has {}; expected equally "
      "many",
      printable(first.name), firstSize, printable(other.name), otherSize));
}

StatusOr<Dataset>
weir::makeDataset(std::vector<std::string> names,
                  std::vector<std::shared_ptr<const ColumnSource>> sources) {
  DatasetState state;
  for (size_t i = 0; i < sources.size(); ++i) {
    state.infos.push_back(
        {std::move(names[i]), DType::F32, {}, sources[i]->classes()});
    StepChain steps(sources[i]->example());
    const int64_t rows = sources[i]->numRows();
    if (i == 0)
      state.size = rows;
    if (rows != state.size)
      return unequalLengths(state.infos[0], state.size, state.infos[i], rows);
    state.columns.push_back({std::move(sources[i]), {}, std::move(steps)});
  }
  return makeState(std::move(state));
}

StatusOr<Dataset> Dataset::fromTensors(std::vector<NamedColumn> columns) {
  std::vector<std::string> names;
  std::vector<std::shared_ptr<const ColumnSource>> sources;
  for (NamedColumn &column : columns) {
    WEIR_ASSIGN_OR_RETURN(
        std::shared_ptr<const ColumnSource> source,
        makeTensorSource(std::move(column.values),
                         fmt::format("column '{}'", printable(column.name))));
    names.push_back(std::move(column.name));
    sources.push_back(std::move(source));
  }
  return makeDataset(std::move(names), std::move(sources));
}

StatusOr<Dataset> Dataset::join(const std::vector<Dataset> &parts) {
  DatasetState state;
  for (const Dataset &part : parts) {
    if (state.columns.empty())
      state.size = part.size();
    if (part.size() != state.size)
      return unequalLengths(state.infos[0], state.size, part.columns()[0],
                            part.size());
    for (size_t i = 0; i < part.columns().size(); ++i) {
      state.infos.push_back(part.columns()[i]);
      state.columns.push_back(part.state->columns[i]);
    }
  }
  return makeState(std::move(state));
}

int64_t Dataset::size() const { return state->size; }

const std::vector<ColumnInfo> &Dataset::columns() const { return state->infos; }

StatusOr<size_t> Dataset::findColumn(std::string_view name) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < state->infos.size(); ++i) {
    if (state->infos[i].name == name)
      return i;
    names.push_back(printable(state->infos[i].name));
  }
  return notFound(fmt::format("the dataset has no column '{}'; it has {}",
                              printable(name), nearNames(name, names)));
}

StatusOr<Dataset> Dataset::select(const std::vector<std::string> &names) const {
  DatasetState chosen;
  chosen.size = state->size;
  for (const std::string &name : names) {
    WEIR_ASSIGN_OR_RETURN(const size_t column, findColumn(name));
    chosen.infos.push_back(state->infos[column]);
    chosen.columns.push_back(state->columns[column]);
  }
  return makeState(std::move(chosen));
}

StatusOr<Dataset> Dataset::rename(std::string_view from, std::string to) const {
  WEIR_ASSIGN_OR_RETURN(const size_t column, findColumn(from));
  DatasetState renamed = *state;
  renamed.infos[column].name = std::move(to);
  return makeState(std::move(renamed));
}

/// Refuses a dataset that has fewer than `count` examples.
static Status checkHas(const Dataset &dataset, int64_t count,
                       std::string_view what) {
  if (count >= 0 && count <= dataset.size())
    return Status::ok();
  return invalidArgument(
      fmt::format("{} expects from 0 to {} examples, which the dataset has; "
                  "found {}",
                  what, dataset.size(), count));
}

StatusOr<Dataset> Dataset::take(int64_t count) const {
  WEIR_RETURN_IF_ERROR(checkHas(*this, count, "take"));
  DatasetState taken = *state;
  taken.size = count;
  return Dataset(std::make_shared<const DatasetState>(std::move(taken)));
}

StatusOr<Dataset> Dataset::skip(int64_t count) const {
  WEIR_RETURN_IF_ERROR(checkHas(*this, count, "skip"));
  DatasetState rest = *state;
  rest.size -= count;
  for (DatasetColumn &column : rest.columns)
    column.view.skip(count);
  return Dataset(std::make_shared<const DatasetState>(std::move(rest)));
}

StatusOr<std::pair<Dataset, Dataset>> Dataset::split(int64_t count) const {
  WEIR_RETURN_IF_ERROR(checkHas(*this, count, "split"));
  WEIR_ASSIGN_OR_RETURN(Dataset first, take(count));
  WEIR_ASSIGN_OR_RETURN(Dataset rest, skip(count));
  return std::pair{std::move(first), std::move(rest)};
}

Dataset Dataset::shuffled(uint64_t seed) const {
  if (state->size == 0)
    return *this;
  // No epoch of a loader has this number, so the order differs from all of
  // theirs.
  constexpr uint64_t fixedOrder = ~uint64_t{0};
  const Permutation order(seed, fixedOrder, state->size);
  DatasetState mixed = *state;
  for (DatasetColumn &column : mixed.columns)
    column.view.permute(order);
  return Dataset(std::make_shared<const DatasetState>(std::move(mixed)));
}

/// Checks a one-hot `step`: it must have a place for each class of the column
/// `column`. Other steps are accepted.
static Status checkClasses(const Dataset &dataset, size_t column,
                           const MapStep &step) {
  const auto *oneHot = std::get_if<OneHotStep>(&step);
  const ColumnInfo &info = dataset.columns()[column];
  const auto count = static_cast<int64_t>(info.classes.size());
  if (!oneHot || count <= oneHot->classes || !info.dims.empty())
    return Status::ok();
  return invalidArgument(fmt::format(
      "one-hot:{} has too few classes: the column has {}; write one-hot:{}, or "
      "mend the names",
      oneHot->classes, dataset.describeClasses(column), count));
}

StatusOr<Dataset> Dataset::map(std::string_view column,
                               const std::vector<MapStep> &steps) const {
  WEIR_ASSIGN_OR_RETURN(const size_t place, findColumn(column));
  DatasetState mapped = *state;
  for (const MapStep &step : steps) {
    Status status = checkClasses(*this, place, step);
    if (status.isOk())
      status = mapped.columns[place].steps.append(step);
    if (!status.isOk())
      return std::move(status).withContext(
          fmt::format("column '{}'", printable(column)));
  }
  return makeState(std::move(mapped));
}

std::string Dataset::describeClasses(size_t column) const {
  struct Found {
    std::string name;
    int64_t count = 0, first = 0;
  };
  const ColumnInfo &info = state->infos[column];
  std::vector<Found> found;
  for (const std::string &name : info.classes)
    found.push_back({name});
  for (int64_t index = 0; index < state->size; ++index) {
    const auto label = read(column, index);
    const int64_t number =
        label ? loadInt(info.type, label->data(), 0) : int64_t{-1};
    if (number < 0 || number >= static_cast<int64_t>(found.size()))
      continue;
    Found &each = found[static_cast<size_t>(number)];
    if (each.count++ == 0)
      each.first = index;
  }
  std::ranges::stable_sort(found, {}, &Found::count);
  constexpr size_t most = 10;
  std::vector<std::string> texts;
  const DatasetColumn &source = state->columns[column];
  for (const Found &each : std::span(found).first(std::min(most, found.size())))
    texts.push_back(
        each.count == 0
            ? fmt::format("'{}' (no example)", printable(each.name))
            : fmt::format(
                  "'{}' ({}, first in {})", printable(each.name),
                  counted(static_cast<uint64_t>(each.count), "example"),
                  source.source->describe(source.view.row(each.first))));
  if (found.size() > most)
    texts.push_back(fmt::format("and {} more", found.size() - most));
  return fmt::format(
      "{}: {}", counted(static_cast<uint64_t>(found.size()), "class", "es"),
      fmt::join(texts, ", "));
}

StatusOr<HostTensor> Dataset::read(size_t column, int64_t index) const {
  if (column >= state->columns.size() || index < 0 || index >= state->size)
    return invalidArgument(fmt::format(
        "expected a column below {} and an example below {}, found {} and {}",
        state->columns.size(), state->size, column, index));
  const ColumnInfo &info = state->infos[column];
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(info.type, info.dims));
  ReadScratch scratch;
  WEIR_RETURN_IF_ERROR(
      state->columns[column].read(index, {}, tensor.bytes().data(), scratch));
  return tensor;
}
