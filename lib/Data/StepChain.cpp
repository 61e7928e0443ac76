//===- StepChain.cpp - The steps of the map of a column -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StepChain.h"

#include "ImageSteps.h"
#include "ValueStep.h"

#include "weir/Support/ShapeLimits.h"
#include "weir/Support/TensorDesc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <utility>

using namespace weir;

namespace {
std::string describeType(const ExampleType &type) {
  return fmt::format("[{}] of {}", fmt::join(type.dims, ","),
                     toString(type.type));
}

int64_t countElements(const ExampleType &type) {
  return TensorDesc::rowMajor(type.type, type.dims).numElements();
}

/// The image that an example is, with its number of channels.
struct FoundImage {
  ImageShape shape;
  int64_t channels = 1;
};
StatusOr<FoundImage> findImage(const ExampleType &type, bool isChannelsFirst,
                               std::string_view step) {
  const std::vector<int64_t> &dims = type.dims;
  if (dims.size() != 2 && dims.size() != 3)
    return invalidArgument(fmt::format(
        "{} expects images [height, width] or with channels, found {}", step,
        describeType(type)));
  const size_t bytes = byteSize(type.type);
  if (dims.size() == 2)
    return FoundImage{{1, dims[0], dims[1], bytes}, 1};
  if (isChannelsFirst)
    return FoundImage{{dims[0], dims[1], dims[2], bytes}, dims[0]};
  return FoundImage{{1, dims[0], dims[1], bytes * static_cast<size_t>(dims[2])},
                    dims[2]};
}

/// Implements `OneHotStep`.
class OneHot : public ExampleStep {
public:
  OneHot(DType from, int64_t count, const OneHotStep &step)
      : from(from), count(count), step(step) {}
  Status apply(const std::byte *source, std::byte *target,
               const StepDraw &draw) const override {
    const auto classes = static_cast<size_t>(step.classes);
    std::memset(target, 0,
                static_cast<size_t>(count) * classes * byteSize(step.type));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t label = loadInt(from, source, i);
      if (label < 0 || label >= step.classes)
        return invalidArgument(fmt::format(
            "one-hot:{} expects a class from 0 to {}, found {}; {}",
            step.classes, step.classes - 1,
            from == DType::U64 ? std::to_string(static_cast<uint64_t>(label))
                               : std::to_string(label),
            label < 0 ? "mend the value"
                      : "if it is a class, give one-hot more classes, or else "
                        "mend the value"));
      storeFloat(step.type, target, i * step.classes + label, 1);
    }
    return Status::ok();
  }

private:
  DType from;
  int64_t count;
  OneHotStep step;
};

/// Implements `CustomStep`.
class Custom : public ExampleStep {
public:
  Custom(const CustomStep &step, size_t fromBytes, size_t toBytes)
      : function(step.apply), fromBytes(fromBytes), toBytes(toBytes) {}
  Status apply(const std::byte *source, std::byte *target,
               const StepDraw &draw) const override {
    return function({source, fromBytes}, {target, toBytes});
  }

private:
  decltype(CustomStep::apply) function;
  size_t fromBytes, toBytes;
};
} // namespace

Status StepChain::append(const MapStep &step) {
  return std::visit([&](const auto &asked) { return add(asked); }, step);
}

Status StepChain::apply(const std::byte *from, std::byte *to,
                        const DrawKey &key, int64_t row,
                        ReadScratch &scratch) const {
  StepDraw draw{key, row, 0};
  bool isInFirst = true;
  for (const Link &link : links) {
    std::byte *target = to;
    if (&link != &links.back())
      target = (isInFirst ? scratch.second : scratch.first).reserve(link.bytes);
    if (!target)
      return Status::outOfMemory();
    draw.step = link.randomStep;
    WEIR_RETURN_IF_ERROR(link.step->apply(from, target, draw));
    from = target;
    isInFirst = !isInFirst;
  }
  return Status::ok();
}

