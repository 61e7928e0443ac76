//===- WeirTypes.cpp - Weir's element types and layouts on MLIR types -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Support/IndexSpec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace weir;

std::optional<DType> weir::toDType(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF64())
    return DType::F64;
  if (type.isUnsignedInteger(8))
    return DType::U8;
  if (type.isUnsignedInteger(16))
    return DType::U16;
  if (type.isUnsignedInteger(32))
    return DType::U32;
  if (type.isUnsignedInteger(64))
    return DType::U64;
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return DType::I1;
  case 8:
    return DType::I8;
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  case 64:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

Type weir::toMLIRType(DType type, MLIRContext *context) {
  Builder builder(context);
  switch (type) {
  case DType::F32:
    return builder.getF32Type();
  case DType::F16:
    return builder.getF16Type();
  case DType::BF16:
    return builder.getBF16Type();
  case DType::F64:
    return builder.getF64Type();
  case DType::I1:
    return builder.getI1Type();
  default:
    break;
  }
  auto width = static_cast<unsigned>(byteSize(type)) * 8;
  return isUnsigned(type) ? builder.getIntegerType(width, /*isSigned=*/false)
                          : builder.getIntegerType(width);
}

std::vector<int64_t> weir::toDims(RankedTensorType type) {
  std::vector<int64_t> dims;
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? unknownDim : dim);
  return dims;
}

RankedTensorType weir::makeTensorType(ArrayRef<int64_t> dims,
                                      Type elementType) {
  SmallVector<int64_t> shape;
  for (int64_t dim : dims)
    shape.push_back(dim == unknownDim ? ShapedType::kDynamic : dim);
  return RankedTensorType::get(shape, elementType);
}

TensorDesc weir::toTensorDesc(RankedTensorType type) {
  TensorDesc desc =
      TensorDesc::rowMajor(*toDType(type.getElementType()), toDims(type));
  auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  if (!layout)
    return desc;
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(layout.getOrder())) {
    desc.strides[dim] = stride;
    stride *= desc.dims[dim];
  }
  return desc;
}

uint64_t weir::getSpanBytes(Value value) {
  return toTensorDesc(getTensorType(value)).spanBytes();
}

RankedTensorType weir::withoutLayout(RankedTensorType type) {
  return type.cloneWithEncoding({});
}

/// `attr` in the form of the runtime; nothing if it has no such form.
static std::optional<AttrValue> toAttrValue(Attribute attr) {
  using Ints = std::vector<int64_t>;
  using Floats = std::vector<double>;
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return Ints{boolean.getValue()};
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return Ints{integer.getInt()};
  if (auto number = dyn_cast<FloatAttr>(attr))
    return Floats{number.getValueAsDouble()};
  if (auto text = dyn_cast<StringAttr>(attr))
    return text.str();
  if (auto type = dyn_cast<TypeAttr>(attr)) {
    if (std::optional<DType> dtype = toDType(type.getValue()))
      return std::string(toString(*dtype));
    return std::nullopt;
  }
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array)
    return std::nullopt;
  Ints ints;
  Floats floats;
  for (Attribute element : array) {
    if (auto integer = dyn_cast<IntegerAttr>(element))
      ints.push_back(integer.getInt());
    else if (auto number = dyn_cast<FloatAttr>(element))
      floats.push_back(number.getValueAsDouble());
    else
      return std::nullopt;
  }
  if (!floats.empty())
    return floats;
  return ints;
}

AttrMap weir::toAttrMap(DictionaryAttr attributes) {
  AttrMap map;
  if (attributes)
    for (NamedAttribute named : attributes)
      if (std::optional<AttrValue> value = toAttrValue(named.getValue()))
        map.set(named.getName().str(), std::move(*value));
  return map;
}

StringRef weir::getName(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().getValue();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef name = getName(part); !name.empty())
        return name;
  return {};
}

StringRef weir::getOpName(Operation *op) {
  StringRef name = getName(op->getLoc());
  return name.empty() ? op->getName().stripDialect() : name;
}
