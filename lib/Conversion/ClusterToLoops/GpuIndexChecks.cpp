//===- GpuIndexChecks.cpp - GPU kernels that check their indices ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// All threads of the launch divide the indices among themselves before they
// compute. A thread writes a flag only if an index is out of range. All threads
// write the same value, so the writes need no order.
//
//===----------------------------------------------------------------------===//

#include "GpuIndexChecks.h"

#include "weir/Conversion/LinalgToKernels.h"
#include "weir/Support/IndexCheckAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weir;

namespace {
class CheckEmitter {
public:
  CheckEmitter(func::FuncOp kernel, int64_t numFlags);

  /// Checks `buffer`, which holds the indices of `check`. The flags of `check`
  /// begin at number `flag`.
  void check(Value buffer, bool isUnsigned, const IndexCheck &check,
             int64_t flag);

private:
  template <typename OpTy, typename... Args> OpTy make(Args &&...args) {
    return OpTy::create(builder, location, std::forward<Args>(args)...);
  }
  Value constant(int64_t number) {
    return make<arith::ConstantIndexOp>(number);
  }
  int64_t get(StringRef name) {
    return kernel->getAttrOfType<IntegerAttr>(name).getInt();
  }
  Value load(Value buffer, Value number, bool isUnsigned, Value &last);
  Value isOutside(Value value, Value size, bool isUnsigned,
                  std::optional<int64_t> ignored);
  void checkOne(Value buffer, Value number, bool isUnsigned,
                const IndexCheck &check, int64_t flag);

  func::FuncOp kernel;
  Location location;
  OpBuilder builder;
  Value flags, first, step;
};
} // namespace

CheckEmitter::CheckEmitter(func::FuncOp kernel, int64_t numFlags)
    : kernel(kernel), location(kernel.getLoc()), builder(kernel.getContext()) {
  auto type = MemRefType::get({numFlags}, builder.getI32Type());
  LogicalResult added =
      kernel.insertArgument(kernel.getNumArguments(), type, {}, location);
  assert(succeeded(added) && "a kernel function can have another argument");
  (void)added;
  flags = kernel.getArguments().back();
  builder.setInsertionPointToStart(&kernel.getBody().front());
  const int64_t threads = get(kernelattrs::threads);
  Value block = make<gpu::BlockIdOp>(gpu::Dimension::x);
  Value thread = make<gpu::ThreadIdOp>(gpu::Dimension::x);
  first = make<arith::AddIOp>(make<arith::MulIOp>(block, constant(threads)),
                              thread);
  step = constant(threads * get(kernelattrs::tasks));
}

/// Element `number` of `buffer`, in row-major order, as an index. Sets `last`
/// to the position of the element in the last dim.
Value CheckEmitter::load(Value buffer, Value number, bool isUnsigned,
                         Value &last) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> at(type.getRank());
  for (size_t d = at.size(); d-- > 0;) {
    Value size = constant(type.getDimSize(static_cast<unsigned>(d)));
    at[d] = d == 0 ? number : make<arith::RemUIOp>(number, size).getResult();
    if (d != 0)
      number = make<arith::DivUIOp>(number, size);
  }
  last = at.empty() ? constant(0) : at.back();
  auto [strides, offset] = type.getStridesAndOffset();
  Value address = constant(0);
  int64_t extent = 1;
  for (auto [index, stride, size] : llvm::zip(at, strides, type.getShape())) {
    address = make<arith::AddIOp>(address,
                                  make<arith::MulIOp>(index, constant(stride)));
    extent += (size - 1) * stride;
  }
  auto flat = MemRefType::get({extent}, type.getElementType());
  if (flat != type)
    buffer = make<memref::ReinterpretCastOp>(flat, buffer, /*offset=*/0,
                                             ArrayRef<int64_t>{extent},
                                             ArrayRef<int64_t>{1});
  Value value = make<memref::LoadOp>(buffer, ValueRange(address));
  Type index = builder.getIndexType();
  return isUnsigned ? make<arith::IndexCastUIOp>(index, value).getResult()
                    : make<arith::IndexCastOp>(index, value).getResult();
}

/// Whether `value` is out of range. The comparison is unsigned, so that a
/// negative index is large.
Value CheckEmitter::isOutside(Value value, Value size, bool isUnsigned,
                              std::optional<int64_t> ignored) {
  Value lifted = value;
  if (!isUnsigned && !ignored) {
    lifted = make<arith::AddIOp>(value, size);
    size = make<arith::AddIOp>(size, size);
  }
  Value outside = make<arith::CmpIOp>(arith::CmpIPredicate::uge, lifted, size);
  if (!ignored)
    return outside;
  Value counts =
      make<arith::CmpIOp>(arith::CmpIPredicate::ne, value, constant(*ignored));
  return make<arith::AndIOp>(outside, counts);
}

void CheckEmitter::checkOne(Value buffer, Value number, bool isUnsigned,
                            const IndexCheck &check, int64_t flag) {
  const std::span<const int64_t> sizes = check.sizes;
  Value last;
  Value value = load(buffer, number, isUnsigned, last);
  Value size = constant(sizes.front()), place = constant(flag);
  if (sizes.size() > 1)
    place = make<arith::AddIOp>(place, last);
  for (size_t i = 1; i < sizes.size(); ++i)
    size = make<arith::SelectOp>(
        make<arith::CmpIOp>(arith::CmpIPredicate::eq, last,
                            constant(static_cast<int64_t>(i))),
        constant(sizes[i]), size);
  auto branch =
      make<scf::IfOp>(isOutside(value, size, isUnsigned, check.ignored),
                      /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value one = make<arith::ConstantIntOp>(1, 32);
  make<memref::StoreOp>(one, flags, ValueRange(place));
}

void CheckEmitter::check(Value buffer, bool isUnsigned, const IndexCheck &check,
                         int64_t flag) {
  const int64_t count = cast<MemRefType>(buffer.getType()).getNumElements();
  if (count == 0)
    return;
  auto loop = make<scf::ForOp>(first, constant(count), step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  checkOne(buffer, loop.getInductionVar(), isUnsigned, check, flag);
}

void weir::addIndexChecks(func::FuncOp kernel, TypeRange types,
                          ArrayRef<IndexCheck> checks) {
  int64_t numFlags = 0;
  for (const IndexCheck &check : checks)
    numFlags += static_cast<int64_t>(check.sizes.size());
  CheckEmitter emitter(kernel, numFlags);
  int64_t flag = 0;
  for (const IndexCheck &check : checks) {
    const auto operand = static_cast<unsigned>(check.operand);
    Type element = getElementTypeOrSelf(types[operand]);
    emitter.check(kernel.getArgument(operand), element.isUnsignedInteger(),
                  check, flag);
    flag += static_cast<int64_t>(check.sizes.size());
  }
}
