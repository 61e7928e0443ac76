//===- BindInputs.cpp - Makes inputs of the entry constants -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Elements.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/TensorFile.h"

#include "mlir/IR/TypeUtilities.h"

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
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    for (StringRef text : bind) {
      StatusOr<BindOption> option = parseBindOption(text);
      Status status =
          option.isOk() ? bindOne(entry, *option) : std::move(option).status();
      if (status.isOk())
        continue;
      entry.emitError(StringRef(status.message()));
      return signalPassFailure();
    }
  }

private:
  /// "?x8xf32".
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

  static Status bindOne(func::FuncOp entry, const BindOption &option) {
    std::string names;
    for (BlockArgument input : entry.getArguments()) {
      StringRef name = getValueName(input);
      if (name == option.input)
        return replace(entry, input, option);
      names += (names.empty() ? "" : ", ") + name.str();
    }
    return invalidArgument("--bind names '" + option.input +
                           "', which is not an input; the inputs are " + names);
  }

  static Status replace(func::FuncOp entry, BlockArgument input,
                        const BindOption &option) {
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor, readTensorFile(option.file));
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
    (void)entry.eraseArgument(input.getArgNumber());
    return Status::ok();
  }
};
} // namespace
