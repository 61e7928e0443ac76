//===- NodeMessages.cpp - Messages in the words of ONNX -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"

#include "weir/Support/Counted.h"
#include "weir/Support/IndexSpec.h"
#include "weir/Support/NearNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

std::string NodeBuilder::describeInput(size_t i) {
  return fmt::format("{} of shape {}", inputName(i),
                     shapeToString(in(i).shape()));
}

/// Replaces each "operand 1" in `text` by `nameOf(1)`, unless that name is
/// empty. A shape may follow in parentheses. They are removed, because the name
/// already has parentheses.
static void replaceOperands(std::string &text,
                            llvm::function_ref<std::string(size_t)> nameOf) {
  constexpr StringRef word = "operand ";
  size_t at = text.find(word);
  while (at != text.npos) {
    const StringRef digits =
        StringRef(text).substr(at + word.size()).take_while(llvm::isDigit);
    size_t number = 0;
    std::string name;
    if (!digits.getAsInteger(10, number))
      name = nameOf(number);
    size_t length = word.size() + digits.size();
    StringRef shape = StringRef(text).substr(at + length);
    if (shape.consume_front(" ("))
      if (shape = shape.take_until([](char c) { return c == ')'; });
          !name.empty() && !shape.empty()) {
        name += " of shape " + shape.str();
        length += shape.size() + 3;
      }
    if (!name.empty())
      text.replace(at, length, name);
    // The search continues after the name, which may contain the word itself.
    at = text.find(word, at + (name.empty() ? word.size() : name.size()));
  }
}

/// Rewords the message of an op on `operands` in the words of the node.
/// Operands get the names of inputs of the node. The word "attribute" at the
/// beginning is removed if the node has no such attribute.
std::string NodeBuilder::inWordsOfNode(std::string message,
                                       ArrayRef<Tensor> operands) const {
  replaceOperands(message, [&](size_t number) -> std::string {
    const auto input = number < operands.size()
                           ? llvm::find(inputs, Value(operands[number]))
                           : inputs.end();
    return input == inputs.end()
               ? ""
               : inputName(static_cast<size_t>(input - inputs.begin()));
  });
  constexpr StringRef word = "attribute '";
  if (StringRef(message).starts_with(word)) {
    const StringRef rest = StringRef(message).substr(word.size());
    if (!attributes.count(rest.take_until([](char c) { return c == '\''; })))
      message.erase(0, word.size() - 1);
  }
  return message;
}

namespace {
/// An attribute that became an input in a later opset.
struct MovedAttribute {
  std::string_view opType;
  std::string_view attribute;
  int64_t opset;
};
} // namespace

static constexpr MovedAttribute movedAttributes[] = {
    {"Clip", "max", 11},
    {"Clip", "min", 11},
    {"Dropout", "ratio", 12},
    {"Pad", "pads", 11},
    {"Pad", "value", 11},
    {"ReduceL1", "axes", 18},
    {"ReduceL2", "axes", 18},
    {"ReduceLogSum", "axes", 18},
    {"ReduceLogSumExp", "axes", 18},
    {"ReduceMax", "axes", 18},
    {"ReduceMean", "axes", 18},
    {"ReduceMin", "axes", 18},
    {"ReduceProd", "axes", 18},
    {"ReduceSum", "axes", 13},
    {"ReduceSumSquare", "axes", 18},
    {"Reshape", "shape", 5},
    {"Slice", "axes", 10},
    {"Slice", "ends", 10},
    {"Slice", "starts", 10},
    {"Split", "split", 13},
    {"Squeeze", "axes", 13},
    {"TopK", "k", 10},
    {"Unsqueeze", "axes", 13},
    {"Upsample", "scales", 9},
};

/// The error about an attribute that has become an input. This error is
/// reported first, because it is probably the cause of the others.
Status NodeBuilder::checkMoved() const {
  for (const MovedAttribute &moved : movedAttributes)
    if (moved.opType == node.opType && version >= moved.opset &&
        attributes.count(moved.attribute) && !readAttrs.count(moved.attribute))
      return invalidArgument(fmt::format(
          "attribute '{}' of {} is an input since opset {}, and the model has "
          "opset {}; make it a constant input, or export for opset {}",
          moved.attribute, moved.opType, moved.opset, version,
          moved.opset - 1));
  return Status::ok();
}

/// The names of the attributes that the handler has read.
std::vector<std::string> NodeBuilder::listKnownAttrs() const {
  return std::vector<std::string>(readAttrs.begin(), readAttrs.end());
}

/// The advice about the attribute `name`, which the handler does not know.
/// Without the attribute, the node may compute something else. So the advice
/// names similar attributes.
std::string NodeBuilder::repairUnknown(std::string_view name) const {
  std::vector<std::string> known = listKnownAttrs();
  if (known.empty())
    return "it has none, so remove it";
  std::vector<std::string> unused = known;
  std::erase_if(
      unused, [&](const std::string &each) { return attributes.count(each); });
  const std::string_view nearest = findNearest(name, unused);
  return nearest.empty() ? fmt::format("it has {}", nearNames(name, known))
                         : fmt::format("did you mean '{}'?", nearest);
}

/// The advice about an input that the handler does not know.
std::string NodeBuilder::repairInput() const {
  const std::vector<std::string> known = listKnownAttrs();
  const std::string count = counted(readInputs.size(), "input");
  if (known.empty())
    return fmt::format("it has {}, so remove it", count);
  return fmt::format("it has {} and the attributes {}: give it as one of them, "
                     "or export the model for an opset in which it is an input",
                     count, nearNames("", known));
}
