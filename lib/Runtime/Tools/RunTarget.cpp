//===- RunTarget.cpp - Which shape of an entry graph-run runs -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RunTarget.h"

#include "../Session/PortCheck.h"
#include "weir/Support/IndexSpec.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

using namespace weir;

/// The inputs whose dims are not the same in all shapes of `entry`.
static std::vector<size_t> inputsThatDiffer(const SessionEntry &entry) {
  std::vector<size_t> found;
  for (size_t i = 0; i < entry.inputs().size(); ++i)
    for (size_t shape = 1; shape < entry.numShapes(); ++shape)
      if (entry.inputs(shape)[i].desc.dims != entry.inputs()[i].desc.dims) {
        found.push_back(i);
        break;
      }
  return found;
}

/// "x:8x3,y:8x10": the dims of the inputs `ports` in one shape of an entry.
static std::string describeShape(std::span<const TensorInfo> inputs,
                                 std::span<const size_t> ports) {
  std::string text;
  for (const size_t port : ports)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", inputs[port].name,
                        shapeToString(inputs[port].desc.dims));
  return text;
}

namespace {

/// The shapes of an entry that fit all wishes so far. A wish is an argument of
/// --shape, or a file for an input.
class ShapeChoice {
public:
  explicit ShapeChoice(const SessionEntry &entry)
      : entry(entry), differing(inputsThatDiffer(entry)),
        left(entry.numShapes()) {
    std::iota(left.begin(), left.end(), size_t{0});
  }

  const std::vector<size_t> &shapes() const { return left; }
  /// The shapes that are left, as text: "x:1x3 and x:5x3".
  std::string describe() const { return describe(left); }
  Status takeOption(const std::string &text);
  Status takeFile(size_t port, const HostTensor &tensor,
                  const std::string &path);

private:
  std::string describe(std::span<const size_t> shapes) const;
  /// Whether some shape of the entry has `dims` for input `port`, even if that
  /// shape does not fit the wishes.
  bool isKnown(size_t port, std::span<const int64_t> dims) const;
  /// The error for `found`, dims that no shape which is left has for input
  /// `port`.
  Status refuse(size_t port, std::span<const int64_t> dims,
                std::string_view found) const;
  /// The advice to compile another plan of the entry: "another --shape=x:7x3
  /// and one more --shape of each of 'y'".
  std::string flagsFor(size_t port, std::span<const int64_t> dims) const;
  /// Keeps the shapes in which input `port` has `dims`. If there are none,
  /// keeps all shapes and returns false.
  bool keep(size_t port, std::span<const int64_t> dims);

  const SessionEntry &entry;
  std::vector<size_t> differing;
  std::vector<size_t> left;
};

} // namespace

std::string ShapeChoice::describe(std::span<const size_t> shapes) const {
  std::vector<std::string> texts;
  for (const size_t shape : shapes)
    texts.push_back(describeShape(entry.inputs(shape), differing));
  return fmt::format("{}", fmt::join(texts, " and "));
}

bool ShapeChoice::isKnown(size_t port, std::span<const int64_t> dims) const {
  for (size_t shape = 0; shape < entry.numShapes(); ++shape)
    if (std::ranges::equal(entry.inputs(shape)[port].desc.dims, dims))
      return true;
  return false;
}

std::string ShapeChoice::flagsFor(size_t port,
                                  std::span<const int64_t> dims) const {
  std::vector<std::string> others;
  for (const size_t other : differing)
    if (other != port)
      others.push_back(
          fmt::format("'{}'", printable(entry.inputs()[other].name)));
  return fmt::format("another --shape={}:{}{}{}",
                     printable(entry.inputs()[port].name), fmt::join(dims, "x"),
                     others.empty() ? "" : " and one more --shape of each of ",
                     fmt::join(others, ", "));
}

Status ShapeChoice::refuse(size_t port, std::span<const int64_t> dims,
                           std::string_view found) const {
  const std::string name = printable(entry.name());
  std::vector<size_t> all(entry.numShapes());
  std::iota(all.begin(), all.end(), size_t{0});
  // A fixed dim cannot get another value, so no flag is advised.
  if (!std::ranges::count(differing, port))
    return invalidArgument(fmt::format(
        "expected {}, {}, found {}; give that, or compile for another shape",
        shapeToString(entry.inputs()[port].desc.dims),
        entry.numShapes() == 1
            ? fmt::format("for which entry '{}' is compiled", name)
            : fmt::format("which entry '{}' takes in all of its shapes", name),
        found));
  if (isKnown(port, dims))
    return invalidArgument(fmt::format(
        "expected the shape that --shape and the inputs before it ask for, {}, "
        "found {}; the shapes of entry '{}' are {}; give all inputs of one "
        "shape",
        printable(describe()), found, name, printable(describe(all))));
  return invalidArgument(fmt::format(
      "expected one of the shapes of entry '{}', which are {}, found {}; give "
      "one of them, or compile for this one, too, with {}",
      name, printable(describe(all)), found, flagsFor(port, dims)));
}

bool ShapeChoice::keep(size_t port, std::span<const int64_t> dims) {
  std::vector<size_t> kept;
  for (const size_t shape : left)
    if (std::ranges::equal(entry.inputs(shape)[port].desc.dims, dims))
      kept.push_back(shape);
  if (kept.empty())
    return false;
  left = std::move(kept);
  return true;
}

Status ShapeChoice::takeOption(const std::string &text) {
  WEIR_ASSIGN_OR_RETURN(const ShapeOption option, parseShapeOption(text));
  const auto inputs = entry.inputs();
  const auto input = std::ranges::find(inputs, option.input, &TensorInfo::name);
  if (input == inputs.end())
    return invalidArgument(fmt::format(
        "there is no input '{}'; there are {}{}", printable(option.input),
        describePorts(inputs), describeList(option.input)));
  const auto port = static_cast<size_t>(input - inputs.begin());
  if (keep(port, option.dims))
    return Status::ok();
  return refuse(port, option.dims, shapeToString(option.dims));
}

Status ShapeChoice::takeFile(size_t port, const HostTensor &tensor,
                             const std::string &path) {
  // If there is only one shape, the later check of the tensor says more.
  if (entry.numShapes() == 1 || keep(port, tensor.dims()))
    return Status::ok();
  return refuse(
      port, tensor.dims(),
      fmt::format("{} in '{}'", tensor.desc().toString(), printable(path)));
}

StatusOr<RunTarget> RunTarget::choose(Session &session, SessionEntry entry,
                                      std::span<const std::string> shapes,
                                      const InputArguments &inputs) {
  ShapeChoice choice(entry);
  for (const std::string &text : shapes)
    WEIR_RETURN_IF_ERROR(
        choice.takeOption(text).withContext(fmt::format("--shape={}", text)));
  for (size_t i = 0; i < inputs.arguments.size(); ++i)
    if (inputs.files[i])
      WEIR_RETURN_IF_ERROR(
          choice
              .takeFile(inputs.arguments[i].port, *inputs.files[i],
                        inputs.arguments[i].value)
              .withContext(fmt::format(
                  "input '{}'",
                  printable(entry.inputs()[inputs.arguments[i].port].name))));
  RunTarget target(session, entry);
  target.shape = choice.shapes().front();
  if (choice.shapes().size() > 1)
    target.otherShapes = choice.describe();
  return target;
}

std::string RunTarget::name() const {
  const std::string shapes = describeShape(inputs(), inputsThatDiffer(entry));
  return shapes.empty() ? std::string(entry.name())
                        : fmt::format("{}[{}]", entry.name(), shapes);
}