Status StepChain::push(std::shared_ptr<const ExampleStep> step,
                       ExampleType result) {
  WEIR_ASSIGN_OR_RETURN(const size_t bytes,
                        rowMajorBytes(result.type, result.dims));
  links.push_back({std::move(step), bytes, numRandomSteps});
  type = std::move(result);
  last = nullptr;
  return Status::ok();
}

std::shared_ptr<ValueStep> StepChain::valueStep() {
  // The last step is copied, because other datasets may share it.
  if (last)
    return std::make_shared<ValueStep>(*last);
  return std::make_shared<ValueStep>(type.type, countElements(type));
}

Status StepChain::pushValues(std::shared_ptr<ValueStep> step) {
  step->finish();
  if (last)
    links.pop_back();
  WEIR_RETURN_IF_ERROR(push(step, {step->result(), type.dims}));
  last = std::move(step);
  return Status::ok();
}

Status StepChain::add(const CastStep &step) {
  WEIR_RETURN_IF_ERROR(checkDType(step.type));
  if (step.type == type.type)
    return Status::ok();
  std::shared_ptr<ValueStep> values = valueStep();
  values->cast(step.type);
  return pushValues(std::move(values));
}

Status StepChain::castToFloats() {
  return isFloat(type.type) ? Status::ok() : add(CastStep{DType::F32});
}

Status StepChain::add(const ScaleStep &step) {
  if (!std::isfinite(step.divisor) || step.divisor == 0)
    return invalidArgument(fmt::format(
        "scale expects a number other than 0, found {}", step.divisor));
  WEIR_RETURN_IF_ERROR(castToFloats());
  std::shared_ptr<ValueStep> values = valueStep();
  values->divide({step.divisor}, {});
  return pushValues(std::move(values));
}

/// Checks `values` of the step `what`: one for each of `channels` channels, or
/// one for all.
static Status checkPerChannel(const std::vector<double> &values,
                              std::string_view what, int64_t channels,
                              const ExampleType &type) {
  if (values.empty() ||
      (values.size() != 1 && static_cast<int64_t>(values.size()) != channels))
    return invalidArgument(fmt::format(
        "normalise expects 1 {0} or one for each of the {1} channels of {2}, "
        "found {3}; if the channels come first, write chw-already before it",
        what, channels, describeType(type), values.size()));
  for (double value : values)
    if (!std::isfinite(value) || (what == "deviation" && value <= 0))
      return invalidArgument(
          fmt::format("normalise expects a finite {}{}, found {}", what,
                      what == "deviation" ? " above 0" : "", value));
  return Status::ok();
}

Status StepChain::add(const NormaliseStep &step) {
  ChannelPlace place;
  if (type.dims.size() == 3 && isChannelsFirst)
    place = {type.dims[0], type.dims[1] * type.dims[2]};
  else if (!type.dims.empty() && type.dims.size() != 2)
    place = {type.dims.back(), 1};
  for (const auto &[values, what] :
       {std::pair{&step.mean, "mean"}, {&step.deviation, "deviation"}})
    WEIR_RETURN_IF_ERROR(checkPerChannel(*values, what, place.count, type));
  WEIR_RETURN_IF_ERROR(castToFloats());
  std::shared_ptr<ValueStep> values = valueStep();
  values->subtract(step.mean, place);
  values->divide(step.deviation, place);
  return pushValues(std::move(values));
}

Status StepChain::add(const OneHotStep &step) {
  WEIR_RETURN_IF_ERROR(checkDType(step.type));
  if (step.classes < 1 || step.classes > sizeLimit)
    return invalidArgument(fmt::format(
        "one-hot expects at least 1 class, found {}", step.classes));
  if (isFloat(type.type))
    return invalidArgument(
        fmt::format("one-hot expects integers, found {}; cast them to i64 "
                    "first if they are whole numbers",
                    describeType(type)));
  ExampleType result{step.type, type.dims};
  result.dims.push_back(step.classes);
  return push(std::make_shared<OneHot>(type.type, countElements(type), step),
              std::move(result));
}

