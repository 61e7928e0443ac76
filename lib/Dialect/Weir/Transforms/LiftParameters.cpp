//===- LiftParameters.cpp - Turns reads and assigns into pure SSA ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

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
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    liftReads(entry);
    nameResults(entry);
    if (failed(liftAssigns(entry)))
      signalPassFailure();
  }

private:
  void liftReads(func::FuncOp entry) {
    llvm::MapVector<Attribute, SmallVector<ReadOp>> reads;
    for (auto read : entry.getOps<ReadOp>())
      reads[read.getParameterAttr()].push_back(read);
    Builder builder(entry);
    for (auto &[parameter, uses] : reads) {
      unsigned index = entry.getNumArguments();
      auto name = cast<FlatSymbolRefAttr>(parameter).getAttr();
      auto marks = builder.getDictionaryAttr(
          builder.getNamedAttr(attrs::parameter, parameter));
      (void)entry.insertArgument(index, uses.front().getType(), marks,
                                 NameLoc::get(name, uses.front().getLoc()));
      for (ReadOp read : uses) {
        read.getResult().replaceAllUsesWith(entry.getArgument(index));
        read.erase();
      }
    }
  }

  /// An output is called like the value it returns. When two share a name, the
  /// later one gets a number.
  void nameResults(func::FuncOp entry) {
    Operation *terminator = entry.getBody().front().getTerminator();
    llvm::StringSet<> taken;
    for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
      std::string name = getValueName(value).str();
      for (unsigned n = 1; !taken.insert(name).second; ++n)
        name = (getValueName(value) + "_" + llvm::Twine(n)).str();
      if (!entry.getResultAttr(index, attrs::name))
        entry.setResultAttr(index, attrs::name,
                            StringAttr::get(&getContext(), name));
    }
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
    Builder builder(entry);
    for (AssignOp assign : llvm::to_vector(entry.getOps<AssignOp>())) {
      auto marks = builder.getDictionaryAttr(
          builder.getNamedAttr(attrs::assigns, assign.getParameterAttr()));
      (void)entry.insertResult(entry.getNumResults(),
                               assign.getValue().getType(), marks);
      terminator->insertOperands(terminator->getNumOperands(),
                                 assign.getValue());
      assign.erase();
    }
    return success();
  }
};
} // namespace
