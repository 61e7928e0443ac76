//===- BindShapes.cpp - Sets the unknown dims of entry inputs -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/UniqueNames.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/ShapePlans.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

namespace weir {
#define GEN_PASS_DEF_BINDSHAPES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static std::string listElementTypes(MLIRContext *context) {
  std::string list;
  llvm::raw_string_ostream os(list);
  for (int type = 0; type < numDTypes; ++type)
    os << (type ? ", " : "") << toMLIRType(static_cast<DType>(type), context);
  return list;
}

namespace {
class BindShapes : public weir::impl::BindShapesBase<BindShapes> {
public:
  using BindShapesBase::BindShapesBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> entries = getEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    for (func::FuncOp entry : *entries)
      if (failed(checkTypes(entry)))
        return signalPassFailure();
    const InputNumbers numbers(*entries);
    given.clear();
    names = UniqueNames();
    for (auto symbol : getOperation().getOps<SymbolOpInterface>())
      names.take(symbol.getName());
    for (StringRef shape : shapes)
      if (failed(assignShape(*entries, numbers, shape)))
        return signalPassFailure();
    for (func::FuncOp entry : *entries)
      if (failed(bindEntry(entry, numbers)))
        return signalPassFailure();
    if (failed(checkPlans()))
      signalPassFailure();
  }

private:
  /// Whether `entry` has a constant called `name`.
  static bool hasConstant(func::FuncOp entry, StringRef name) {
    return llvm::any_of(entry.getOps<ConstantOp>(), [&](ConstantOp constant) {
      return weir::getOpName(constant) == name;
    });
  }

  /// Finds the entries for which `shape` is given.
  LogicalResult assignShape(ArrayRef<func::FuncOp> entries,
                            const InputNumbers &numbers, StringRef shape) {
    StatusOr<ShapeOption> option = parseShapeOption(shape);
    if (!option.isOk())
      return emitFlagError(entries, "--shape")
             << StringRef(option.status().message());
    NamedInEntries inputs = findInEntries(
        entries, option->input, [&](func::FuncOp entry, StringRef name) {
          return numbers.find(entry, name).has_value();
        });
    if (inputs.entries.empty() &&
        !findInEntries(entries, option->input, hasConstant).entries.empty())
      return emitFlagError(entries, "--shape")
             << "shape '" << shape
             << "' names a constant, which has the shape of its value; --bind "
                "makes inputs constants, so give one of the two flags";
    if (inputs.entries.empty())
      return emitFlagError(entries, "--shape")
             << "shape '" << shape << "' names no input; "
             << offerInputs(entries, option->input);
    for (func::FuncOp entry : inputs.entries)
      (inputs.isQualified ? given[entry].own : given[entry].shared)
          .push_back({inputs.name.str(), option->dims});
    return success();
  }

  /// Gives `entry` its shapes. If there are several plans, each is a copy of
  /// the function.
  LogicalResult bindEntry(func::FuncOp entry, const InputNumbers &numbers) {
    const GivenShapes &shapes = given[entry];
    StatusOr<std::vector<ShapePlan>> plans = planShapes(shapes);
    if (!plans.isOk())
      return entry.emitError(StringRef(plans.status().message()));
    auto numberOf = [&](StringRef input) {
      return *numbers.find(entry, input);
    };
    const std::string name = getEntryName(entry).str();
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(entry);
    for (const ShapePlan &plan : ArrayRef(*plans).drop_front()) {
      auto copy = cast<func::FuncOp>(builder.clone(*entry));
      if (failed(bindPlan(copy, name, plan, shapes, numberOf)))
        return failure();
    }
    return bindPlan(entry, name, plans->front(), shapes, numberOf);
  }

  LogicalResult bindPlan(func::FuncOp entry, StringRef name,
                         const ShapePlan &plan, const GivenShapes &shapes,
                         llvm::function_ref<unsigned(StringRef)> numberOf) {
    if (!plan.name.empty()) {
      entry.setName(names.add(nameShapePlan(name, plan)));
      entry->setAttr(attrs::entry, StringAttr::get(&getContext(), name));
    }
    for (const ShapeOption &option : plan.shapes) {
      const bool namesEntry =
          llvm::any_of(shapes.own, [&](const ShapeOption &own) {
            return own.input == option.input;
          });
      if (failed(bindInput(entry, entry.getArgument(numberOf(option.input)),
                           option.dims, namesEntry)))
        return failure();
    }
    if (failed(inferAll(entry)) || failed(checkStatic(entry)))
      return failure();
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      entry.removeArgAttr(i, attrs::compared);
    return success();
  }

  LogicalResult bindInput(func::FuncOp entry, BlockArgument input,
                          ArrayRef<int64_t> dims, bool namesEntry) {
    auto type = cast<RankedTensorType>(input.getType());
    if (succeeded(verifyCompatibleShape(type.getShape(), dims))) {
      input.setType(type.clone(dims));
      return success();
    }
    InFlightDiagnostic error =
        entry.emitError("input '")
        << getValueName(input) << "' is " << shapeToString(toDims(type))
        << ", which does not fit the shape " << shapeToString(dims);
    if (entry.getArgAttr(input.getArgNumber(), attrs::compared))
      return error << "; it has the dims of what it is compared with, so leave "
                      "out --shape="
                   << getValueName(input) << ":" << shapeToString(dims);
    error
        << (type.hasStaticShape()
                ? "; all its dims are fixed in the graph, so change them there"
                : "; give each ? a number, and keep the other dims");
    if (!namesEntry && !getReportPrefix(entry).empty())
      error << "; or name the entry that the shape is for, as in --shape=ENTRY/"
            << getValueName(input) << ":" << shapeToString(dims);
    return error;
  }

