//===- Elements.cpp - Converts host tensors to attributes -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Elements.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace weir;

static mlir::RankedTensorType typeOf(const HostTensor &tensor,
                                     mlir::MLIRContext *context) {
  return makeTensorType(tensor.dims(), toMLIRType(tensor.type(), context));
}

static llvm::ArrayRef<char> bytesOf(const HostTensor &tensor) {
  return {reinterpret_cast<const char *>(tensor.data()), tensor.bytes().size()};
}

mlir::ElementsAttr weir::copyElements(const HostTensor &tensor,
                                      mlir::MLIRContext *context) {
  mlir::RankedTensorType type = typeOf(tensor, context);
  if (tensor.type() != DType::I1)
    return mlir::DenseElementsAttr::getFromRawBuffer(type, bytesOf(tensor));
  llvm::SmallVector<bool> truths;
  for (char byte : bytesOf(tensor))
    truths.push_back(byte != 0);
  return mlir::DenseElementsAttr::get(type, truths);
}

mlir::ElementsAttr weir::takeElements(HostTensor tensor, llvm::StringRef name,
                                      mlir::MLIRContext *context) {
  // MLIR's resources have no defined format for i1, nor for empty tensors.
  if (tensor.type() == DType::I1 || tensor.bytes().empty())
    return copyElements(tensor, context);
  mlir::RankedTensorType type = typeOf(tensor, context);
  auto owner = std::make_shared<HostTensor>(std::move(tensor));
  mlir::AsmResourceBlob blob(
      bytesOf(*owner), /*dataAlignment=*/64,
      [owner](void *, size_t, size_t) mutable { owner.reset(); },
      /*dataIsMutable=*/false);
  return mlir::DenseResourceElementsAttr::get(type, name, std::move(blob));
}
