//===- AddGradients.cpp - Makes gradients outputs of entries ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"
#include "weir/Support/OptionText.h"

namespace weir {
#define GEN_PASS_DEF_ADDGRADIENTS
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The parameters and inputs of floats in `entry`, with their names.
static SmallVector<std::pair<StringRef, Value>>
listSources(func::FuncOp entry) {
  SmallVector<std::pair<StringRef, Value>> sources;
  auto add = [&](StringRef name, Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && isa<FloatType>(type.getElementType()))
      sources.emplace_back(name, value);
  };
  for (BlockArgument argument : entry.getArguments())
    add(getValueName(argument), argument);
  for (auto read : entry.getOps<ReadOp>())
    add(read.getParameter(), read.getResult());
  return sources;
}

namespace {
class AddGradients : public weir::impl::AddGradientsBase<AddGradients> {
public:
  using AddGradientsBase::AddGradientsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> entries = getEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    for (StringRef rule : gradients)
      if (failed(apply(*entries, rule)))
        return signalPassFailure();
  }

private:
  /// Applies one rule of the form LOSS=GLOB.
  static LogicalResult apply(ArrayRef<func::FuncOp> entries, StringRef rule) {
    auto emitError = [&] { return emitFlagError(entries, "--gradient"); };
    StatusOr<GradientOption> option = parseGradientOption(rule);
    if (!option.isOk())
      return emitError() << StringRef(option.status().message());
    const StringRef loss = option->loss, pattern = option->of.pattern();
    NamedInEntries found =
        findInEntries(entries, loss, [](func::FuncOp entry, StringRef name) {
          return static_cast<bool>(findOutputOrOp(entry, name));
        });
    if (found.entries.empty())
      return emitError() << "'" << rule << "': there is no output or op '"
                         << loss << "'; " << offerOutputs(entries, loss);
    for (func::FuncOp entry : found.entries) {
      SmallVector<std::pair<StringRef, Value>> of;
      llvm::copy_if(
          listSources(entry), std::back_inserter(of),
          [&](const auto &source) { return option->of.matches(source.first); });
      if (of.empty())
        return emitError() << "'" << rule << "': '" << pattern
                           << "' fits no parameter or input of floats; "
                           << offerInEntries(entries, pattern, "", addSources);
      for (const auto &[name, value] : of)
        for (unsigned i = 0; i < entry.getNumResults(); ++i)
          if (getOutputName(entry, i) == (name + ".grad").str())
            return emitError() << "'" << rule << "': there is an output '"
                               << name << ".grad' already";
      addOutputs(entry, findOutputOrOp(entry, found.name), of);
    }
    return success();
  }

  static void addSources(func::FuncOp entry,
                         SmallVectorImpl<std::string> &names) {
    for (const auto &[name, value] : listSources(entry))
      names.push_back(name.str());
  }

  /// Adds the gradients of `of` as outputs NAME.grad, after all other outputs.
  static void addOutputs(func::FuncOp entry, Value loss,
                         ArrayRef<std::pair<StringRef, Value>> of) {
    Operation *end = entry.getBody().front().getTerminator();
    OpBuilder builder(end);
    auto values = llvm::map_to_vector(
        of, [](const auto &source) { return source.second; });
    auto gradient =
        GradientOp::create(builder, loss.getLoc(), loss, ValueRange(values));
    SmallVector<Value> outputs(end->getOperands());
    // The outputs get names, because an output without a name gets the name of
    // its op.
    for (auto [source, result] : llvm::zip_equal(of, gradient.getResults())) {
      (void)entry.insertResult(
          entry.getNumResults(), result.getType(),
          builder.getDictionaryAttr(builder.getNamedAttr(
              attrs::name,
              builder.getStringAttr(source.first.str() + ".grad"))));
      outputs.push_back(result);
    }
    end->setOperands(outputs);
  }
};
} // namespace