  /// If `op` compares an input with its first operand, gives the input the dims
  /// of that operand. These dims are known at this point.
  LogicalResult bindCompared(func::FuncOp entry, Operation &op) {
    for (Value operand : op.getOperands()) {
      auto input = dyn_cast<BlockArgument>(operand);
      if (!input || !entry.getArgAttr(input.getArgNumber(), attrs::compared))
        continue;
      auto type = cast<RankedTensorType>(input.getType());
      auto other = cast<RankedTensorType>(op.getOperand(0).getType());
      const auto dims =
          other.getShape().take_front(static_cast<size_t>(type.getRank()));
      if (failed(verifyCompatibleShape(type.getShape(), dims)))
        return entry.emitError("input '")
               << getValueName(input) << "' is " << shapeToString(toDims(type))
               << ", but '" << getValueName(op.getOperand(0)) << "' is "
               << shapeToString(toDims(other)) << "; expected "
               << shapeToString({dims.data(), dims.size()})
               << ", which it has by itself, so leave out --shape="
               << getValueName(input) << ":" << shapeToString(toDims(type));
      input.setType(type.clone(dims));
    }
    return success();
  }

  /// Checks that the dims of the results of `op` in the text agree with the
  /// bound shapes.
  static LogicalResult checkWritten(Operation &op, ArrayRef<Type> inferred) {
    for (auto [result, type] : llvm::zip(op.getResults(), inferred)) {
      auto written = cast<RankedTensorType>(result.getType());
      auto bound = cast<RankedTensorType>(type);
      if (failed(verifyCompatibleShape(written.getShape(), bound.getShape())))
        return op.emitOpError("has a result of ")
               << shapeToString(toDims(bound)) << " for these inputs, but "
               << shapeToString(toDims(written))
               << " is written; write ? for each dim that --shape sets, or "
                  "leave the type out";
    }
    return success();
  }

  /// Infers result types from operand types in order, and then the entry's own
  /// type.
  LogicalResult inferAll(func::FuncOp entry) {
    for (Operation &op : entry.getBody().front().without_terminator()) {
      if (failed(bindCompared(entry, op)))
        return failure();
      auto infer = dyn_cast<InferTypeOpInterface>(op);
      if (!infer)
        continue;
      SmallVector<Type> types;
      if (failed(infer.inferReturnTypes(
              op.getContext(), op.getLoc(), op.getOperands(),
              op.getAttrDictionary(), op.getPropertiesStorage(),
              op.getRegions(), types)))
        return failure();
      if (failed(checkWritten(op, types)))
        return failure();
      // A layout is an order of dims, which does not depend on sizes.
      for (auto [result, type] : llvm::zip(op.getResults(), types))
        result.setType(cast<RankedTensorType>(type).cloneWithEncoding(
            cast<RankedTensorType>(result.getType()).getEncoding()));
    }
    Operation *terminator = entry.getBody().front().getTerminator();
    entry.setType(FunctionType::get(entry.getContext(),
                                    entry.getBody().front().getArgumentTypes(),
                                    terminator->getOperandTypes()));
    return success();
  }

  LogicalResult checkTypes(func::FuncOp entry) {
    for (BlockArgument input : entry.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(input.getType());
      if (!type || !toDType(type.getElementType()))
        return emitError(input.getLoc(), "input '")
               << getValueName(input)
               << "' expects a tensor of known rank and of an element type "
                  "that "
                  "Weir has ("
               << listElementTypes(&getContext())
               << "), such as tensor<2x3xf32> "
               << "or, for a scalar, tensor<f32>; found " << input.getType();
    }
    return success();
  }

  /// Checks that the plans of one entry differ in the shapes of their inputs,
  /// because a run chooses a plan by these shapes.
  LogicalResult checkPlans() {
    llvm::StringMap<func::FuncOp> known;
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      std::string key;
      llvm::raw_string_ostream os(key);
      os << getEntryName(entry);
      for (BlockArgument input : entry.getArguments())
        os << '\n' << input.getType();
      auto [other, isNew] = known.try_emplace(key, entry);
      if (isNew)
        continue;
      InFlightDiagnostic error =
          entry.emitError("has the name '")
          << getEntryName(entry)
          << "' and the input shapes of another function; give it another name "
             "or other shapes";
      error.attachNote(other->second.getLoc()) << "the other function";
      return error;
    }
    return success();
  }

  /// The name of `input` for --shape. The name has the prefix of the entry if
  /// another entry has an input of this name with known dims.
  static std::string nameForShape(func::FuncOp entry, BlockArgument input) {
    const std::string name = getValueName(input).str();
    for (func::FuncOp other :
         entry->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
      for (BlockArgument argument : other.getArguments())
        if (other != entry && getValueName(argument) == name &&
            cast<RankedTensorType>(argument.getType()).hasStaticShape())
          return (entry.getSymName() + "/" + name).str();
    return name;
  }

  LogicalResult checkStatic(func::FuncOp entry) {
    for (BlockArgument input : entry.getArguments()) {
      auto type = cast<RankedTensorType>(input.getType());
      std::vector<int64_t> example = toDims(type);
      llvm::replace(example, unknownDim, int64_t{1});
      if (!type.hasStaticShape())
        return emitError(input.getLoc(), "input '")
               << getValueName(input) << "' has an unknown dim ("
               << shapeToString(toDims(type))
               << "); give each ? a number, as in --shape="
               << nameForShape(entry, input) << ":" << shapeToString(example);
    }
    return success();
  }

  llvm::DenseMap<func::FuncOp, GivenShapes> given;
  /// The symbols of the module.
  UniqueNames names;
};
} // namespace
