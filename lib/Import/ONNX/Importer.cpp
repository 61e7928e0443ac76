//===- Importer.cpp - From an ONNX model to a weir module -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Nodes are imported in the order of the file, which must be topological.
// Shapes are static. Ops on known operands are computed at once, so that each
// handler sees sizes. Nothing in the file is trusted.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

/// The most nodes of a model. The nodes of a function count once for each call.
static constexpr int64_t maxNodes = 1 << 18;

/// Checks that no domain has two versions.
static Status checkOpsets(const std::vector<OpsetId> &opsets) {
  for (auto one = opsets.begin(); one != opsets.end(); ++one)
    for (auto other = one + 1; other != opsets.end(); ++other)
      if (one->version != other->version &&
          (one->domain == other->domain ||
           (isStandard(one->domain) && isStandard(other->domain))))
        return invalidArgument(fmt::format(
            "opsets {} and {} are both named for the domain '{}'; keep one",
            one->version, other->version,
            isStandard(one->domain) ? "ai.onnx" : one->domain));
  return Status::ok();
}

int64_t weir::onnx::findOpset(const std::vector<OpsetId> &opsets,
                              std::string_view domain) {
  for (const OpsetId &opset : opsets)
    if (opset.domain == domain ||
        (isStandard(opset.domain) && isStandard(domain)))
      return opset.version;
  return 0;
}

/// Makes a module with the entry, which has no inputs yet.
static ModuleOp makeModule(MLIRContext *context) {
  Location unknown = UnknownLoc::get(context);
  auto module = ModuleOp::create(unknown);
  auto entry = func::FuncOp::create(unknown, entryName,
                                    FunctionType::get(context, {}, {}));
  entry.addEntryBlock();
  module.push_back(entry);
  return module;
}

Importer::Importer(const Model &model, const std::string &path,
                   const MappedFile &file, const ONNXImportOptions &options,
                   const ShapePlan &plan, DecodedTensors &decoded,
                   MLIRContext *context)
    : model(model), options(options), plan(plan), decoded(decoded),
      context(context), module(makeModule(context)),
      entry(*module->getOps<func::FuncOp>().begin()),
      builder(OpBuilder::atBlockBegin(&entry.getBody().front())),
      weights(*module, path, file, options, decoded) {}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The node's name, or its op type and a number if it has none.
std::string Importer::nameOf(const Node &node, const Scope &scope) {
  if (!node.name.empty())
    return fmt::format("{}{}", scope.prefix, node.name);
  return fmt::format("{}{}_{}", scope.prefix, node.opType,
                     numbers[node.opType]++);
}

Status Importer::define(std::string_view name, Value value, Scope &scope) {
  if (!scope.initializers.count(name) &&
      scope.values.try_emplace(name, value).second)
    return Status::ok();
  return invalidArgument(fmt::format(
      "the name '{}' is given to two values; give each its own", name));
}

StatusOr<Value> Importer::find(std::string_view name, Scope &scope) {
  for (Scope *in = &scope; in; in = const_cast<Scope *>(in->parent)) {
    if (auto known = in->values.find(name); known != in->values.end())
      return known->second;
    auto stored = in->initializers.find(name);
    if (stored == in->initializers.end())
      continue;
    auto value = weights.add(*stored->second, nameValue(name, *in), builder);
    if (!value)
      return std::move(value).status().withContext(
          fmt::format("tensor '{}'", name));
    in->initializers.erase(stored);
    in->values[name] = *value;
    return *value;
  }
  for (const Scope *in = &scope; in; in = in->parent)
    if (auto later = in->producers.find(name); later != in->producers.end())
      return invalidArgument(
          fmt::format("it reads '{}', which comes from {}, a later node; sort "
                      "the nodes, and break the cycle if there is one",
                      name, later->second));
  return invalidArgument(fmt::format(
      "it reads '{}', which is not an input, an initialiser or the output of a "
      "node; correct the name, or add the node that computes it",
      name));
}

