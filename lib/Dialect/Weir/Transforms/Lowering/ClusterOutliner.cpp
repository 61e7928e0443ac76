//===- ClusterOutliner.cpp - Outlines generated ops into functions --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ClusterOutliner.h"

#include "LaunchIndices.h"

#include "weir/Dialect/Weir/IR/Annotation.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/ShapeLimits.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

/// The most elements of a constant of equal elements that becomes part of the
/// code. Larger constants are operands.
static constexpr int64_t maxSplatElements = 1024;

/// The constant of equal elements that becomes part of the code, or null.
static ConstantOp getSplat(Value value) {
  ConstantOp constant = getConstant(value);
  if (!constant)
    return {};
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  bool isSmall = elements && elements.isSplat() &&
                 elements.getNumElements() <= maxSplatElements;
  return isSmall ? constant : ConstantOp();
}

/// Whether a launch checks `indices` of `op`. Constant indices were checked at
/// compile time.
static bool isChecked(Operation *op, const IndexOperand &indices) {
  return !getConstant(op->getOperand(indices.number));
}

const ClusterOutliner::Cluster &
ClusterOutliner::getCluster(ArrayRef<Operation *> ops, ArrayRef<Value> inputs,
                            ArrayRef<Value> results) {
  OpMeaning key;
  llvm::DenseMap<Value, uintptr_t> numbers;
  auto addNumber = [&](uintptr_t number) {
    key.push_back(reinterpret_cast<const void *>(number));
  };
  auto define = [&](Value value) {
    numbers.try_emplace(value, numbers.size());
    key.push_back(value.getType().getAsOpaquePointer());
  };
  for (Value input : inputs)
    define(input);
  for (Operation *op : ops) {
    key.push_back(op->getName().getAsOpaquePointer());
    key.push_back(getMeaningAttrs(op).getAsOpaquePointer());
    for (Value operand : op->getOperands()) {
      auto number = numbers.find(operand);
      addNumber(number == numbers.end() ? ~uintptr_t(0) : number->second);
      if (number == numbers.end()) {
        ConstantOp splat = getSplat(operand);
        key.push_back(splat.getValueAttr().getAsOpaquePointer());
      }
    }
    for (const IndexOperand &indices :
         cast<WeirOpInterface>(op).getIndexOperands())
      addNumber(isChecked(op, indices));
    for (Value result : op->getResults())
      define(result);
  }
  for (Value result : results)
    addNumber(numbers.at(result));
  auto [cluster, isNew] = known.try_emplace(std::move(key));
  if (isNew) {
    cluster->second.name = makeFunction(ops, inputs, results).getSymNameAttr();
    for (Operation *op : ops)
      cluster->second.flops = saturatingAdd(
          cluster->second.flops, getCost(cast<WeirOpInterface>(op)).flops);
  }
  return cluster->second;
}

ModuleOp ClusterOutliner::getClusters() {
  if (!clusters) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    clusters =
        ModuleOp::create(builder, module.getLoc(), attrs::clustersModule);
  }
  return clusters;
}

/// A name that debuggers and profilers show unchanged.
std::string ClusterOutliner::makeName(Operation *op) {
  std::string name = getOpName(op).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  std::string unique = name;
  while (!names.try_emplace(unique, 0).second)
    unique = name + "_" + std::to_string(++names[name]);
  return unique;
}

func::FuncOp ClusterOutliner::makeFunction(ArrayRef<Operation *> ops,
                                           ArrayRef<Value> inputs,
                                           ArrayRef<Value> results) {
  OpBuilder builder = OpBuilder::atBlockEnd(getClusters().getBody());
  Location location = ops.back()->getLoc();
  auto type = builder.getFunctionType(ValueRange(inputs).getTypes(),
                                      ValueRange(results).getTypes());
  auto function =
      func::FuncOp::create(builder, location, makeName(ops.back()), type);
  function.setPrivate();
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(inputs, function.getArguments());
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, builder.clone(*getSplat(operand))->getResult(0));
    removeAnnotation(builder.clone(*op, mapping));
  }
  SmallVector<Value> returned;
  for (Value result : results)
    returned.push_back(mapping.lookup(result));
  func::ReturnOp::create(builder, location, returned);
  return function;
}

/// The checks of the indices among `inputs`, in the order of `ops`.
static LaunchIndices collectIndices(ArrayRef<Operation *> ops,
                                    ArrayRef<Value> inputs) {
  LaunchIndices collected;
  for (Operation *op : ops)
    for (const IndexOperand &indices :
         cast<WeirOpInterface>(op).getIndexOperands()) {
      if (!isChecked(op, indices))
        continue;
      const auto *input = llvm::find(inputs, op->getOperand(indices.number));
      assert(input != inputs.end() && "indices come from memory");
      collected.add(op, indices, input - inputs.begin());
    }
  return collected;
}

void ClusterOutliner::outline(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs;
  SmallVector<Value> results;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()) && !getSplat(operand))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        results.push_back(result);
  }
  const Cluster &cluster = getCluster(ops, inputs.getArrayRef(), results);
  OpBuilder builder(ops.back());
  NamedAttrList config;
  config.append(attrs::cluster, cluster.name);
  collectIndices(ops, inputs.getArrayRef()).addTo(config, builder.getContext());
  auto launch = LaunchOp::create(
      builder, ops.front()->getLoc(), ValueRange(results).getTypes(),
      builder.getStringAttr(generatedKernel), inputs.getArrayRef(),
      config.getDictionary(builder.getContext()), builder.getArrayAttr({}),
      builder.getArrayAttr({}), builder.getI64IntegerAttr(cluster.flops),
      /*overwritten_by=*/nullptr);
  for (auto [result, made] : llvm::zip(results, launch.getResults()))
    result.replaceAllUsesWith(made);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}
