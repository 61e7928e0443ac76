//===- NodeBuilder.cpp - Turns one ONNX node into weir ops ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"

#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

/// Whether `value` is a mask of a Dropout that is right only in inference.
static bool isMaskOfInference(Value value) {
  Operation *maker = value ? value.getDefiningOp() : nullptr;
  return maker && maker->hasAttr(attrs::onlyTraining) && !isa<DropoutOp>(maker);
}

NodeBuilder::NodeBuilder(OpBuilder &builder, Weights &weights,
                         size_t &numListed, const Node &node, StringRef name,
                         int64_t opset, std::vector<Value> inputs,
                         Attributes attributes)
    : builder(builder), weights(weights), numListed(numListed), node(node),
      location(nameOpAndResults(builder.getStringAttr(name), {})),
      version(opset), inputs(std::move(inputs)),
      attributes(std::move(attributes)) {
  // In opsets 1 to 5, this attribute says which results may overwrite inputs.
  ignoreAttr("consumed_inputs");
  for (auto [i, input] : llvm::enumerate(this->inputs))
    if (isMaskOfInference(input))
      warn("reads the mask '{}', which says in training, too, that nothing was "
           "dropped; remove the node",
           node.inputs[i]);
}

void NodeBuilder::warnWith(const std::string &text) {
  emitWarning(location) << fmt::format(
      "node '{}' ({}) {}", getName(location).str(), node.opType, text);
}

//===----------------------------------------------------------------------===//
// The node
//===----------------------------------------------------------------------===//

std::string NodeBuilder::inputName(size_t i) const {
  return i < node.inputs.size() && !node.inputs[i].empty()
             ? fmt::format("input {} ('{}')", i, node.inputs[i])
             : fmt::format("input {}", i);
}

Tensor NodeBuilder::in(size_t i) {
  if (!has(i))
    fail("it lacks input {} (the first is input 0), which {} needs; give it "
         "one",
         i, node.opType);
  return optional(i);
}

Tensor NodeBuilder::optional(size_t i) {
  readInputs.insert(i);
  return has(i) && checkTensor(i) ? wrap(inputs[i]) : Tensor();
}

SmallVector<Tensor> NodeBuilder::allInputs() {
  SmallVector<Tensor> all;
  for (size_t i = 0; i < inputs.size(); ++i)
    all.push_back(in(i));
  return all;
}

const onnx::Attribute *NodeBuilder::find(std::string_view name, int64_t type) {
  readAttrs.insert(name);
  auto found = attributes.find(name);
  if (found == attributes.end())
    return nullptr;
  // Early models do not give the type of an attribute.
  if (found->second->type == type || found->second->type == 0)
    return found->second;
  constexpr std::string_view names[] = {"nothing", "a float",  "an integer",
                                        "a text",  "a tensor", "a graph",
                                        "floats",  "integers", "texts"};
  auto nameOf = [&](int64_t number) {
    return number >= 0 && number < std::ssize(names)
               ? names[number]
               : std::string_view("of another kind");
  };
  fail("attribute '{}' is {}, expected {}", name, nameOf(found->second->type),
       nameOf(type));
  return nullptr;
}

int64_t NodeBuilder::intAttr(std::string_view name, int64_t otherwise) {
  const onnx::Attribute *found = find(name, onnx::Attribute::Int);
  return found ? found->integer : otherwise;
}

double NodeBuilder::floatAttr(std::string_view name, double otherwise) {
  const onnx::Attribute *found = find(name, onnx::Attribute::Float);
  return found ? static_cast<double>(found->number) : otherwise;
}

std::string_view NodeBuilder::textAttr(std::string_view name,
                                       std::string_view otherwise) {
  const onnx::Attribute *found = find(name, onnx::Attribute::String);
  return found ? found->text : otherwise;
}

Ints NodeBuilder::intsAttr(std::string_view name) {
  const onnx::Attribute *found = find(name, onnx::Attribute::Ints);
  return found ? Ints(found->integers.begin(), found->integers.end()) : Ints();
}

std::vector<float> NodeBuilder::floatsAttr(std::string_view name) {
  const onnx::Attribute *found = find(name, onnx::Attribute::Floats);
  return found ? found->numbers : std::vector<float>();
}

std::vector<std::string_view> NodeBuilder::textsAttr(std::string_view name) {
  const onnx::Attribute *found = find(name, onnx::Attribute::Strings);
  return found ? found->texts : std::vector<std::string_view>();
}

