//===- Bodies.cpp - Functions, branches and loops of ONNX -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A node with a body is replaced by the nodes of the body. An If is replaced by
// the branch that is taken, and a loop by one copy of the body for each
// iteration. So conditions and numbers of iterations must be known at compile
// time.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Counted.h"

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

/// The most levels of nested calls of functions and of nested bodies.
static constexpr int maxDepth = 64;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Refuses functions that call themselves, since importing them would not end.
Status Importer::checkCall(const Function &function, const Scope &scope) const {
  if (scope.depth >= maxDepth)
    return invalidArgument(fmt::format(
        "calls are nested deeper than {}; inline the innermost ones",
        maxDepth));
  std::string calls(function.name);
  for (const Scope *in = &scope; in; in = in->caller) {
    if (!in->function)
      continue;
    calls = fmt::format("{} -> {}", in->function->name, calls);
    if (in->function == &function)
      return invalidArgument(
          fmt::format("function '{}' calls itself ({}), which ONNX does not "
                      "allow; inline the calls",
                      function.name, calls));
  }
  return Status::ok();
}

/// Replaces the call by the body of the function.
StatusOr<std::vector<Value>> Importer::importCall(const Node &node,
                                                  const Function &function,
                                                  const std::string &name,
                                                  Scope &scope) {
  WEIR_RETURN_IF_ERROR(checkCall(function, scope));
  if (node.inputs.size() > function.inputs.size() ||
      node.outputs.size() > function.outputs.size())
    return invalidArgument(fmt::format(
        "it has {} inputs and {} outputs, expected at most {} and {}, those of "
        "the function",
        node.inputs.size(), node.outputs.size(), function.inputs.size(),
        function.outputs.size()));
  Scope body;
  body.caller = &scope;
  body.function = &function;
  body.opsets = &function.opsets;
  body.prefix = name + "/";
  body.depth = scope.depth + 1;
  WEIR_ASSIGN_OR_RETURN(std::vector<Value> inputs, findInputs(node, scope));
  for (auto [i, value] : llvm::enumerate(inputs))
    if (value)
      WEIR_RETURN_IF_ERROR(define(function.inputs[i], value, body));
  WEIR_ASSIGN_OR_RETURN(body.attributes, findAttributes(node, scope));
  for (const onnx::Attribute &attribute : function.defaults)
    body.attributes.emplace(attribute.name, &attribute);
  WEIR_RETURN_IF_ERROR(importNodes(function.nodes, body));
  std::vector<Value> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    results.emplace_back();
    if (node.outputs[i].empty())
      continue;
    WEIR_ASSIGN_OR_RETURN(results.back(), find(function.outputs[i], body));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Opens a scope for a body of the node `name`, which is in `scope`. The new
/// scope has the initialisers of the body.
StatusOr<Importer::Scope>
Importer::openBody(const Graph &graph, const std::string &name, Scope &scope) {
  if (scope.depth >= maxDepth)
    return invalidArgument(
        fmt::format("bodies are nested deeper than {}", maxDepth));
  Scope body;
  body.caller = &scope;
  body.parent = &scope;
  body.opsets = scope.opsets;
  body.prefix = name + "/";
  body.depth = scope.depth + 1;
  body.attributes = scope.attributes;
  WEIR_RETURN_IF_ERROR(addInitializers(graph, body));
  return body;
}

/// Imports the branch that is taken. The condition must be known.
StatusOr<std::vector<Value>>
Importer::importIf(const Node &node, const std::string &name, Scope &scope) {
  WEIR_ASSIGN_OR_RETURN(std::vector<Value> inputs, findInputs(node, scope));
  NodeBuilder reader(builder, weights, numListed, node, name, 0,
                     std::move(inputs), {});
  Ints condition = reader.knownInts(0);
  WEIR_RETURN_IF_ERROR(reader.finish(node.outputs.size()));
  bool isTaken = !condition.empty() && condition[0] != 0;
  std::string_view branchName = isTaken ? "then_branch" : "else_branch";
  const onnx::Attribute *branch = node.find(branchName);
  if (condition.size() != 1 || !branch || !branch->graph)
    return invalidArgument(fmt::format(
        "it expects one condition and an attribute '{}'", branchName));
  const Graph &graph = *branch->graph;
  if (graph.outputs.size() < node.outputs.size())
    return invalidArgument(fmt::format("its {} gives {} outputs, expected {}",
                                       branchName, graph.outputs.size(),
                                       node.outputs.size()));
  WEIR_ASSIGN_OR_RETURN(Scope body, openBody(graph, name, scope));
  WEIR_RETURN_IF_ERROR(importNodes(graph.nodes, body));
  std::vector<Value> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(Value value, find(graph.outputs[i].name, body));
    results.push_back(value);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Imports the nodes of a body once. `inputs` are the inputs of the body, and
/// its outputs are returned. `shared` is the scope that all iterations share.
StatusOr<std::vector<Value>> Importer::runBody(const Graph &graph,
                                               const std::string &name,
                                               ArrayRef<Value> inputs,
                                               Scope &shared) {
  if (graph.inputs.size() != inputs.size())
    return invalidArgument(fmt::format("its body has {}, expected {}",
                                       counted(graph.inputs.size(), "input"),
                                       inputs.size()));
  WEIR_RETURN_IF_ERROR(countNode());
  Scope body;
  body.caller = shared.caller;
  body.parent = &shared;
  body.opsets = shared.opsets;
  body.prefix = name + "/";
  body.depth = shared.depth;
  body.attributes = shared.attributes;
  for (auto [input, value] : llvm::zip(graph.inputs, inputs))
    WEIR_RETURN_IF_ERROR(define(input.name, value, body));
  WEIR_RETURN_IF_ERROR(importNodes(graph.nodes, body));
  std::vector<Value> results;
  for (const ValueInfo &output : graph.outputs) {
    WEIR_ASSIGN_OR_RETURN(Value value, find(output.name, body));
    results.push_back(value);
  }
  return results;
}

/// The graph in the attribute "body" of a node.
static StatusOr<const Graph *> findBody(const Node &node) {
  const onnx::Attribute *body = node.find("body");
  if (body && body->graph)
    return body->graph.get();
  return invalidArgument("it expects a graph in attribute 'body'");
}

/// Stacks the results of all iterations along a new dim `axis`.
static Tensor stackRuns(NodeBuilder &node, ArrayRef<Value> runs, int64_t axis) {
  SmallVector<Tensor> parts;
  for (Value run : runs) {
    if (isSequence(run)) {
      node.fail("its body gives a sequence in each run, expected a tensor; "
                "make the sequence a state");
      return {};
    }
    Tensor part = node.wrap(run);
    Ints shape(part.shape());
    axis = node.axis(axis, part.rank() + 1);
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(node.reshape(part, shape));
  }
  if (!parts.empty())
    return node.concat(parts, axis);
  node.failWith(unimplemented(
      "its body never runs, so the shapes of its stacked outputs are not "
      "known; remove the node"));
  return {};
}

/// The outputs of a loop: first its last states, and then the results of its
/// iterations. Each result is stacked along its own axis in `axes`.
static StatusOr<std::vector<Value>>
joinRuns(const Node &node, NodeBuilder &reader, ArrayRef<Value> states,
         ArrayRef<std::vector<Value>> runs, ArrayRef<int64_t> axes) {
  std::vector<Value> results(states.begin(), states.end());
  for (size_t k = 0; k < axes.size() && reader.isOk(); ++k) {
    results.emplace_back();
    if (!reader.wants(results.size() - 1))
      continue;
    SmallVector<Value> parts;
    for (const std::vector<Value> &run : runs)
      parts.push_back(run[k]);
    results.back() = stackRuns(reader, parts, axes[k]);
  }
  // All inputs were read, although not through `reader`.
  for (size_t i = 0; i < node.inputs.size(); ++i)
    reader.ignoreInput(i);
  WEIR_RETURN_IF_ERROR(reader.finish(results.size()));
  return results;
}

/// Imports a Loop. Its number of iterations and its conditions must be known.
StatusOr<std::vector<Value>>
Importer::importLoop(const Node &node, const std::string &name, Scope &scope) {
  WEIR_ASSIGN_OR_RETURN(const Graph *graph, findBody(node));
  WEIR_ASSIGN_OR_RETURN(std::vector<Value> inputs, findInputs(node, scope));
  WEIR_ASSIGN_OR_RETURN(Scope shared, openBody(*graph, name, scope));
  if (inputs.size() < 2 || graph->outputs.size() + 1 < inputs.size())
    return invalidArgument(
        "it expects a number of runs and a condition, and from its body a "
        "condition and a value for each state");
  const size_t numStates = inputs.size() - 2;
  NodeBuilder reader(builder, weights, numListed, node, name, 0, inputs, {});
  const bool isLimited = static_cast<bool>(inputs[0]);
  Ints limit = isLimited ? reader.knownInts(0) : Ints{0};
  Ints goesOn = inputs[1] ? reader.knownInts(1) : Ints{1};
  if (limit.size() != 1 || goesOn.size() != 1)
    reader.fail("expects one number of runs and one condition");
  SmallVector<Value> states(llvm::drop_begin(inputs, 2));
  std::vector<std::vector<Value>> runs;
  for (int64_t i = 0;
       reader.isOk() && goesOn[0] && (!isLimited || i < limit[0]); ++i) {
    SmallVector<Value> given = {reader.reshape(reader.ints({i}), {}),
                                reader.scalar(1, reader.i1())};
    llvm::append_range(given, states);
    WEIR_ASSIGN_OR_RETURN(std::vector<Value> results,
                          runBody(*graph, name, given, shared));
    std::optional<Ints> known = reader.tryInts(reader.wrap(results[0]));
    if (!known || known->size() != 1)
      return unimplemented(
          "whether its body runs again depends on inputs of the graph, "
          "expected a condition that is known at compile time; give it a "
          "number of runs alone");
    goesOn = *known;
    const auto firstRun =
        results.begin() + 1 + static_cast<std::ptrdiff_t>(numStates);
    states.assign(results.begin() + 1, firstRun);
    runs.emplace_back(firstRun, results.end());
  }
  const Ints axes(graph->outputs.size() - 1 - numStates, 0);
  return joinRuns(node, reader, states, runs, axes);
}

namespace {
/// The axes along which a Scan cuts its inputs and stacks its outputs, and for
/// each axis whether it goes backwards.
struct ScanAxes {
  Ints inputs, inputsReverse, outputs, outputsReverse;
  int64_t numRuns = 0;
};
} // namespace

/// Reads the axes of a Scan with `numStates` states.
static ScanAxes readScanAxes(NodeBuilder &node, size_t numStates,
                             size_t numScanned, size_t numStacked) {
  auto readEach = [&](std::string_view attribute, size_t count) {
    Ints values = node.intsAttr(attribute);
    if (!values.empty() && values.size() != count)
      node.fail("attribute '{}' has {} entries, expected {}", attribute,
                values.size(), count);
    values.resize(count, 0);
    return values;
  };
  ScanAxes axes;
  axes.inputs = readEach("scan_input_axes", numScanned);
  axes.inputsReverse = readEach("scan_input_directions", numScanned);
  axes.outputs = readEach("scan_output_axes", numStacked);
  axes.outputsReverse = readEach("scan_output_directions", numStacked);
  for (size_t k = 0; k < numScanned && node.isOk(); ++k) {
    Tensor scanned = node.in(numStates + k);
    axes.inputs[k] = node.axis(axes.inputs[k], scanned.rank());
    const int64_t size = scanned.dim(axes.inputs[k]);
    if (k > 0 && size != axes.numRuns)
      node.fail("its scanned inputs have {} and {} elements, expected one "
                "number",
                axes.numRuns, size);
    axes.numRuns = size;
  }
  return axes;
}

/// Element `run` of a scanned input along `axis`.
static Tensor takeScanned(NodeBuilder &node, Tensor scanned, int64_t axis,
                          int64_t run) {
  Ints shape(scanned.shape());
  shape.erase(shape.begin() + axis);
  return node.reshape(node.slice(scanned, axis, run, 1), shape);
}

/// Imports a Scan. Its body runs once for each element of its inputs along an
/// axis.
StatusOr<std::vector<Value>>
Importer::importScan(const Node &node, const std::string &name, Scope &scope) {
  const int64_t opset = findOpset(*scope.opsets, node.domain);
  if (opset < 9)
    return unimplemented("Scan is supported from opset 9 on; export the model "
                         "with opset 9 or newer");
  WEIR_ASSIGN_OR_RETURN(const Graph *graph, findBody(node));
  WEIR_ASSIGN_OR_RETURN(std::vector<Value> inputs, findInputs(node, scope));
  WEIR_ASSIGN_OR_RETURN(NodeBuilder::Attributes attributes,
                        findAttributes(node, scope));
  WEIR_ASSIGN_OR_RETURN(Scope shared, openBody(*graph, name, scope));
  attributes.erase("body");
  NodeBuilder reader(builder, weights, numListed, node, name, opset, inputs,
                     attributes);
  const auto numScanned = static_cast<size_t>(
      std::max<int64_t>(reader.intAttr("num_scan_inputs", 0), 0));
  if (numScanned < 1 || numScanned > inputs.size() ||
      graph->outputs.size() < inputs.size() - numScanned)
    return invalidArgument(
        "it expects scanned inputs, as many as 'num_scan_inputs', and from its "
        "body a value for each state");
  const size_t numStates = inputs.size() - numScanned;
  const size_t numStacked = graph->outputs.size() - numStates;
  const ScanAxes axes = readScanAxes(reader, numStates, numScanned, numStacked);
  std::vector<Value> states(
      inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(numStates));
  std::vector<std::vector<Value>> runs;
  for (int64_t i = 0; i < axes.numRuns && reader.isOk(); ++i) {
    SmallVector<Value> given(states.begin(), states.end());
    for (size_t k = 0; k < numScanned; ++k)
      given.push_back(
          takeScanned(reader, reader.in(numStates + k), axes.inputs[k],
                      axes.inputsReverse[k] ? axes.numRuns - 1 - i : i));
    WEIR_ASSIGN_OR_RETURN(std::vector<Value> results,
                          runBody(*graph, name, given, shared));
    const auto firstRun =
        results.begin() + static_cast<std::ptrdiff_t>(numStates);
    states.assign(results.begin(), firstRun);
    runs.emplace_back(firstRun, results.end());
  }
  for (size_t k = 0; k < numStacked; ++k)
    if (axes.outputsReverse[k])
      for (size_t first = 0, last = runs.size(); first + 1 < last; ++first)
        std::swap(runs[first][k], runs[--last][k]);
  return joinRuns(node, reader, states, runs, axes.outputs);
}
