//===- Attributes.cpp - Checks the attributes of textual IR -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/Metadata.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"
#include "weir/Support/NearNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

/// The custom form of an op refuses these while it is parsed; the generic form
/// does not.
static LogicalResult checkOp(Operation *op) {
  if (!isa_and_nonnull<WeirDialect>(op->getDialect()))
    return success();
  ArrayRef<StringAttr> known = op->getName().getAttributeNames();
  for (NamedAttribute named : op->getAttrs()) {
    if (llvm::is_contained(known, named.getName()) ||
        named.getName().strref().contains('.'))
      continue;
    auto names =
        llvm::map_range(known, [](StringAttr name) { return name.getValue(); });
    return op->emitOpError("has no attribute '")
           << named.getName().strref() << "'; it has "
           << (known.empty() ? "none" : llvm::join(names, ", "));
  }
  return success();
}

/// What an op may have besides its own attributes. What has another prefix than
/// Weir's is someone else's.
static std::vector<std::string> listKnown(Operation *op) {
  if (isa<func::FuncOp>(op))
    return {attrs::entry.str()};
  if (isa<ModuleOp>(op))
    return {attrs::devices.str(),    attrs::isolated.str(),
            attrs::threads.str(),    attrs::topology.str(),
            attrs::sourceDir.str(),  attrs::metadata.str(),
            attrs::notDerived.str(), attrs::precision.str()};
  return {attrs::entry.str(),      attrs::placement.str(), attrs::splitBy.str(),
          attrs::tensors.str(),    attrs::viewed.str(),    attrs::inside.str(),
          attrs::contentHash.str()};
}

/// Refuses attributes of Weir that nothing reads, such as misspelt ones.
static LogicalResult checkDiscardable(Operation *op) {
  for (NamedAttribute named : op->getDiscardableAttrs()) {
    StringRef name = named.getName().strref();
    if (!name.starts_with("weir."))
      continue;
    const std::vector<std::string> known = listKnown(op);
    if (llvm::is_contained(known, name))
      continue;
    const auto distance = [&](StringRef other) {
      return editDistance(name.take_front(64), other);
    };
    auto nearest = llvm::min_element(known, [&](StringRef a, StringRef b) {
      return distance(a) < distance(b);
    });
    InFlightDiagnostic error = op->emitError("has an attribute '")
                               << name << "', which nothing reads; ";
    if (constexpr size_t mostChanges = 2; distance(*nearest) <= mostChanges)
      return error << "did you mean '" << *nearest << "'?";
    return error << "remove it, or give it another prefix than 'weir.'";
  }
  return success();
}

/// Checks the attributes of an argument or result.
static LogicalResult checkPort(func::FuncOp function, StringRef what,
                               unsigned number, DictionaryAttr attributes,
                               ArrayRef<StringRef> known) {
  auto begin = [&] { return function.emitError() << what << " " << number; };
  for (NamedAttribute named : attributes) {
    StringRef name = named.getName().strref();
    if (!name.starts_with("weir."))
      continue;
    if (!llvm::is_contained(known, name))
      return begin() << " has no attribute '" << name << "'; it has "
                     << llvm::join(known, ", ");
    const bool isText = name == attrs::name || name == attrs::space;
    if (isText && !isa<StringAttr>(named.getValue()))
      return begin() << " expects a string as " << name << ", found "
                     << named.getValue();
  }
  return success();
}

static LogicalResult checkPorts(func::FuncOp function) {
  const StringRef inputNames[] = {attrs::parameter, attrs::space};
  const StringRef outputNames[] = {attrs::name, attrs::assigns, attrs::space};
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto attributes = function.getArgAttrDict(i);
        attributes &&
        failed(checkPort(function, "input", i, attributes, inputNames)))
      return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto attributes = function.getResultAttrDict(i);
        attributes &&
        failed(checkPort(function, "output", i, attributes, outputNames)))
      return failure();
  return success();
}

static LogicalResult checkFunction(func::FuncOp function) {
  Attribute name = function->getAttr(attrs::entry);
  auto text = dyn_cast_or_null<StringAttr>(name);
  if (name && (!text || text.empty()))
    return function.emitError("expects the name of an entry as ")
           << attrs::entry << ", found " << name;
  return checkPorts(function);
}

LogicalResult weir::checkAttributes(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    // Nested modules have the kernels that the compiler generates.
    const bool isOfGraph =
        op == module ||
        (!isa<ModuleOp>(op) && op->getParentOfType<ModuleOp>() == module);
    const bool isFine = succeeded(checkOp(op)) &&
                        (!isOfGraph || succeeded(checkDiscardable(op))) &&
                        (!function || succeeded(checkFunction(function)));
    return isFine ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
