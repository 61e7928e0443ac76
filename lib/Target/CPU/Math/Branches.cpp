//===- Branches.cpp - Branches that few elements need -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Branches.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace weir;

/// Whether a mask holds for any element, as one bit.
static Value any(Mask mask) {
  ImplicitLocOpBuilder &builder = *mask.builder;
  if (!isa<VectorType>(mask.value.getType()))
    return mask.value;
  return vector::ReductionOp::create(builder, vector::CombiningKind::OR,
                                     mask.value);
}

static SmallVector<Value> valuesOf(const Reals &reals) {
  return llvm::map_to_vector(reals, [](Real real) { return real.value; });
}

static Reals realsOf(ImplicitLocOpBuilder &builder, ValueRange values) {
  Reals reals;
  for (Value value : values)
    reals.push_back({&builder, value});
  return reals;
}

Reals weir::ifAny(Mask mask, function_ref<Reals()> yes, const Reals &no) {
  ImplicitLocOpBuilder &builder = *mask.builder;
  SmallVector<Value> otherwise = valuesOf(no);
  auto branch = scf::IfOp::create(builder, TypeRange(ValueRange(otherwise)),
                                  any(mask), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, valuesOf(yes()));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, otherwise);
  return realsOf(builder, branch.getResults());
}

Reals weir::whileAny(const Reals &values,
                     function_ref<Mask(const Reals &)> isUnfinished,
                     function_ref<Reals(const Reals &)> step) {
  ImplicitLocOpBuilder &builder = *values.front().builder;
  SmallVector<Value> inits = valuesOf(values);
  TypeRange types = TypeRange(ValueRange(inits));
  SmallVector<Location> locations(inits.size(), builder.getLoc());
  auto loop = scf::WhileOp::create(builder, types, inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  Mask mask = isUnfinished(realsOf(builder, before->getArguments()));
  scf::ConditionOp::create(builder, any(mask), before->getArguments());
  Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(builder,
                       valuesOf(step(realsOf(builder, after->getArguments()))));
  return realsOf(builder, loop.getResults());
}

/// The constant `name` of the current module. If it does not exist, it is
/// created with the elements `numbers`.
static Value getTable(ImplicitLocOpBuilder &builder, StringRef name,
                      ArrayRef<double> numbers) {
  auto module = builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto count = static_cast<int64_t>(numbers.size());
  auto type = MemRefType::get({count}, builder.getF64Type());
  if (!module.lookupSymbol(name)) {
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    auto data = DenseElementsAttr::get(
        RankedTensorType::get({count}, builder.getF64Type()), numbers);
    memref::GlobalOp::create(outside, module.getLoc(), name,
                             outside.getStringAttr("private"), type, data,
                             /*constant=*/true, /*alignment=*/IntegerAttr());
  }
  return memref::GetGlobalOp::create(builder, type, name);
}

Reals weir::forEach(StringRef name, ArrayRef<double> numbers, int64_t count,
                    const Reals &values,
                    function_ref<Reals(Real, const Reals &)> step) {
  ImplicitLocOpBuilder &builder = *values.front().builder;
  Value table = getTable(builder, name, numbers);
  auto index = [&](int64_t i) -> Value {
    return arith::ConstantIndexOp::create(builder, i);
  };
  auto loop = scf::ForOp::create(builder, index(0), index(count), index(1),
                                 valuesOf(values));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  Value number = memref::LoadOp::create(builder, table, loop.getInductionVar());
  Type type = values.front().value.getType();
  if (isa<VectorType>(type))
    number = vector::BroadcastOp::create(builder, type, number);
  Reals next =
      step(Real{&builder, number}, realsOf(builder, loop.getRegionIterArgs()));
  scf::YieldOp::create(builder, valuesOf(next));
  return realsOf(builder, loop.getResults());
}