Tensor NodeBuilder::tensorAttr(std::string_view name) {
  const onnx::Attribute *found = find(name, onnx::Attribute::Tensor);
  if (!found)
    return {};
  StatusOr<HostTensor> tensor = found->tensor.decode();
  if (tensor.isOk())
    return constant(*tensor);
  failWith(std::move(tensor).status().withContext(
      fmt::format("attribute '{}'", name)));
  return {};
}

Tensor NodeBuilder::weightAttr(std::string_view name) {
  const onnx::Attribute *found = find(name, onnx::Attribute::Tensor);
  if (!found || !weights.isWeight(found->tensor))
    return tensorAttr(name);
  StatusOr<Value> value =
      weights.add(found->tensor, node.outputs.front(), builder);
  if (value.isOk())
    return wrap(*value);
  failWith(std::move(value).status().withContext(
      fmt::format("attribute '{}'", name)));
  return {};
}

/// The inputs of the graph on which `value` depends.
static std::set<std::string> findSources(Value value) {
  std::set<std::string> names;
  SmallVector<Value> open = {value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto input = dyn_cast<BlockArgument>(next))
      names.insert(getName(input.getLoc()).str());
    else
      llvm::append_range(open, next.getDefiningOp()->getOperands());
  }
  return names;
}

Status NodeBuilder::checkKnown(size_t i) {
  Tensor value = in(i);
  if (!isOk() || Value(value).getDefiningOp<ConstantOp>())
    return Status::ok();
  std::set<std::string> sources = findSources(value);
  if (sources.empty())
    return invalidArgument(fmt::format(
        "{} must be known at compile time, but is computed from parameters",
        inputName(i)));
  return invalidArgument(
      fmt::format("{} must be known at compile time, but depends on inputs of "
                  "the graph; make it a constant with --bind {}=FILE",
                  inputName(i), fmt::join(sources, "=FILE --bind ")));
}

std::optional<Ints> NodeBuilder::tryInts(Tensor value) {
  auto constant =
      value ? Value(value).getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant || value.isFloat())
    return std::nullopt;
  std::vector<char> bytes = getConstantBytes(constant.getValue());
  Ints numbers;
  DType type = *toDType(value.elementType());
  for (int64_t n = 0; n < value.numElements(); ++n)
    numbers.push_back(loadInt(type, bytes.data(), n));
  return numbers;
}

Ints NodeBuilder::knownInts(size_t i) {
  if (Status known = checkKnown(i); !known.isOk())
    failWith(known);
  std::optional<Ints> numbers = isOk() ? tryInts(in(i)) : Ints();
  if (!numbers)
    fail("{} expects integers, found floats", inputName(i));
  return numbers.value_or(Ints());
}

std::vector<double> NodeBuilder::knownFloats(size_t i) {
  if (Status known = checkKnown(i); !known.isOk())
    failWith(known);
  std::vector<double> numbers;
  if (!isOk())
    return numbers;
  Tensor value = in(i);
  std::vector<char> bytes =
      getConstantBytes(Value(value).getDefiningOp<ConstantOp>().getValue());
  DType type = *toDType(value.elementType());
  for (int64_t n = 0; n < value.numElements(); ++n)
    numbers.push_back(
        value.isFloat() ? loadFloat(type, bytes.data(), n)
                        : static_cast<double>(loadInt(type, bytes.data(), n)));
  return numbers;
}

int64_t NodeBuilder::axis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  if (rank == 0)
    fail("a scalar has no axis {}; expected a tensor of rank 1 or more", axis);
  else
    fail("axis {} is out of range for a tensor of rank {}; expected {} to {}",
         axis, rank, -rank, rank - 1);
  return 0;
}

Ints NodeBuilder::axes(ArrayRef<int64_t> list, int64_t rank,
                       std::string_view name) {
  Ints found;
  for (int64_t one : list) {
    found.push_back(axis(one, rank));
    if (isOk() && llvm::is_contained(ArrayRef(found).drop_back(), found.back()))
      fail("'{}' lists axis {} twice; list it once", name, one);
  }
  return isOk() ? found : Ints();
}

Status NodeBuilder::finish(size_t numResults) {
  WEIR_RETURN_IF_ERROR(checkMoved());
  for (auto &[name, attribute] : attributes)
    if (!readAttrs.count(name) && !ignoredAttrs.count(name))
      fail("attribute '{}' is not known for {} at opset {}; {}", name,
           node.opType, version, repairUnknown(name));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (has(i) && !readInputs.count(i))
      fail("{} is not known for {} at opset {}; {}", inputName(i), node.opType,
           version, repairInput());
  for (size_t i = numResults; i < node.outputs.size(); ++i)
    if (wants(i))
      failWith(unimplemented(fmt::format(
          "output {} ('{}') is not supported; supported are the first {}", i,
          node.outputs[i], numResults)));
  return failure;
}
