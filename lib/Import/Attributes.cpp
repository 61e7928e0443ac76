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

/// Refuses unknown attributes of an op. Only the generic form can have some,
/// because the parser refuses them in the custom form.
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

namespace {
/// An attribute that Weir reads although it is not in the record of an op.
struct KnownAttribute {
  StringLiteral name;
  /// The op that may have the attribute. Empty if the attribute belongs to an
  /// input or output of a function.
  StringLiteral op;
  /// The owner of the attribute, in words for errors.
  StringLiteral place;
};
} // namespace

static constexpr KnownAttribute knownAttributes[] = {
    {attrs::entry, "func.func", "a function"},
    {attrs::entry, "exec.entry", "a function"},
    {attrs::devices, "builtin.module", "the module"},
    {attrs::sourceDir, "builtin.module", "the module"},
    {attrs::metadata, "builtin.module", "the module"},
    {attrs::notDerived, "builtin.module", "the module"},
    {attrs::precision, "builtin.module", "the module"},
    {attrs::contentHash, "weir.parameter", "a weir.parameter"},
    {attrs::placement, "weir.group", "a weir.group"},
    {attrs::splitBy, "weir.group", "a weir.group"},
    {attrs::apart, "weir.group", "a weir.group"},
    {attrs::moved, "weir.group", "a weir.group"},
    {attrs::tensors, "weir.group", "a weir.group"},
    {attrs::viewed, "weir.group", "a weir.group"},
    {attrs::inside, "weir.group", "a weir.group"},
    {attrs::parameter, "", "the type of an input of a function"},
    {attrs::compared, "", "the type of an input of a function"},
    {attrs::name, "", "the type of an output of a function"},
    {attrs::assigns, "", "the type of an output of a function"},
    {attrs::space, "", "the type of an input or output of a function"}};

/// Reports the unknown attribute `name` of `op`. If another op or place may
/// have the attribute, the error says which. Otherwise it suggests a similar
/// attribute of `op`.
static LogicalResult refuse(Operation *op, StringRef name) {
  std::vector<std::string> names;
  InFlightDiagnostic error = op->emitError("has an attribute '")
                             << name << "', which nothing reads";
  for (const KnownAttribute &known : knownAttributes) {
    if (known.name == name)
      return error << " here; it belongs to " << known.place;
    if (op->getName().getStringRef() == known.op)
      names.push_back(known.name.str());
  }
  if (std::string_view nearest = findNearest(std::string_view(name), names);
      !nearest.empty())
    return error << "; did you mean '" << StringRef(nearest) << "'?";
  return error << "; remove it, or give it another prefix than 'weir.'";
}

/// Refuses attributes `weir.*` that nothing reads, such as misspelt ones.
/// Attributes with other prefixes are not checked.
static LogicalResult checkDiscardable(Operation *op) {
  for (NamedAttribute named : op->getDiscardableAttrs()) {
    StringRef name = named.getName().strref();
    const bool isKnown =
        !name.starts_with("weir.") ||
        llvm::any_of(knownAttributes, [&](const KnownAttribute &known) {
          return known.name == name && known.op == op->getName().getStringRef();
        });
    if (!isKnown)
      return refuse(op, name);
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
  const StringRef inputNames[] = {attrs::parameter, attrs::space,
                                  attrs::compared};
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
    // Nested modules contain generated kernels, whose attributes are not
    // checked.
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
