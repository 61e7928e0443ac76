//===- ReadWeights.cpp - Gives parameters the values of a file --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/SafeTensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <fmt/format.h>

namespace weir {
#define GEN_PASS_DEF_READWEIGHTS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The most parameters that a remark names.
static constexpr size_t mostNamed = 8;

namespace {
class ReadWeights : public weir::impl::ReadWeightsBase<ReadWeights> {
public:
  using ReadWeightsBase::ReadWeightsBase;

  void runOnOperation() override {
    auto opened = SafeTensors::open(weights);
    if (!opened) {
      emitError() << StringRef(opened.status().message());
      return signalPassFailure();
    }
    if (failed(readAll(*opened)))
      signalPassFailure();
  }

private:
  InFlightDiagnostic emitError() {
    return mlir::emitError(UnknownLoc::get(&getContext())) << "--weights: ";
  }

  LogicalResult readAll(const SafeTensors &file);
  LogicalResult read(ParameterOp parameter, const SafeTensors::Entry &tensor);
  LogicalResult refuse(ArrayRef<StringRef> parameters, const SafeTensors &file);
  void report(size_t count, ArrayRef<StringRef> others);
};
} // namespace

LogicalResult ReadWeights::read(ParameterOp parameter,
                                const SafeTensors::Entry &tensor) {
  const TensorDesc wanted =
      toTensorDesc(cast<RankedTensorType>(parameter.getType()));
  if (tensor.type != wanted.type || tensor.dims != wanted.dims)
    return parameter.emitOpError("expects tensor '")
           << tensor.name << "' of '" << weights << "' to be "
           << wanted.toString() << ", found "
           << (tensor.type
                   ? TensorDesc::rowMajor(*tensor.type, tensor.dims).toString()
                   : fmt::format("{} of [{}]", tensor.typeName,
                                 fmt::join(tensor.dims, ", ")))
           << "; give the file of the same network to --weights";
  // Paths of parameters are relative to the folder of the graph.
  std::error_code error;
  const auto path = std::filesystem::absolute(weights.getValue(), error);
  if (error)
    return emitError() << "cannot find the folder of '" << weights
                       << "': " << error.message();
  for (StringAttr name :
       {parameter.getKeyAttrName(), parameter.getOffsetAttrName(),
        parameter.getValueAttrName(), parameter.getUniformAttrName(),
        parameter.getInitialAttrName()})
    parameter->removeAttr(name);
  parameter->removeAttr(attrs::contentHash);
  if (hashWeights)
    parameter->setAttr(
        attrs::contentHash,
        StringAttr::get(&getContext(), hashContent(tensor.bytes)));
  parameter.setFile(path.string());
  return success();
}

/// Reports that the file belongs to another network, or names its tensors
/// differently.
LogicalResult ReadWeights::refuse(ArrayRef<StringRef> parameters,
                                  const SafeTensors &file) {
  if (parameters.empty())
    return emitError() << "the graph has no parameter";
  std::vector<std::string> names;
  for (const auto &[name, tensor] : file.entries())
    names.push_back(name);
  StringRef first = parameters.front();
  return emitError()
         << "'" << weights
         << "' has no tensor with the name of a parameter, such as '" << first
         << "'; in the file, "
         << offerNames(std::string_view(first), names, "tensors");
}

/// Says which parameters the file does not have.
void ReadWeights::report(size_t count, ArrayRef<StringRef> others) {
  ArrayRef<StringRef> named = others.take_front(mostNamed);
  auto remark = mlir::emitRemark(UnknownLoc::get(&getContext()));
  remark << "--weights: " << count
         << (count == 1 ? " parameter has the value of '"
                        : " parameters have the values of '")
         << weights << "'; '" << llvm::join(named, "', '") << "'";
  if (named.size() < others.size())
    remark << " and " << others.size() - named.size() << " more";
  remark << (others.size() == 1 ? " keeps its own" : " keep their own");
}

LogicalResult ReadWeights::readAll(const SafeTensors &file) {
  SmallVector<StringRef> others;
  size_t count = 0;
  for (auto parameter : getOperation().getOps<ParameterOp>()) {
    auto found = file.entries().find(std::string_view(parameter.getSymName()));
    if (found == file.entries().end())
      others.push_back(parameter.getSymName());
    else if (failed(read(parameter, found->second)))
      return failure();
    else
      ++count;
  }
  if (auto kept = dyn_cast_or_null<ArrayAttr>(
          getOperation()->removeAttr(attrs::keptWeights)))
    for (StringRef name : kept.getAsValueRange<StringAttr>())
      others.push_back(name);
  if (count == 0)
    return refuse(others, file);
  if (!others.empty())
    report(count, others);
  return success();
}
