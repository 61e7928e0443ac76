//===- ConstantData.cpp - The bytes of constants ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace weir;

std::vector<char> weir::getConstantBytes(ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  size_t elementBytes = byteSize(*toDType(type.getElementType()));
  size_t count = static_cast<size_t>(type.getNumElements());
  std::vector<char> bytes(count * elementBytes);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    // The op's verifier has checked that all elements are there, with one byte
    // per boolean.
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      llvm::copy(blob->getData(), bytes.begin());
    return bytes;
  }
  if (type.getElementType().isInteger(1)) {
    for (auto [index, truth] : llvm::enumerate(value.getValues<bool>()))
      bytes[index] = truth;
    return bytes;
  }
  auto dense = cast<DenseElementsAttr>(value);
  size_t repeats = dense.isSplat() ? count : 1;
  for (size_t i = 0; i < repeats; ++i)
    llvm::copy(dense.getRawData(), bytes.begin() + i * elementBytes);
  return bytes;
}

DenseElementsAttr weir::makeConstant(RankedTensorType type,
                                     ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> truths;
  for (char byte : bytes)
    truths.push_back(byte != 0);
  return DenseElementsAttr::get(type, truths);
}
