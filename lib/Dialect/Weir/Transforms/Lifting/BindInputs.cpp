//===- BindInputs.cpp - Makes inputs of entries constants -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Elements.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/TensorFile.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/BitVector.h"

#include <algorithm>

namespace weir {
#define GEN_PASS_DEF_BINDINPUTS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class BindInputs : public weir::impl::BindInputsBase<BindInputs> {
public:
  using BindInputsBase::BindInputsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> entries = getEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    if (Status status = bindAll(*entries); !status.isOk()) {
      emitFlagError(*entries) << StringRef(status.message());
      signalPassFailure();
    }
  }

private:
  /// The text of a type, such as "?x8xf32".
  static std::string describe(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<DType> element =
        tensor ? toDType(tensor.getElementType()) : std::nullopt;
    if (!element)
      return "another type";
    std::string shape = shapeToString(toDims(tensor));
    return shape + (tensor.getRank() ? "x" : "") +
           std::string(toString(*element));
  }

  Status bindAll(ArrayRef<func::FuncOp> entries) {
    const InputNumbers numbers(entries);
    // Options for one entry come first, so that options for all entries do not
    // replace them.
    std::vector<std::pair<BindOption, NamedInEntries>> options;
    for (StringRef text : bind) {
      WEIR_ASSIGN_OR_RETURN(BindOption option, parseBindOption(text));
      NamedInEntries inputs = findInEntries(
          entries, option.input, [&](func::FuncOp entry, StringRef name) {
            return numbers.find(entry, name).has_value();
          });
      if (inputs.entries.empty())
        return invalidArgument("--bind names '" + option.input +
                               "', which is not an input; " +
                               offerInputs(entries, option.input));
      option.input = inputs.name.str();
      options.emplace_back(std::move(option), std::move(inputs));
    }
    std::stable_partition(options.begin(), options.end(), [](const auto &one) {
      return one.second.isQualified;
    });
    llvm::DenseMap<func::FuncOp, BitVector> boundOf;
    for (func::FuncOp entry : entries)
      boundOf[entry].resize(entry.getNumArguments());
    for (const auto &[option, inputs] : options) {
      // The file is read only once, because it may be standard input.
      std::optional<HostTensor> value;
      for (func::FuncOp entry : inputs.entries) {
        const unsigned number = *numbers.find(entry, option.input);
        if (boundOf[entry].test(number))
          continue;
        if (!value) {
          auto read = readTensorFile(option.file);
          if (!read)
            return offerForms(std::move(read).status(), option.file,
                              "FILE.npy or FILE.pb")
                .withContext("--bind " + option.input);
          value = *std::move(read);
        }
        WEIR_RETURN_IF_ERROR(
            replace(entry, entry.getArgument(number), option, *value));
        boundOf[entry].set(number);
      }
    }
    // All arguments are erased at once, because MLIR keeps every function type.
    for (func::FuncOp entry : entries)
      (void)entry.eraseArguments(boundOf[entry]);
    return Status::ok();
  }

  /// Replaces `input` by `tensor`, the value that `option` names.
  static Status replace(func::FuncOp entry, BlockArgument input,
                        const BindOption &option, const HostTensor &tensor) {
    MLIRContext *context = entry.getContext();
    auto found =
        makeTensorType(tensor.dims(), toMLIRType(tensor.type(), context));
    auto wanted = dyn_cast<RankedTensorType>(input.getType());
    if (!wanted || wanted.getElementType() != found.getElementType() ||
        failed(verifyCompatibleShape(wanted, found)))
      return invalidArgument("--bind expects " + describe(input.getType()) +
                             " for input '" + option.input + "', found " +
                             tensor.desc().toString() + " in '" + option.file +
                             "'; convert or reshape it");
    OpBuilder builder = OpBuilder::atBlockBegin(&entry.getBody().front());
    auto constant = ConstantOp::create(builder, input.getLoc(),
                                       copyElements(tensor, context));
    input.replaceAllUsesWith(constant);
    return Status::ok();
  }
};
} // namespace
