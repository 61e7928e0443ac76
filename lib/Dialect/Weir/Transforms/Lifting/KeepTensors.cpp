//===- KeepTensors.cpp - Keeps tensors from being fused away ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"
#include "weir/Support/Glob.h"

namespace weir {
#define GEN_PASS_DEF_KEEPTENSORS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class KeepTensors : public weir::impl::KeepTensorsBase<KeepTensors> {
public:
  using KeepTensorsBase::KeepTensorsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> entries = getEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    for (StringRef pattern : keep)
      if (failed(apply(*entries, pattern)))
        return signalPassFailure();
  }

private:
  LogicalResult apply(ArrayRef<func::FuncOp> entries, StringRef pattern) {
    if (StatusOr<Glob> glob = Glob::parse(pattern); !glob.isOk())
      return emitFlagError(entries, "--keep")
             << "keep pattern '" << pattern << "': " << glob.status().message();
    NamedInEntries tensors =
        findInEntries(entries, pattern, [](func::FuncOp entry, StringRef part) {
          StatusOr<Glob> glob = Glob::parse(part);
          return glob.isOk() && !findTensors(entry, *glob).empty();
        });
    if (tensors.entries.empty())
      return emitFlagError(entries, "--keep")
             << "keep pattern '" << pattern << "' fits no tensor; "
             << describeTensors(entries, pattern);
    for (func::FuncOp entry : tensors.entries)
      for (OpResult result : findTensors(entry, *Glob::parse(tensors.name)))
        keepTensor(result);
    return success();
  }

  /// Suggestions for an error: the tensors of ops with a matching name, else
  /// all tensors.
  static std::string describeTensors(ArrayRef<func::FuncOp> entries,
                                     StringRef pattern) {
    const Glob glob = *Glob::parse(pattern);
    const auto matches = [&](WeirOpInterface op) {
      return glob.matches(weir::getOpName(op.getOperation()));
    };
    const bool matchesOps = llvm::any_of(entries, [&](func::FuncOp entry) {
      return llvm::any_of(entry.getOps<WeirOpInterface>(), matches);
    });
    auto list = [&](func::FuncOp entry, SmallVectorImpl<std::string> &names) {
      for (auto op : entry.getOps<WeirOpInterface>())
        if (!matchesOps || matches(op))
          for (OpResult result : op->getResults())
            llvm::append_range(names, getTensorNames(result));
    };
    const std::string offered =
        offerInEntries(entries, pattern, "tensors", list);
    return matchesOps ? "it matches ops, of which " + offered : offered;
  }

  /// The tensors of `entry` that `glob` fits.
  static SmallVector<OpResult> findTensors(func::FuncOp entry,
                                           const Glob &glob) {
    SmallVector<OpResult> found;
    for (auto op : entry.getOps<WeirOpInterface>())
      for (OpResult result : op->getResults())
        if (llvm::any_of(getTensorNames(result), [&](const std::string &name) {
              return glob.matches(name);
            }))
          found.push_back(result);
    return found;
  }

  static void keepTensor(OpResult result) {
    OpBuilder builder(result.getContext());
    builder.setInsertionPointAfter(result.getOwner());
    KeepOp::create(builder, result.getLoc(), result);
  }
};
} // namespace
