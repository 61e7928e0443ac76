//===- LiftParameters.cpp - Turns reads and assigns into pure SSA ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckPlans.h"

#include "weir/Dialect/Weir/IR/Buckets.h"
#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/UniqueNames.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace weir {
#define GEN_PASS_DEF_LIFTPARAMETERS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class LiftParameters : public weir::impl::LiftParametersBase<LiftParameters> {
public:
  using LiftParametersBase::LiftParametersBase;

  void runOnOperation() override {
    auto lift = [&](func::FuncOp entry) -> LogicalResult {
      if (failed(checkInputs(entry)))
        return failure();
      liftReads(entry);
      return success(succeeded(nameResults(entry)) &&
                     succeeded(liftAssigns(entry)));
    };
    if (failed(checkSymbols(getOperation())) ||
        failed(checkBuckets(getOperation())) ||
        failed(forEachEntry(getOperation(), lift)) ||
        failed(checkPlans(getOperation())) ||
        failed(checkDerived(getOperation())))
      signalPassFailure();
  }

private:
  /// Checks that each parameter is in one bucket at most, and that entries
  /// assign buckets as wholes. Removes buckets that no entry assigns.
  static LogicalResult checkBuckets(ModuleOp module) {
    llvm::DenseMap<Attribute, BucketOp> buckets, owners;
    for (auto bucket : module.getOps<BucketOp>()) {
      buckets[FlatSymbolRefAttr::get(bucket.getSymNameAttr())] = bucket;
      for (Attribute parameter : bucket.getParameters()) {
        auto [other, isNew] = owners.try_emplace(parameter, bucket);
        if (isNew)
          continue;
        InFlightDiagnostic error = bucket.emitOpError("lists parameter ")
                                   << parameter
                                   << ", which is in another bucket; a "
                                      "parameter is in one bucket at most";
        error.attachNote(other->second.getLoc()) << "the other bucket";
        return error;
      }
    }
    if (buckets.empty())
      return success();
    WalkResult walked = module.walk([&](AssignOp assign) {
      if (BucketOp bucket = owners.lookup(assign.getParameterAttr())) {
        refusePart(assign, bucket);
        return WalkResult::interrupt();
      }
      buckets.erase(assign.getParameterAttr());
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return failure();
    // Entries that are already lifted name their parameters in attributes.
    for (auto entry : module.getOps<func::FuncOp>()) {
      for (unsigned i = 0; i < entry.getNumArguments(); ++i)
        buckets.erase(entry.getArgAttr(i, attrs::parameter));
      for (unsigned i = 0; i < entry.getNumResults(); ++i)
        buckets.erase(entry.getResultAttr(i, attrs::assigns));
    }
    dissolve(module, buckets);
    return success();
  }

  static void refusePart(AssignOp assign, BucketOp bucket) {
    InFlightDiagnostic error =
        assign.emitOpError("assigns ")
        << assign.getParameterAttr() << ", which is in bucket @"
        << bucket.getSymName() << "; assign @" << bucket.getSymName()
        << " as a whole, or take the parameter out of it";
    error.attachNote(bucket.getLoc()) << "the bucket";
  }

  /// Replaces reads of `buckets` by reads of their parameters, and removes the
  /// buckets.
  static void dissolve(ModuleOp module,
                       const llvm::DenseMap<Attribute, BucketOp> &buckets) {
    const SymbolTable symbols(module);
    module.walk([&](ReadOp read) {
      BucketOp bucket = buckets.lookup(read.getParameterAttr());
      if (!bucket)
        return;
      OpBuilder builder(read);
      SmallVector<Value> parts;
      for (const BucketPart &part : listParts(bucket, symbols))
        parts.push_back(
            ReadOp::create(builder, read.getLoc(), part.type, part.parameter));
      read.replaceAllUsesWith(makePack(builder, read.getLoc(), parts));
      read.erase();
    });
    for (BucketOp bucket :
         llvm::make_early_inc_range(module.getOps<BucketOp>()))
      if (buckets.contains(FlatSymbolRefAttr::get(bucket.getSymNameAttr())))
        bucket.erase();
  }

  /// Checks that no entry reads a derived parameter that depends on an assigned
  /// parameter. The bytes of a derived parameter are computed only once, when
  /// the artifact is written.
  static LogicalResult checkDerived(ModuleOp module) {
    const ParameterFacts facts(module);
    // The derived parameters that depend on an assigned parameter, each with
    // that parameter.
    llvm::DenseMap<Attribute, FlatSymbolRefAttr> changing;
    for (auto derived : module.getOps<DerivedOp>())
      for (auto read : derived.getBlock().getOps<ReadOp>()) {
        FlatSymbolRefAttr from = read.getParameterAttr();
        if (FlatSymbolRefAttr deeper = changing.lookup(from))
          from = deeper;
        else if (!facts.isAssigned(from))
          continue;
        changing.try_emplace(FlatSymbolRefAttr::get(derived.getSymNameAttr()),
                             from);
      }
    if (changing.empty())
      return success();
    for (auto entry : module.getOps<func::FuncOp>())
      for (BlockArgument argument : entry.getArguments()) {
        Attribute parameter = getParameter(entry, argument);
        if (FlatSymbolRefAttr from = changing.lookup(parameter))
          return emitError(argument.getLoc(), "reads ")
                 << parameter << ", which is derived from " << from
                 << " once, but an entry assigns " << from
                 << "; compute it from " << from << " where it is read";
      }
    return success();
  }

  void liftReads(func::FuncOp entry) {
    llvm::MapVector<Attribute, SmallVector<ReadOp>> reads;
    for (auto read : entry.getOps<ReadOp>())
      reads[read.getParameterAttr()].push_back(read);
    Builder builder(entry);
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> marks;
    SmallVector<Location> locations;
    for (auto &[parameter, uses] : reads) {
      auto name = cast<FlatSymbolRefAttr>(parameter).getAttr();
      types.push_back(uses.front().getType());
      marks.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr(attrs::parameter, parameter)));
      locations.push_back(NameLoc::get(name, uses.front().getLoc()));
    }
    // All arguments are added at once, because MLIR keeps every function type.
    unsigned first = entry.getNumArguments();
    (void)entry.insertArguments(SmallVector<unsigned>(types.size(), first),
                                types, marks, locations);
    for (auto [index, entryOfReads] : llvm::enumerate(reads))
      for (ReadOp read : entryOfReads.second) {
        read.getResult().replaceAllUsesWith(entry.getArgument(first + index));
        read.erase();
      }
  }

  /// Checks the names that callers use. The names must not be empty, and later
  /// passes must be able to add names.
  static LogicalResult checkSymbols(ModuleOp module) {
    for (Operation &op : *module.getBody()) {
      auto name =
          op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      if (name && name.empty())
        return op.emitError(isa<func::FuncOp>(op) ? "the function"
                                                  : "the parameter")
               << " has an empty name; give it one";
      if (name && (name == attrs::clustersModule ||
                   name.strref().starts_with(attrs::kernelsModule)))
        return op.emitError("'@") << name.strref()
                                  << "' is a name that the compiler uses; give "
                                     "it another";
    }
    return success();
  }

  /// Checks that each input has a name of its own, because callers pass inputs
  /// by name.
  static LogicalResult checkInputs(func::FuncOp entry) {
    llvm::StringSet<> taken;
    for (BlockArgument input : entry.getArguments()) {
      StringRef name = getValueName(input);
      if (name.empty())
        return entry.emitError("input ")
               << input.getArgNumber() << " has an empty name; give it one";
      if (!taken.insert(name).second)
        return entry.emitError("names two inputs '")
               << name << "'; give each input a name of its own";
    }
    return success();
  }

  /// An output without a name gets the name of the value that it returns, with
  /// a number if an earlier output has that name.
  LogicalResult nameResults(func::FuncOp entry) {
    Operation *terminator = entry.getBody().front().getTerminator();
    SmallVector<StringAttr> names(entry.getNumResults());
    UniqueNames taken;
    for (unsigned i = 0; i < names.size(); ++i) {
      names[i] = entry.getResultAttrOfType<StringAttr>(i, attrs::name);
      if (names[i] && !taken.take(names[i].getValue()))
        return entry.emitError("names two outputs '")
               << names[i].getValue()
               << "'; give each output a name of its own";
    }
    // Outputs that can have the names of their values come first, so that no
    // numbered name takes one of these names.
    SmallVector<unsigned> others;
    for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
      if (!names[i] && taken.take(getValueName(value)))
        names[i] = StringAttr::get(&getContext(), getValueName(value));
      else if (!names[i])
        others.push_back(static_cast<unsigned>(i));
    for (unsigned i : others)
      names[i] = StringAttr::get(
          &getContext(), taken.add(getValueName(terminator->getOperand(i))));
    SmallVector<DictionaryAttr> marks;
    for (auto [i, name] : llvm::enumerate(names)) {
      if (name.empty())
        return entry.emitError("output ")
               << i << " has an empty name; give it one";
      NamedAttrList list(entry.getResultAttrDict(static_cast<unsigned>(i)));
      list.set(attrs::name, name);
      marks.push_back(list.getDictionary(&getContext()));
    }
    entry.setAllResultAttrs(marks);
    return success();
  }

  LogicalResult liftAssigns(func::FuncOp entry) {
    llvm::DenseMap<Attribute, AssignOp> assigned;
    Operation *terminator = entry.getBody().front().getTerminator();
    for (AssignOp assign : llvm::to_vector(entry.getOps<AssignOp>())) {
      auto [it, isNew] =
          assigned.try_emplace(assign.getParameterAttr(), assign);
      if (!isNew) {
        InFlightDiagnostic error = assign.emitOpError("assigns parameter ")
                                   << assign.getParameterAttr()
                                   << " a second time";
        error.attachNote(it->second.getLoc()) << "first assigned here";
        return error;
      }
    }
    if (assigned.empty() && entry.getNumResults() == 0)
      return entry.emitError("returns nothing and assigns nothing, so there is "
                             "nothing to run; return a value");
    Builder builder(entry);
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> marks;
    for (AssignOp assign : llvm::to_vector(entry.getOps<AssignOp>())) {
      types.push_back(assign.getValue().getType());
      marks.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr(attrs::assigns, assign.getParameterAttr())));
      terminator->insertOperands(terminator->getNumOperands(),
                                 assign.getValue());
      assign.erase();
    }
    (void)entry.insertResults(
        SmallVector<unsigned>(types.size(), entry.getNumResults()), types,
        marks);
    return success();
  }
};
} // namespace
