//===- BatchRuns.cpp - Runs an entry on batches ---------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "BatchRuns.h"

#include "TrainingOption.h"
#include "weir/Support/Counted.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

using namespace weir;

/// `value`. A NaN loses its sign, so that reports print it as nan.
static double withoutNaNSign(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

/// The element of `tensor`, which has only one.
static double elementOf(const HostTensor &tensor) {
  const void *data = tensor.data();
  const auto read = [&]<typename T>(T) {
    T value;
    std::memcpy(&value, data, sizeof(value));
    return value;
  };
  switch (tensor.type()) {
  case DType::F32:
    return read(float());
  case DType::F64:
    return read(double());
  case DType::F16:
    return halfToFloat(read(uint16_t()));
  case DType::BF16:
    return bfloat16ToFloat(read(uint16_t()));
  case DType::I8:
    return read(int8_t());
  case DType::I1:
  case DType::U8:
    return read(uint8_t());
  case DType::I16:
    return read(int16_t());
  case DType::U16:
    return read(uint16_t());
  case DType::I32:
    return read(int32_t());
  case DType::U32:
    return read(uint32_t());
  case DType::I64:
    return static_cast<double>(read(int64_t()));
  case DType::U64:
    return static_cast<double>(read(uint64_t()));
  }
  return 0;
}

static std::string describe(DType type, std::span<const int64_t> dims) {
  return TensorDesc::rowMajor(type, {dims.begin(), dims.end()}).toString();
}

/// "'x', 'y'".
static std::string listColumns(std::span<const ColumnInfo> columns) {
  std::vector<std::string> texts;
  for (const ColumnInfo &column : columns)
    texts.push_back(fmt::format("'{}'", printable(column.name)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// `dims` without dims of 1.
static std::vector<int64_t> withoutOnes(std::span<const int64_t> dims) {
  std::vector<int64_t> others(dims.begin(), dims.end());
  std::erase(others, 1);
  return others;
}

namespace {
/// The dims of an image, whose channels come first or last.
struct ImageDims {
  int64_t height = 0, width = 0, channels = 0;
  bool isChannelsFirst = false;
};
} // namespace

/// The dims of the images that examples of `dims` are; nothing if the examples
/// are no images.
static std::optional<ImageDims> findImage(std::span<const int64_t> dims) {
  // Images have few channels.
  constexpr int64_t maxChannels = 4;
  if (dims.size() != 3)
    return std::nullopt;
  if (dims[2] <= maxChannels)
    return ImageDims{dims[0], dims[1], dims[2], false};
  if (dims[0] <= maxChannels)
    return ImageDims{dims[1], dims[2], dims[0], true};
  return std::nullopt;
}

/// How to make images of `wanted` from images of the column `name`, which are
/// of `found`. Properties that the images have already are left out.
static std::string suggestImage(const ColumnInfo &column, DType type,
                                const ImageDims &found, const ImageDims &wanted,
                                OptionNames names) {
  const std::string name = printable(column.name);
  const std::string_view map = nameOf(TrainingOption::Map, names);
  std::string options, crop, steps;
  if (found.height != wanted.height || found.width != wanted.width) {
    const std::string size = fmt::format("{}x{}", wanted.height, wanted.width);
    options += ":size=" + size;
    if (found.height >= wanted.height && found.width >= wanted.width)
      crop =
          fmt::format(", or a part of this size with crop:{} in {}", size, map);
    else
      crop = fmt::format(
          "; if crop in {} makes them smaller, write crop:{} there", map, size);
  }
  if (found.channels != wanted.channels)
    options += fmt::format(":channels={}", wanted.channels);
  if (column.type != type)
    steps = fmt::format("cast:{}", toString(type));
  if (!found.isChannelsFirst && wanted.isChannelsFirst)
    steps += steps.empty() ? "chw" : ",chw";
  std::string text;
  if (!options.empty())
    text = fmt::format("images of a folder get that with {} in {}{}", options,
                       nameOf(TrainingOption::Data, names), crop);
  if (!steps.empty())
    text += fmt::format("{}{} '{}={}' puts {}", text.empty() ? "" : ", and ",
                        map, name, steps,
                        steps.ends_with("chw") ? "the channels first"
                                               : "numbers of that type there");
  if (found.isChannelsFirst && !wanted.isChannelsFirst)
    text += fmt::format("{}the channels come last, so leave chw out of {}",
                        text.empty() ? "" : "; ", map);
  return text;
}

/// How to make examples of an input of `type` and `dims` from examples of
/// `column`.
static std::string suggestMap(const ColumnInfo &column, DType type,
                              std::span<const int64_t> dims,
                              OptionNames names) {
  const std::string name = printable(column.name);
  const std::string_view map = nameOf(TrainingOption::Map, names);
  const std::vector<int64_t> &found = column.dims;
  const bool isNumber = withoutOnes(found).empty();
  const bool wantsNumber = withoutOnes(dims).empty();
  const bool hasDims = withoutOnes(found) == withoutOnes(dims);
  if (hasDims && !isFloat(type))
    return fmt::format("{} '{}=cast:{}' converts numbers, and :type=classes in "
                       "{} makes numbers of the names in a column of a CSV "
                       "file",
                       map, name, toString(type),
                       nameOf(TrainingOption::Data, names));
  if (hasDims)
    return fmt::format("{} '{}=cast:{}' converts the numbers", map, name,
                       toString(type));
  const std::optional<ImageDims> image = findImage(found);
  const std::optional<ImageDims> wantedImage = findImage(dims);
  // No image has exactly two channels.
  if (image && wantedImage && wantedImage->channels != 2)
    return suggestImage(column, type, *image, *wantedImage, names);
  if (wantsNumber && !isFloat(type) && found.size() == 1)
    return fmt::format("if these are one-hot labels, give the number of the "
                       "class instead, or compile a loss for them, such as "
                       "graph-compile --train='loss=softmax_cross_entropy("
                       "OUTPUT)', whose input is 'targets'");
  if (isNumber && !isFloat(column.type) && withoutOnes(dims).size() == 1)
    return fmt::format("{} '{}=one-hot:{}{}' makes a row of each number", map,
                       name, withoutOnes(dims).front(),
                       type == DType::F32 ? ""
                                          : fmt::format(":{}", toString(type)));
  if (isNumber && withoutOnes(dims).size() == 1)
    return fmt::format("{} columns of a CSV file are one input as a range or "
                       "joined by '+': {}=FILE.csv:0-{} or {}=FILE.csv:a+b+c",
                       withoutOnes(dims).front(), name,
                       withoutOnes(dims).front() - 1, name);
  if (std::ranges::is_permutation(withoutOnes(found), withoutOnes(dims)))
    return fmt::format("these are the same dims in another order, which a "
                       "reshape would mix up; if the data has its channels "
                       "first already, leave chw out of {}, or else transpose "
                       "the data",
                       map);
  const int64_t numFound = TensorDesc::rowMajor(type, found).numElements();
  const std::vector<int64_t> wanted(dims.begin(), dims.end());
  const int64_t numWanted = TensorDesc::rowMajor(type, wanted).numElements();
  if (numFound == numWanted)
    return fmt::format(
        "{} '{}={}reshape:{}' gives them this shape", map, name,
        column.type == type ? "" : fmt::format("cast:{},", toString(type)),
        fmt::join(dims, "x"));
  return fmt::format("the first dim counts examples, each of which has {} here "
                     "and {} in the data; name another column, or, if the "
                     "graph leaves these dims open, compile it for this one "
                     "with graph-compile --shape",
                     counted(static_cast<uint64_t>(numWanted), "element"),
                     numFound);
}

static Status wrongInput(const TensorInfo &input, std::string_view entry,
                         std::string_view what, std::string_view found,
                         std::string_view repair) {
  return invalidArgument(
      fmt::format("input '{}' of entry '{}': expected {}, found {} in {}; {}",
                  printable(input.name), printable(entry),
                  input.desc.toString(), found, what, repair));
}

/// Whether examples of `column` fit `input`, which is no scalar.
static bool fitsInput(const ColumnInfo &column, const TensorInfo &input) {
  // Dims of 1 do not change the places of elements: labels may be [n, 1].
  return input.desc.type == column.type &&
         withoutOnes(std::span(input.desc.dims).subspan(1)) ==
             withoutOnes(column.dims);
}

/// "exchange 'x' and 'y'", if `column` of `input` and the column of another
/// input are given for each other; else empty.
static std::string offerExchange(const TensorInfo &input,
                                 const ColumnInfo &column,
                                 std::span<const TensorInfo> inputs,
                                 std::span<const ColumnInfo> columns) {
  for (const TensorInfo &other : inputs) {
    const auto given =
        std::ranges::find(columns, other.name, &ColumnInfo::name);
    if (given != columns.end() && !other.desc.dims.empty() &&
        fitsInput(*given, input) && fitsInput(column, other))
      return fmt::format("each of '{0}' and '{1}' fits the other input, so "
                         "exchange what is given for the two",
                         printable(input.name), printable(other.name));
  }
  return "";
}

/// Checks that examples of `column`, one of `columns`, fit `input`, one of
/// `inputs`.
static Status checkColumn(const TensorInfo &input, std::string_view entry,
                          const ColumnInfo &column,
                          std::span<const TensorInfo> inputs,
                          std::span<const ColumnInfo> columns,
                          OptionNames names) {
  const auto wrong = [&](std::string_view repair) {
    return wrongInput(input, entry, "each example of the column",
                      describe(column.type, column.dims), repair);
  };
  if (input.desc.dims.empty())
    return wrong("the first dim counts examples; give the input a first dim");
  if (fitsInput(column, input))
    return Status::ok();
  const std::string exchange = offerExchange(input, column, inputs, columns);
  return wrong(exchange.empty()
                   ? suggestMap(column, input.desc.type,
                                std::span(input.desc.dims).subspan(1), names)
                   : exchange);
}

/// "; several columns of a CSV file are ...", if `columns` may be numbers that
/// make up the examples of `input`; else empty.
static std::string suggestColumns(const TensorInfo &input,
                                  std::span<const ColumnInfo> columns) {
  const std::vector<int64_t> &dims = input.desc.dims;
  std::vector<std::string> numbers;
  for (const ColumnInfo &column : columns)
    if (column.dims.empty() && column.classes.empty())
      numbers.push_back(printable(column.name));
  if (numbers.size() < 2 || dims.empty() ||
      input.desc.numElements() <= dims.front())
    return "";
  return fmt::format("; several columns of a CSV file are one input as in "
                     "{0}=FILE.csv:0-3 or {0}=FILE.csv:{1}+{2}",
                     printable(input.name), numbers[0], numbers[1]);
}

Status BatchRuns::bind(SizedEntry &sized, const TensorInfo &input,
                       std::span<const ColumnInfo> columns,
                       std::span<const NamedColumn> fixed) const {
  if (!input.space.isHost())
    return invalidArgument(fmt::format(
        "input '{}' of entry '{}' lies on {}, and batches are in the host's "
        "memory; compile the model for it without --port-space",
        printable(input.name), printable(entry.name()),
        input.space.deviceName()));
  const auto given = std::ranges::find(fixed, input.name, &NamedColumn::name);
  const auto column = std::ranges::find(columns, input.name, &ColumnInfo::name);
  if (given != fixed.end()) {
    if (column != columns.end())
      return invalidArgument(fmt::format(
          "input '{}' of entry '{}' is a column of the data and has a value "
          "too; leave one of them out",
          printable(input.name), printable(entry.name())));
    if (given->values.desc() != input.desc)
      return wrongInput(input, entry.name(),
                        fmt::format("the value of {} {}",
                                    nameOf(TrainingOption::Input, called),
                                    printable(input.name)),
                        given->values.desc().toString(),
                        "give a value of this type and shape");
    sized.sources.push_back(
        {false, static_cast<size_t>(given - fixed.begin())});
    return Status::ok();
  }
  if (column == columns.end())
    return notFound(fmt::format(
        "input '{0}' of entry '{1}' is no column of the data and has no value; "
        "the columns are {2}: name one so, as '{0}=FILE' does, or "
        "'{0}=FILE:{3}' for one of several in a file, or give it a value with "
        "{5}{4}",
        printable(input.name), printable(entry.name()), listColumns(columns),
        columns.empty() ? "NAME" : printable(columns.front().name),
        suggestColumns(input, columns), nameOf(TrainingOption::Input, called)));
  WEIR_RETURN_IF_ERROR(checkColumn(input, entry.name(), *column,
                                   entry.inputs(sized.shape), columns, called));
  const int64_t batchSize = input.desc.dims.front();
  if (sized.batchSize != 0 && sized.batchSize != batchSize)
    return invalidArgument(fmt::format(
        "input '{}' of entry '{}' takes {} examples, another input {}; compile "
        "it for equal batches",
        printable(input.name), printable(entry.name()), batchSize,
        sized.batchSize));
  sized.batchSize = batchSize;
  sized.sources.push_back(
      {true, static_cast<size_t>(column - columns.begin())});
  return Status::ok();
}

Status BatchRuns::addOutputs(SizedEntry &sized) const {
  const std::span<const TensorInfo> outputs = entry.outputs(sized.shape);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorInfo &output = outputs[i];
    if (!output.space.isHost())
      return invalidArgument(fmt::format(
          "output '{}' of entry '{}' lies on {}; compile the model for it "
          "without --port-space",
          printable(output.name), printable(entry.name()),
          output.space.deviceName()));
    WEIR_ASSIGN_OR_RETURN(
        HostTensor tensor,
        HostTensor::zeros(output.desc.type, output.desc.dims));
    if (output.desc.numElements() == 1)
      sized.valueOutputs.push_back(i);
    sized.outputs.push_back(std::move(tensor));
  }
  for (HostTensor &tensor : sized.outputs)
    sized.outputViews.push_back(
        {tensor.type(), tensor.dims(), tensor.data(), tensor.bytes().size()});
  return Status::ok();
}

StatusOr<BatchRuns::SizedEntry>
BatchRuns::makeSizedEntry(size_t shape, std::span<const ColumnInfo> columns,
                          std::span<const NamedColumn> fixed) const {
  SizedEntry sized;
  sized.shape = shape;
  for (const TensorInfo &input : entry.inputs(shape))
    WEIR_RETURN_IF_ERROR(bind(sized, input, columns, fixed));
  if (sized.batchSize == 0)
    return invalidArgument(fmt::format(
        "no input of entry '{}' is a column of the data: {}; {}",
        printable(entry.name()), listColumns(columns),
        entry.inputs(shape).empty() ? "it has no inputs, so name another entry"
                                    : "name the columns after its inputs"));
  for (const Source &source : sized.sources) {
    sized.inputViews.emplace_back();
    if (source.isColumn)
      continue;
    const HostTensor &value = fixed[source.index].values;
    sized.inputViews.back() = {value.type(), value.dims(), value.data(),
                               value.bytes().size()};
  }
  WEIR_RETURN_IF_ERROR(addOutputs(sized));
  return sized;
}

StatusOr<BatchRuns> BatchRuns::create(SessionEntry entry,
                                      std::span<const ColumnInfo> columns,
                                      std::span<const NamedColumn> fixed,
                                      OptionNames optionNames) {
  BatchRuns runs(entry, optionNames);
  for (size_t shape = 0; shape < entry.numShapes(); ++shape) {
    WEIR_ASSIGN_OR_RETURN(SizedEntry sized,
                          runs.makeSizedEntry(shape, columns, fixed));
    runs.sizedEntries.push_back(std::move(sized));
  }
  const SizedEntry &first = runs.sizedEntries.front();
  for (const size_t output : first.valueOutputs)
    runs.names.push_back(entry.outputs(first.shape)[output].name);
  for (const SizedEntry &sized : runs.sizedEntries)
    if (sized.valueOutputs != first.valueOutputs)
      return invalidArgument(fmt::format(
          "entry '{}' has other outputs of one element for batches of {} than "
          "for batches of {}; reduce the outputs of a batch of one to a tensor "
          "without dims",
          printable(entry.name()), sized.batchSize, first.batchSize));
  runs.values.resize(runs.names.size());
  return runs;
}

std::vector<int64_t> BatchRuns::batchSizes() const {
  std::vector<int64_t> sizes;
  for (const SizedEntry &sized : sizedEntries)
    sizes.push_back(sized.batchSize);
  return sizes;
}

StatusOr<std::span<const double>> BatchRuns::run(const Batch &batch,
                                                 const RunOptions &options) {
  const std::span<const HostTensor> tensors = batch.tensors();
  SizedEntry *sized = nullptr;
  for (SizedEntry &candidate : sizedEntries)
    if (candidate.batchSize == tensors.front().dims().front())
      sized = &candidate;
  if (!sized)
    return invalidArgument(
        fmt::format("entry '{}' is compiled for batches of {}, found one of {}",
                    printable(entry.name()), fmt::join(batchSizes(), ", "),
                    tensors.front().dims().front()));
  for (size_t i = 0; i < sized->sources.size(); ++i) {
    if (!sized->sources[i].isColumn)
      continue;
    const HostTensor &tensor = tensors[sized->sources[i].index];
    sized->inputViews[i] = {tensor.type(),
                            entry.inputs(sized->shape)[i].desc.dims,
                            tensor.data(), tensor.bytes().size()};
  }
  WEIR_RETURN_IF_ERROR(
      entry.run(sized->inputViews, sized->outputViews, options));
  last = sized;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        withoutNaNSign(elementOf(sized->outputs[sized->valueOutputs[i]]));
  return std::span<const double>(values);
}
