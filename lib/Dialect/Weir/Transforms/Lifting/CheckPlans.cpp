//===- CheckPlans.cpp - Compares the plans of one entry ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckPlans.h"

#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace weir;

namespace {
/// An input or output as all plans of an entry must have it.
struct Port {
  StringRef name;
  Type element;
};
} // namespace

static SmallVector<Port> listInputPorts(func::FuncOp plan) {
  SmallVector<Port> ports;
  for (BlockArgument input : plan.getArguments())
    if (!plan.getArgAttr(input.getArgNumber(), attrs::parameter))
      ports.push_back(
          {getValueName(input), getElementTypeOrSelf(input.getType())});
  return ports;
}

static SmallVector<Port> listOutputPorts(func::FuncOp plan) {
  SmallVector<Port> ports;
  for (unsigned i = 0; i < plan.getNumResults(); ++i)
    if (!plan.getResultAttr(i, attrs::assigns))
      ports.push_back(
          {plan.getResultAttrOfType<StringAttr>(i, attrs::name).getValue(),
           getElementTypeOrSelf(plan.getResultTypes()[i])});
  return ports;
}

/// What differs between the inputs or outputs of two plans; empty if nothing.
static std::string findDifference(StringRef what, ArrayRef<Port> expected,
                                  ArrayRef<Port> found) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (expected.size() != found.size()) {
    os << "expects " << expected.size() << " " << what << "s, found "
       << found.size();
    return text;
  }
  for (unsigned i = 0; i < found.size(); ++i)
    if (expected[i].name != found[i].name) {
      os << "expects " << what << " " << i << " to be '" << expected[i].name
         << "', found '" << found[i].name << "'";
      return text;
    } else if (expected[i].element != found[i].element) {
      os << "expects " << what << " '" << found[i].name << "' of type "
         << expected[i].element << ", found " << found[i].element;
      return text;
    }
  return text;
}

LogicalResult weir::checkPlans(ModuleOp module) {
  llvm::StringMap<func::FuncOp> firstOf;
  for (auto plan : module.getOps<func::FuncOp>()) {
    auto [known, isNew] = firstOf.try_emplace(getEntryName(plan), plan);
    if (isNew)
      continue;
    func::FuncOp first = known->second;
    std::string difference =
        findDifference("input", listInputPorts(first), listInputPorts(plan));
    if (difference.empty())
      difference = findDifference("output", listOutputPorts(first),
                                  listOutputPorts(plan));
    if (difference.empty())
      continue;
    InFlightDiagnostic error = plan.emitError("entry '")
                               << getEntryName(plan) << "' " << difference
                               << "; functions of one name differ in shapes "
                                  "alone, so give this one another "
                               << attrs::entry;
    error.attachNote(first.getLoc()) << "the first function of the entry";
    return error;
  }
  return success();
}
