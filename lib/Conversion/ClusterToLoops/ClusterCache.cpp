//===- ClusterCache.cpp - Lowered clusters of earlier compilations --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Conversion/ClusterCache.h"

#include "ClusterRecord.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"
#include "weir/Support/ContentHash.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <fmt/format.h>
#include <span>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Appends `part` so that no other sequence of parts gives the same text.
static void append(std::string &text, StringRef part) {
  text += fmt::format("{}:", part.size());
  text += part;
}

static void append(std::string &text, size_t number) {
  text += fmt::format("{};", number);
}

static std::string hash(const std::string &text) {
  return contentHash(std::as_bytes(std::span(text)));
}

static std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

const std::string &ClusterCache::digest(Type type) {
  std::string &known = digests[type.getAsOpaquePointer()];
  if (known.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    known = hash(text);
  }
  return known;
}

/// Elements are hashed as bytes, because flags of MLIR can shorten the printed
/// list.
const std::string &ClusterCache::digest(Attribute attribute) {
  if (auto known = digests.find(attribute.getAsOpaquePointer());
      known != digests.end())
    return known->second;
  std::string text;
  if (auto all = dyn_cast<DictionaryAttr>(attribute)) {
    text = "dictionary";
    for (NamedAttribute named : all) {
      append(text, named.getName().strref());
      append(text, digest(named.getValue()));
    }
  } else if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    text = "array";
    for (Attribute element : list)
      append(text, digest(element));
  } else if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
    text = dense.isSplat() ? "splat" : "dense";
    append(text, digest(dense.getType()));
    append(text,
           StringRef(dense.getRawData().data(), dense.getRawData().size()));
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    text = "resource";
    append(text, digest(resource.getType()));
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      append(text, StringRef(blob->getData().data(), blob->getData().size()));
  } else {
    text = "text" + print(attribute);
  }
  return digests[attribute.getAsOpaquePointer()] = hash(text);
}

std::string ClusterCache::keyOf(func::FuncOp cluster) {
  std::string text;
  llvm::DenseMap<Value, size_t> numbers;
  auto define = [&](ValueRange values) {
    append(text, values.size());
    for (Value value : values) {
      numbers[value] = numbers.size();
      append(text, digest(value.getType()));
    }
  };
  define(cluster.getArguments());
  for (Operation &op : cluster.getBody().front()) {
    assert(op.getNumRegions() == 0 && "clusters are flat");
    append(text, op.getName().getStringRef());
    append(text, digest(getMeaningAttrs(&op)));
    append(text, op.getNumOperands());
    for (Value operand : op.getOperands())
      append(text, numbers.at(operand));
    define(op.getResults());
  }
  return file.keyOf({"cluster", std::to_string(target.vectorBits), text});
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// The code of a kernel function is found by its cluster and its number.
static StringAttr makeFunctionKey(MLIRContext *context, const std::string &key,
                                  size_t number) {
  return StringAttr::get(context, fmt::format("{}.{}", key, number));
}

std::optional<LoweredCluster> ClusterCache::find(const std::string &key,
                                                 func::FuncOp cluster,
                                                 ModuleOp kernels) {
  std::optional<std::string> bytes = file.find(key);
  if (!bytes)
    return std::nullopt;
  std::optional<LoweredCluster> lowered =
      unpackCluster(*bytes, cluster, kernels);
  if (!lowered)
    return std::nullopt;
  for (auto [number, kernel] : llvm::enumerate(lowered->functions))
    kernel.function->setAttr(
        kernelattrs::cacheKey,
        makeFunctionKey(cluster.getContext(), key, number));
  return lowered;
}

void ClusterCache::add(const std::string &key, const LoweredCluster &lowered) {
  for (auto [number, kernel] : llvm::enumerate(lowered.functions)) {
    func::FuncOp function = kernel.function;
    function->setAttr(kernelattrs::cacheKey,
                      makeFunctionKey(function.getContext(), key, number));
  }
  file.add(key, packCluster(lowered));
}
