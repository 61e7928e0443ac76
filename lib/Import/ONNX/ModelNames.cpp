//===- ModelNames.cpp - Checks the names in an ONNX model -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Names of a model are parts of messages, reports and graphs. Tools that export
// models write no control characters into them.
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;
using namespace weir::onnx;

static Status checkName(std::string_view name, std::string_view what) {
  std::string visible(name);
  std::erase(visible, '\t');
  if (printable(visible) != visible)
    return invalidArgument(
        fmt::format("the name '{}' of {} has control characters other than "
                    "tabs, or bytes that are not UTF-8; rename it",
                    printable(name), what));
  return Status::ok();
}

static Status checkEach(const std::vector<std::string_view> &names,
                        std::string_view what) {
  for (std::string_view name : names)
    WEIR_RETURN_IF_ERROR(checkName(name, what));
  return Status::ok();
}

static Status checkGraph(const Graph &graph);

static Status checkNode(const Node &node) {
  for (std::string_view name :
       {node.name, node.opType, node.domain, node.overload})
    WEIR_RETURN_IF_ERROR(checkName(name, "a node"));
  WEIR_RETURN_IF_ERROR(checkEach(node.inputs, "a tensor"));
  WEIR_RETURN_IF_ERROR(checkEach(node.outputs, "a tensor"));
  for (const onnx::Attribute &attribute : node.attributes) {
    WEIR_RETURN_IF_ERROR(checkName(attribute.name, "an attribute"));
    WEIR_RETURN_IF_ERROR(checkName(attribute.reference, "an attribute"));
    if (attribute.graph)
      WEIR_RETURN_IF_ERROR(checkGraph(*attribute.graph));
  }
  return Status::ok();
}

static Status checkPorts(const std::vector<ValueInfo> &ports,
                         std::string_view what) {
  for (const ValueInfo &port : ports) {
    WEIR_RETURN_IF_ERROR(checkName(port.name, what));
    if (port.type.tensor && port.type.tensor->shape)
      for (const Dim &dim : port.type.tensor->shape->dims)
        WEIR_RETURN_IF_ERROR(checkName(dim.name, "a dim"));
  }
  return Status::ok();
}

static Status checkGraph(const Graph &graph) {
  for (const Node &node : graph.nodes)
    WEIR_RETURN_IF_ERROR(checkNode(node));
  for (const TensorProto &tensor : graph.initializers)
    WEIR_RETURN_IF_ERROR(checkName(tensor.name, "an initialiser"));
  for (const SparseTensor &tensor : graph.sparseInitializers)
    WEIR_RETURN_IF_ERROR(checkName(tensor.values.name, "an initialiser"));
  WEIR_RETURN_IF_ERROR(checkPorts(graph.inputs, "an input"));
  return checkPorts(graph.outputs, "an output");
}

static Status checkDomains(const std::vector<OpsetId> &opsets) {
  for (const OpsetId &opset : opsets)
    WEIR_RETURN_IF_ERROR(checkName(opset.domain, "an opset"));
  return Status::ok();
}

Status onnx::checkNames(const Model &model) {
  WEIR_RETURN_IF_ERROR(checkGraph(*model.graph));
  WEIR_RETURN_IF_ERROR(checkDomains(model.opsets));
  for (const Function &function : model.functions) {
    WEIR_RETURN_IF_ERROR(checkName(function.name, "a function"));
    WEIR_RETURN_IF_ERROR(checkName(function.domain, "a function"));
    WEIR_RETURN_IF_ERROR(checkEach(function.inputs, "an input"));
    WEIR_RETURN_IF_ERROR(checkEach(function.outputs, "an output"));
    WEIR_RETURN_IF_ERROR(checkDomains(function.opsets));
    for (const Node &node : function.nodes)
      WEIR_RETURN_IF_ERROR(checkNode(node));
  }
  return Status::ok();
}
