//===- Linalg.cpp - Runs cases in their linalg form -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Results are printed as integers with the same bits, so that printing as text
// loses nothing.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "weir/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;

static DenseElementsAttr toElements(const HostTensor &tensor,
                                    RankedTensorType type) {
  if (tensor.type() == DType::I1)
    return DenseElementsAttr::get(
        type, ArrayRef<bool>(static_cast<const bool *>(tensor.data()),
                             tensor.bytes().size()));
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(static_cast<const char *>(tensor.data()),
                           tensor.bytes().size()));
}

/// For an empty tensor, the runner library prints memory beyond it.
static bool isPrinted(Type type) {
  return cast<RankedTensorType>(type).getNumElements() != 0;
}

/// Calls the printing function of MLIR's runner library on the bits of `value`.
static void printBits(OpBuilder &builder, Value value,
                      func::FuncOp printFunction) {
  Location location = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  auto integer =
      builder.getIntegerType(type.getElementType().getIntOrFloatBitWidth());
  if (isa<FloatType>(type.getElementType()))
    value =
        arith::BitcastOp::create(builder, location, type.clone(integer), value);
  if (integer.getWidth() < 64)
    value = arith::ExtUIOp::create(builder, location,
                                   type.clone(builder.getI64Type()), value);
  value = tensor::CastOp::create(
      builder, location, UnrankedTensorType::get(builder.getI64Type()), value);
  func::CallOp::create(builder, location, printFunction, ValueRange(value));
}

LogicalResult opcheck::emitLinalg(ModuleOp module,
                                  const std::vector<Case> &cases,
                                  llvm::raw_ostream &os) {
  PassManager manager(module.getContext());
  manager.addPass(createConvertWeirToLinalg());
  if (failed(manager.run(module)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location location = builder.getUnknownLoc();
  auto bits = UnrankedTensorType::get(builder.getI64Type());
  auto print = func::FuncOp::create(builder, location, "printMemrefI64",
                                    builder.getFunctionType({bits}, {}));
  print.setPrivate();
  print->setAttr("llvm.emit_c_interface", builder.getUnitAttr());
  auto entry = func::FuncOp::create(builder, location, "main",
                                    builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(entry.addEntryBlock());
  for (const Case &testCase : cases) {
    auto function = cast<func::FuncOp>(module.lookupSymbol(testCase.name()));
    SmallVector<Value> inputs;
    for (auto [input, type] :
         llvm::zip(testCase.inputs, function.getArgumentTypes()))
      inputs.push_back(arith::ConstantOp::create(
          builder, location, toElements(input, cast<RankedTensorType>(type))));
    auto call = func::CallOp::create(builder, location, function, inputs);
    for (Value result : call.getResults())
      if (isPrinted(result.getType()))
        printBits(builder, result, print);
  }
  func::ReturnOp::create(builder, location);
  module.print(os);
  return success();
}

/// Parses the numbers of one printed tensor as a tensor like `like`.
static StatusOr<HostTensor> parseTensor(StringRef text,
                                        const HostTensor &like) {
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(like.type(), like.dims()));
  size_t size = byteSize(like.type());
  std::span<std::byte> bytes = tensor.bytes();
  text = text.split("data =").second;
  size_t used = 0;
  while (!text.empty()) {
    text = text.drop_until([](char c) { return c == '-' || llvm::isDigit(c); });
    int64_t number = 0;
    if (text.empty() || text.consumeInteger(10, number))
      break;
    if (used + size > bytes.size())
      return invalidArgument("more elements than expected were printed");
    std::memcpy(bytes.data() + used, &number, size);
    used += size;
  }
  if (used != bytes.size())
    return invalidArgument(fmt::format("{} elements were printed, expected {}",
                                       used / size, bytes.size() / size));
  return tensor;
}

StatusOr<std::vector<std::vector<HostTensor>>>
opcheck::parseLinalgOutput(StringRef text, const std::vector<Case> &cases) {
  SmallVector<StringRef> parts;
  text.split(parts, "Unranked Memref");
  size_t next = 1;
  std::vector<std::vector<HostTensor>> results;
  for (const Case &testCase : cases) {
    results.emplace_back();
    for (const HostTensor &expected : testCase.expected) {
      if (expected.bytes().empty()) {
        WEIR_ASSIGN_OR_RETURN(
            HostTensor nothing,
            HostTensor::zeros(expected.type(), expected.dims()));
        results.back().push_back(std::move(nothing));
        continue;
      }
      if (next == parts.size())
        return invalidArgument("less than all results were printed; the "
                               "program ended early");
      WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                            parseTensor(parts[next++], expected));
      results.back().push_back(std::move(tensor));
    }
  }
  return results;
}
