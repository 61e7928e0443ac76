//===- CheckPlans.cpp - Compares the plans of one entry ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckPlans.h"

#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Support/Counted.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace weir;

namespace {
/// The properties of an input or output that must be the same in all plans of
/// an entry.
struct Port {
  StringRef name;
  Type element;
  /// The isolated device whose memory holds the port; null for the host's
  /// memory.
  StringAttr space;
};

/// A difference between two plans, and its repair. Both are empty if nothing
/// differs.
struct Difference {
  std::string found, repair;
};
} // namespace

static SmallVector<Port> listInputPorts(func::FuncOp plan) {
  SmallVector<Port> ports;
  for (BlockArgument input : plan.getArguments())
    if (!plan.getArgAttr(input.getArgNumber(), attrs::parameter))
      ports.push_back({getValueName(input),
                       getElementTypeOrSelf(input.getType()),
                       getInputSpace(input)});
  return ports;
}

static SmallVector<Port> listOutputPorts(func::FuncOp plan) {
  SmallVector<Port> ports;
  for (unsigned i = 0; i < plan.getNumResults(); ++i) {
    auto name = plan.getResultAttrOfType<StringAttr>(i, attrs::name);
    if (!plan.getResultAttr(i, attrs::assigns))
      ports.push_back({name ? name.getValue() : "",
                       getElementTypeOrSelf(plan.getResultTypes()[i]),
                       getOutputSpace(plan, i)});
  }
  return ports;
}

/// The advice for giving an input or output one name in both plans. The first
/// plan calls it `name`.
static std::string describeNaming(bool isOutput, StringRef name) {
  if (isOutput)
    return llvm::formatv("write {{weir.name = \"{0}\"} behind the type of the "
                         "output",
                         name)
        .str();
  // A numbered name of one argument depends on the names of the other
  // arguments.
  return "give both arguments one name";
}

/// What differs between the inputs, or the outputs, of two plans.
static Difference comparePorts(bool isOutput, ArrayRef<Port> expected,
                               ArrayRef<Port> found) {
  Difference difference;
  llvm::raw_string_ostream os(difference.found);
  const StringRef what = isOutput ? "output" : "input";
  if (expected.size() != found.size()) {
    os << "expects " << counted(expected.size(), what) << ", found "
       << found.size();
    return difference;
  }
  for (auto [number, left, right] : llvm::enumerate(expected, found))
    if (left.name != right.name) {
      os << "expects " << what << " " << number << " to be '" << left.name
         << "', found '" << right.name << "'";
      difference.repair = describeNaming(isOutput, left.name);
      return difference;
    } else if (left.element != right.element) {
      os << "expects " << what << " '" << left.name << "' of type "
         << left.element << ", found " << right.element;
      return difference;
    }
  return difference;
}

/// What differs between the memory of the inputs, or the outputs, of two plans
/// that are otherwise equal.
static Difference compareSpaces(bool isOutput, ArrayRef<Port> expected,
                                ArrayRef<Port> found) {
  auto describe = [](StringAttr space) {
    return space ? space.str() : std::string("the host");
  };
  for (auto [left, right] : llvm::zip(expected, found))
    if (left.space != right.space)
      return {
          llvm::formatv("expects {0} '{1}' in the memory of {2}, found that "
                        "of {3}",
                        isOutput ? "output" : "input", left.name,
                        describe(left.space), describe(right.space))
              .str(),
          ("give both the same " + attrs::space).str()};
  return {};
}

/// Compares each plan with the first plan of its entry.
static LogicalResult comparePlans(
    ModuleOp module,
    llvm::function_ref<Difference(bool, ArrayRef<Port>, ArrayRef<Port>)>
        compare) {
  llvm::StringMap<func::FuncOp> firstOf;
  for (auto plan : module.getOps<func::FuncOp>()) {
    auto [known, isNew] = firstOf.try_emplace(getEntryName(plan), plan);
    if (isNew)
      continue;
    func::FuncOp first = known->second;
    Difference difference = compare(/*isOutput=*/false, listInputPorts(first),
                                    listInputPorts(plan));
    if (difference.found.empty())
      difference = compare(/*isOutput=*/true, listOutputPorts(first),
                           listOutputPorts(plan));
    if (difference.found.empty())
      continue;
    InFlightDiagnostic error = plan.emitError("entry '")
                               << getEntryName(plan) << "' " << difference.found
                               << "; functions of one name differ in shapes "
                                  "alone, so ";
    if (!difference.repair.empty())
      error << difference.repair << ", or ";
    error << "give this one another " << attrs::entry;
    error.attachNote(first.getLoc()) << "the first function of the entry";
    return error;
  }
  return success();
}

LogicalResult weir::checkPlans(ModuleOp module) {
  return comparePlans(module, comparePorts);
}

LogicalResult weir::checkPlanSpaces(ModuleOp module) {
  return comparePlans(module, compareSpaces);
}
