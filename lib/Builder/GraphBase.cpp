//===- GraphBase.cpp - The base of the graph builder's ops ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Builder/GraphBase.h"

#include "GraphState.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace weir;

GraphBase::GraphBase(std::string_view name, CallSite site)
    : state(std::make_shared<GraphState>(name, site)) {}
GraphBase::~GraphBase() = default;

void GraphBase::beginCall(std::string_view what, CallSite site) {
  const bool wasMoved = !state;
  if (wasMoved)
    state = std::make_shared<GraphState>("main", site);
  state->beginCall(what, site);
  if (wasMoved)
    state->fail("the graph was moved from; call the one that it was moved to");
}

namespace {
/// Makes an attribute from the value of an option. There is one function for
/// each C++ type of options.
struct AttributeMaker {
  mlir::Builder &builder;

  mlir::Attribute operator()(bool value) const {
    return builder.getBoolAttr(value);
  }
  mlir::Attribute operator()(int64_t value) const {
    return builder.getI64IntegerAttr(value);
  }
  mlir::Attribute operator()(double value) const {
    return builder.getF64FloatAttr(value);
  }
  mlir::Attribute operator()(DType value) const {
    return mlir::TypeAttr::get(toMLIRType(value, builder.getContext()));
  }
  mlir::Attribute operator()(const std::string &value) const {
    return builder.getStringAttr(value);
  }
  mlir::Attribute operator()(const std::vector<int64_t> &value) const {
    return builder.getI64ArrayAttr(value);
  }
};
} // namespace

std::vector<OpOperand>
GraphBase::manyOperands(const char *name, const std::vector<Value> &values) {
  std::vector<OpOperand> operands;
  for (const Value &value : values)
    operands.push_back({name, value});
  return operands;
}

Values GraphBase::addOp(std::string_view name,
                        const std::vector<OpOperand> &operands,
                        const std::vector<OpAttribute> &attributes,
                        CallSite site) {
  beginCall(name, site);
  mlir::OperationState op(state->location(), name);
  bool areUsable = true;
  for (const OpOperand &operand : operands) {
    if (operand.isOptional && GraphState::isLeftOut(operand.value))
      continue;
    areUsable &= state->isUsable(operand.value,
                                 llvm::Twine("operand '") + operand.name + "'");
    if (areUsable)
      op.addOperands(state->use(operand.value));
  }
  if (!areUsable)
    return {{}, state->failed(), {}};
  for (const OpAttribute &attribute : attributes)
    if (auto *type = std::get_if<DType>(&attribute.value)) {
      Status known = checkDType(*type);
      if (known.isOk())
        continue;
      state->fail("attribute '" + llvm::Twine(attribute.name) +
                  "': " + llvm::StringRef(known.message()));
      return {{}, state->failed(), {}};
    }
  for (const OpAttribute &attribute : attributes)
    op.addAttribute(attribute.name, std::visit(AttributeMaker{state->builder},
                                               attribute.value));
  if (mlir::StringAttr device = state->scopedDevice())
    op.addAttribute("device", device);
  mlir::Operation *added = state->addOp(op);
  std::vector<Value> results;
  if (added)
    for (mlir::Value result : added->getResults())
      results.push_back(state->wrap(result));
  return {std::move(results), state->failed(), state->currentCall()};
}

DeviceScope::DeviceScope(GraphBase &graph, std::string_view device,
                         CallSite site) {
  graph.beginCall("DeviceScope", site);
  state = graph.state;
  state->scopedDevices.push_back(state->readDevice(device));
}

DeviceScope::~DeviceScope() { state->scopedDevices.pop_back(); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Values::missing(size_t index) const {
  // If the call has failed, its error is already recorded.
  if (!values.empty())
    failed.graph->failIn(call, "has " + llvm::Twine(values.size()) +
                                   " results, found index " +
                                   llvm::Twine(index) + "; expected 0 to " +
                                   llvm::Twine(values.size() - 1));
  return failed;
}

Value Value::named(std::string_view name, CallSite site) const {
  if (!graph)
    return *this;
  graph->beginCall("named", site);
  if (!graph->isKnown(*this, "the value"))
    return *this;
  mlir::Value value = graph->unwrap(*this);
  if (auto old = llvm::dyn_cast<mlir::NameLoc>(value.getLoc())) {
    graph->fail("'" + old.getName().getValue() +
                "' has its name already, found a second one, '" +
                llvm::Twine(name) + "'; leave one out");
    return *this;
  }
  if (graph->takeName(name, graph->ownerOf(value)))
    value.getDefiningOp()->setLoc(
        mlir::NameLoc::get(graph->builder.getStringAttr(name), value.getLoc()));
  return *this;
}

Value Value::on(std::string_view device, CallSite site) const {
  if (!graph)
    return *this;
  graph->beginCall("on", site);
  if (!graph->isKnown(*this, "the value"))
    return *this;
  auto op = graph->unwrap(*this).getDefiningOp<WeirOpInterface>();
  if (!op)
    graph->fail("expects the result of an op, found an input, parameter or "
                "constant; place the ops that read it instead");
  else if (mlir::StringAttr name = graph->readDevice(device))
    op.setDeviceAttr(name);
  return *this;
}

std::optional<DType> Value::type() const {
  if (!impl)
    return std::nullopt;
  return toDType(mlir::getElementTypeOrSelf(graph->unwrap(*this)));
}

std::vector<int64_t> Value::dims() const {
  if (!impl)
    return {};
  return toDims(
      llvm::cast<mlir::RankedTensorType>(graph->unwrap(*this).getType()));
}