Status StepChain::add(const ReshapeStep &step) {
  const ExampleType result{type.type, step.dims};
  WEIR_ASSIGN_OR_RETURN(const size_t bytes,
                        rowMajorBytes(result.type, result.dims));
  WEIR_ASSIGN_OR_RETURN(const size_t before,
                        rowMajorBytes(type.type, type.dims));
  if (bytes != before)
    return invalidArgument(
        fmt::format("reshape to [{}] does not have as many elements as {}",
                    fmt::join(step.dims, ","), describeType(type)));
  type = result;
  isChannelsFirst = false;
  // The channels are now in another place. So the next step on elements cannot
  // be joined with the last one.
  last = nullptr;
  return Status::ok();
}

Status StepChain::add(const ChannelsFirstStep &step) {
  if (isChannelsFirst)
    return invalidArgument("chw: the channels come first already");
  WEIR_ASSIGN_OR_RETURN(const FoundImage image,
                        findImage(type, isChannelsFirst, "chw"));
  ExampleType result{type.type,
                     {image.channels, image.shape.height, image.shape.width}};
  isChannelsFirst = true;
  if (image.channels == 1) {
    type = std::move(result);
    last = nullptr;
    return Status::ok();
  }
  return push(std::make_shared<SplitChannelsStep>(
                  image.shape.height * image.shape.width, image.channels,
                  byteSize(type.type)),
              std::move(result));
}

Status StepChain::add(const IsChannelsFirstStep &step) {
  if (type.dims.size() != 3)
    return invalidArgument(
        fmt::format("chw-already expects [channels, height, width], found {}",
                    describeType(type)));
  isChannelsFirst = true;
  last = nullptr;
  return Status::ok();
}

Status StepChain::add(const RandomCropStep &step) {
  WEIR_ASSIGN_OR_RETURN(const FoundImage image,
                        findImage(type, isChannelsFirst, "crop"));
  const int64_t height = image.shape.height, width = image.shape.width;
  if (step.padding < 0 || step.padding > sizeLimit)
    return invalidArgument(fmt::format(
        "crop expects a padding of at least 0, found {}", step.padding));
  if (step.height < 1 || step.width < 1 ||
      step.height > height + 2 * step.padding ||
      step.width > width + 2 * step.padding)
    return invalidArgument(fmt::format(
        "crop expects a part of at least 1x1 and at most {}x{}, the image with "
        "its padding; found {}x{}{}",
        height + 2 * step.padding, width + 2 * step.padding, step.height,
        step.width,
        type.dims.size() == 3 && !isChannelsFirst
            ? "; if the channels come first, write chw-already before it"
            : ""));
  ExampleType result = type;
  const size_t first = isChannelsFirst && type.dims.size() == 3 ? 1 : 0;
  result.dims[first] = step.height;
  result.dims[first + 1] = step.width;
  WEIR_RETURN_IF_ERROR(
      push(std::make_shared<CropStep>(image.shape, step), std::move(result)));
  ++numRandomSteps;
  return Status::ok();
}

Status StepChain::add(const RandomFlipStep &step) {
  WEIR_ASSIGN_OR_RETURN(const FoundImage image,
                        findImage(type, isChannelsFirst, "flip"));
  WEIR_RETURN_IF_ERROR(push(std::make_shared<FlipStep>(image.shape), type));
  ++numRandomSteps;
  return Status::ok();
}

Status StepChain::add(const CustomStep &step) {
  if (!step.apply)
    return invalidArgument("a custom step expects a function");
  WEIR_ASSIGN_OR_RETURN(const size_t before,
                        rowMajorBytes(type.type, type.dims));
  WEIR_ASSIGN_OR_RETURN(const size_t after,
                        rowMajorBytes(step.type, step.dims));
  isChannelsFirst = false;
  return push(std::make_shared<Custom>(step, before, after),
              {step.type, step.dims});
}