StatusOr<std::vector<Value>> Importer::findInputs(const Node &node,
                                                  Scope &scope) {
  std::vector<Value> values;
  for (std::string_view name : node.inputs) {
    values.emplace_back();
    if (name.empty())
      continue;
    WEIR_ASSIGN_OR_RETURN(values.back(), find(name, scope));
  }
  return values;
}

/// The node's attributes. If one refers to an attribute of the enclosing
/// function, it is replaced by that attribute.
StatusOr<NodeBuilder::Attributes> Importer::findAttributes(const Node &node,
                                                           const Scope &scope) {
  NodeBuilder::Attributes attributes;
  std::set<std::string_view> seen;
  for (const onnx::Attribute &attribute : node.attributes) {
    if (!seen.insert(attribute.name).second)
      return invalidArgument(
          fmt::format("attribute '{}' is given twice", attribute.name));
    const onnx::Attribute *value = &attribute;
    if (!attribute.reference.empty()) {
      auto given = scope.attributes.find(attribute.reference);
      value = given == scope.attributes.end() ? nullptr : given->second;
    }
    if (value)
      attributes.emplace(attribute.name, value);
  }
  return attributes;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Status Importer::addInitializers(const Graph &graph, Scope &scope) {
  for (const SparseTensor &tensor : graph.sparseInitializers)
    return unimplemented(fmt::format(
        "initialiser '{}' is sparse, which is not supported; store it dense",
        tensor.values.name));
  for (const TensorProto &tensor : graph.initializers)
    if (!scope.initializers.try_emplace(tensor.name, &tensor).second)
      return invalidArgument(
          fmt::format("initialiser '{}' is there twice; give each its own name",
                      tensor.name));
  return Status::ok();
}

Status Importer::importNodes(const std::vector<Node> &nodes, Scope &scope) {
  WEIR_RETURN_IF_ERROR(checkSupport(nodes, scope));
  for (auto [i, node] : llvm::enumerate(nodes))
    for (std::string_view output : node.outputs)
      if (!output.empty())
        scope.producers.try_emplace(
            output,
            fmt::format("node {} '{}' ({})", i, node.name, node.opType));
  for (const Node &node : nodes)
    WEIR_RETURN_IF_ERROR(importNode(node, scope));
  return Status::ok();
}

/// A unique name for value `name` of `scope`. Values of the main graph keep
/// their names. The name of a value in a body gets the node's name as a prefix,
/// and a number if another value already has the name.
std::string Importer::nameValue(std::string_view name, const Scope &scope) {
  if (scope.prefix.empty())
    return std::string(name);
  const std::string base = fmt::format("{}{}", scope.prefix, name);
  auto [known, isNew] = valueNames.try_emplace(base, 1);
  std::string unique = base;
  while (!isNew) {
    unique = fmt::format("{}_{}", base, known->second++);
    isNew = valueNames.try_emplace(unique, 1).second;
  }
  return unique;
}

/// Reserves the names of the model's values, so that no other value gets them.
void Importer::takeValueNames() {
  for (const ValueInfo &input : model.graph->inputs)
    valueNames.try_emplace(input.name, 1);
  for (const TensorProto &tensor : model.graph->initializers)
    valueNames.try_emplace(tensor.name, 1);
  for (const Node &node : model.graph->nodes)
    for (std::string_view output : node.outputs)
      valueNames.try_emplace(output, 1);
}

/// Stores the names that the model gives to the results of `node`. They are put
/// into the locations of the ops, from which getTensorNames reads them.
void Importer::nameResults(const Node &node, const Scope &scope,
                           ArrayRef<Value> results) {
  // If an op has many results, the names of all are set at the same time.
  llvm::MapVector<Operation *, std::optional<ResultNames>> named;
  for (auto [output, value] : llvm::zip(node.outputs, results)) {
    auto result = dyn_cast_or_null<OpResult>(value);
    if (output.empty() || !result)
      continue;
    auto [owner, isFirst] = named.try_emplace(result.getOwner());
    std::optional<ResultNames> &names = owner->second;
    if (isFirst)
      names = getResultNames(owner->first);
    // An initialiser that the node passes on keeps its own name.
    if (!names)
      continue;
    SmallVector<std::string> &known = (*names)[result.getResultNumber()];
    // If a body computes the value, the name from the enclosing node becomes
    // the first one. If the node only passes the value on, the new name becomes
    // the last one.
    auto [depth, isNew] = depths.try_emplace(value, scope.depth);
    bool isOfBody = !isNew && depth->second > scope.depth;
    known.insert(isOfBody ? known.begin() : known.end(),
                 nameValue(output, scope));
    depth->second = std::min(depth->second, scope.depth);
  }
  for (auto &[op, names] : named)
    if (names)
      op->setLoc(
          nameOpAndResults(cast<NameLoc>(op->getLoc()).getName(), *names));
}

/// Shortens `name` for messages. Nested calls can have long names. Only the two
/// ends of such a name are kept.
static std::string shorten(const std::string &name) {
  constexpr size_t longest = 160, end = longest / 2;
  if (name.size() <= longest)
    return name;
  return name.substr(0, end) + "[...]" + name.substr(name.size() - end);
}

/// Adds the name of the node to `error`, unless the error already names a node
/// inside of it.
static Status nameError(Status error, const Node &node,
                        const std::string &name) {
  if (error.message().starts_with("node '"))
    return error;
  return std::move(error).withContext(
      fmt::format("node '{}' ({})", shorten(name), node.opType));
}

Status Importer::countNode() {
  if (++numNodes <= maxNodes)
    return Status::ok();
  return unimplemented(
      fmt::format("the model has more than {} nodes with its functions and the "
                  "runs of its loops put in place; check how often its loops "
                  "run",
                  maxNodes));
}

Status Importer::importNode(const Node &node, Scope &scope) {
  WEIR_RETURN_IF_ERROR(countNode());
  const std::string name = nameOf(node, scope);
  auto results = importNamed(node, name, scope);
  if (!results)
    return nameError(std::move(results).status(), node, name);
  nameResults(node, scope, *results);
  for (auto [i, output] : llvm::enumerate(node.outputs))
    if (!output.empty())
      WEIR_RETURN_IF_ERROR(define(output, (*results)[i], scope));
  return Status::ok();
}

/// Imports the node and returns the values of its outputs. Every output with a
/// name has a value.
StatusOr<std::vector<Value>>
Importer::importNamed(const Node &node, const std::string &name, Scope &scope) {
  if (const Function *function = findFunction(node))
    return importCall(node, *function, name, scope);
  if (BodyHandler body = findBodyHandler(node))
    return (this->*body)(node, name, scope);
  WEIR_ASSIGN_OR_RETURN(std::vector<Value> inputs, findInputs(node, scope));
  WEIR_ASSIGN_OR_RETURN(NodeBuilder::Attributes attributes,
                        findAttributes(node, scope));
  int64_t opset = findOpset(*scope.opsets, node.domain);
  NodeBuilder builderOfNode(builder, weights, numListed, node, name, opset,
                            std::move(inputs), std::move(attributes));
  Results results = findHandler(node.opType, opset)(builderOfNode);
  WEIR_RETURN_IF_ERROR(builderOfNode.finish(results.size()));
  std::vector<Value> values(results.begin(), results.end());
  values.resize(std::max(values.size(), node.outputs.size()));
  return values;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Removes ops whose results nothing reads, mostly constants.
static void eraseDeadOps(ModuleOp module, Block &block) {
  llvm::DenseSet<mlir::Attribute> read;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto readOp = dyn_cast<ReadOp>(op);
    if (isOpTriviallyDead(&op) || (readOp && op.use_empty()))
      op.erase();
    else if (readOp)
      read.insert(readOp.getParameterAttr().getAttr());
  }
  for (auto parameter :
       llvm::make_early_inc_range(module.getOps<ParameterOp>()))
    if (!read.contains(parameter.getSymNameAttr()))
      parameter.erase();
}

/// Whether a tensor of `dims` has the declared `shape`.
static bool fits(const onnx::Shape &shape, ArrayRef<int64_t> dims) {
  return llvm::equal(shape.dims, dims, [](const Dim &dim, int64_t size) {
    return dim.size.value_or(size) == size;
  });
}

/// Checks the declared type of an output. An element type that differs from the
/// computed one is an error. A shape that differs is only a warning. The
/// computed shape is then used, as in other engines.
static Status checkDeclared(const ValueInfo &output, Value value) {
  const onnx::TensorType *declared = output.type.tensor.get();
  const auto type = cast<RankedTensorType>(value.getType());
  if (!declared)
    return Status::ok();
  const DType found = *toDType(type.getElementType());
  const std::optional<DType> expected = fromONNXType(declared->elementType);
  if (declared->elementType != 0 && expected != found)
    return invalidArgument(fmt::format(
        "output '{}' is declared with element type {}, but computed with "
        "element type {}; correct the declaration",
        output.name,
        expected ? toString(*expected) : onnxTypeName(declared->elementType),
        toString(found)));
  if (declared->shape && !fits(*declared->shape, type.getShape()))
    emitWarning(value.getLoc()) << fmt::format(
        "output '{}' is declared as {}, but computed as {}; the computed shape "
        "is used",
        output.name, describe(*declared->shape),
        type.getRank() ? fmt::format("({})", fmt::join(type.getShape(), ", "))
                       : "a scalar");
  return Status::ok();
}

/// Adds the outputs to the entry, with their names.
Status Importer::finish(Scope &scope) {
  SmallVector<Value> results;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> names;
  llvm::StringSet<> taken;
  for (const ValueInfo &output : model.graph->outputs) {
    auto value = find(output.name, scope);
    if (!value)
      return std::move(value).status().withContext(
          fmt::format("output '{}'", output.name));
    if (!taken.insert(output.name).second)
      return invalidArgument(
          fmt::format("output '{}' is there twice; name it once", output.name));
    if (isSequence(*value))
      return unimplemented(
          fmt::format("output '{}' is a sequence, expected a tensor; return "
                      "its tensors, or all with ConcatFromSequence",
                      output.name));
    WEIR_RETURN_IF_ERROR(checkDeclared(output, *value));
    results.push_back(*value);
    types.push_back(value->getType());
    names.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(attrs::name, builder.getStringAttr(output.name))));
  }
  if (results.empty())
    return invalidArgument(
        "the graph has no outputs; declare the values that it should return");
  func::ReturnOp::create(builder, entry.getLoc(), results);
  entry.setType(FunctionType::get(
      context, entry.getBody().front().getArgumentTypes(), types));
  entry.setAllResultAttrs(names);
  return weights.finish();
}

StatusOr<OwningOpRef<ModuleOp>> Importer::run() {
  WEIR_RETURN_IF_ERROR(readOptions());
  WEIR_RETURN_IF_ERROR(checkOpsets(model.opsets));
  for (const Function &function : model.functions)
    WEIR_RETURN_IF_ERROR(
        checkOpsets(function.opsets)
            .withContext(fmt::format("function '{}'", function.name)));
  Scope scope;
  scope.opsets = &model.opsets;
  WEIR_RETURN_IF_ERROR(addInitializers(*model.graph, scope));
  weights.findConstants(*model.graph);
  WEIR_RETURN_IF_ERROR(addInputs(scope));
  takeValueNames();
  WEIR_RETURN_IF_ERROR(importNodes(model.graph->nodes, scope));
  WEIR_RETURN_IF_ERROR(finish(scope));
  eraseDeadOps(*module, entry.getBody().front());
  if (failed(verify(*module)))
    return internalError("the imported graph is not valid");
  return std::move(module);
}
