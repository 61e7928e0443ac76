//===- RunTarget.cpp - Which shape of an entry graph-run runs -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RunTarget.h"

#include "../PortCheck.h"
#include "weir/Support/IndexSpec.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <set>

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
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",",
                        printable(inputs[port].name),
                        shapeToString(inputs[port].desc.dims));
  return text;
}

namespace {

/// The shapes of an entry that are left while one wish after the other is
/// applied.
class ShapeChoice {
public:
  explicit ShapeChoice(const SessionEntry &entry)
      : entry(entry), differing(inputsThatDiffer(entry)),
        left(entry.numShapes()) {
    std::iota(left.begin(), left.end(), size_t{0});
  }

  const std::vector<size_t> &shapes() const { return left; }
  std::string describe() const;
  Status takeOption(const std::string &text);
  Status takeFile(size_t port, const HostTensor &tensor,
                  const std::string &path);

private:
  /// Keeps the shapes in which input `port` has `dims`. If there are none,
  /// keeps all and returns false.
  bool keep(size_t port, std::span<const int64_t> dims);

  const SessionEntry &entry;
  std::vector<size_t> differing;
  std::vector<size_t> left;
  /// The inputs that --shape has named.
  std::set<size_t> named;
};

} // namespace

std::string ShapeChoice::describe() const {
  std::vector<std::string> texts;
  for (const size_t shape : left)
    texts.push_back(describeShape(entry.inputs(shape), differing));
  return fmt::format("{}", fmt::join(texts, " and "));
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
    return invalidArgument(fmt::format("there is no input '{}'; there are {}",
                                       printable(option.input),
                                       describePorts(inputs)));
  const auto port = static_cast<size_t>(input - inputs.begin());
  if (!named.insert(port).second)
    return invalidArgument(fmt::format("'{}' is given twice; give it once",
                                       printable(option.input)));
  if (keep(port, option.dims))
    return Status::ok();
  if (left.size() == 1)
    return invalidArgument(fmt::format(
        "expected {}, for which entry '{}' is compiled; give that, or compile "
        "with --shape={}",
        shapeToString(entry.inputs(left.front())[port].desc.dims),
        printable(entry.name()), text));
  return invalidArgument(fmt::format(
      "expected one of the shapes of entry '{}', which are {}; give one of "
      "them, or compile for this one, too, with another --shape={}",
      printable(entry.name()), describe(), text));
}

Status ShapeChoice::takeFile(size_t port, const HostTensor &tensor,
                             const std::string &path) {
  // If there is only one shape, the check of the tensor says more.
  if (entry.numShapes() == 1 || keep(port, tensor.dims()))
    return Status::ok();
  if (left.size() == 1)
    return invalidArgument(fmt::format(
        "expected the shape that --shape and the inputs before it ask for, {}, "
        "found {} in '{}'; give all inputs of one shape",
        describe(), tensor.desc().toString(), printable(path)));
  return invalidArgument(fmt::format(
      "expected one of the shapes of entry '{}', which are {}, found {} in "
      "'{}'; reshape it, or compile for its shape, too, with another "
      "--shape={}:{}",
      printable(entry.name()), describe(), tensor.desc().toString(),
      printable(path), printable(entry.inputs()[port].name),
      fmt::join(tensor.dims(), "x")));
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
