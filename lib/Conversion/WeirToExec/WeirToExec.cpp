//===- WeirToExec.cpp - Converts lowered graphs to programs -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryConversion.h"
#include "weir/Conversion/Passes.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/UniqueNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace weir;

namespace weir {
#define GEN_PASS_DEF_WEIRTOEXEC
#include "weir/Conversion/Passes.h.inc"
} // namespace weir

namespace {
struct WeirToExec : weir::impl::WeirToExecBase<WeirToExec> {
  void runOnOperation() override;
};
} // namespace

/// Turns each constant of `function` into a parameter of `module`. Returns the
/// names by the constants' results.
static llvm::DenseMap<Value, FlatSymbolRefAttr>
hoistConstants(ModuleOp module, func::FuncOp function) {
  UniqueNames taken;
  for (auto symbol : module.getOps<SymbolOpInterface>())
    taken.take(symbol.getName());
  OpBuilder builder(function);
  llvm::DenseMap<Value, FlatSymbolRefAttr> names;
  for (auto constant : function.getBody().front().getOps<ConstantOp>()) {
    std::string name = taken.add(getOpName(constant));
    ParameterOp::create(builder, constant.getLoc(), builder.getStringAttr(name),
                        TypeAttr::get(constant.getType()), StringAttr(),
                        StringAttr(), IntegerAttr(), constant.getValueAttr());
    names[constant.getResult()] =
        FlatSymbolRefAttr::get(builder.getContext(), name);
  }
  return names;
}

/// `numbers`, or nothing if all of them are zero.
static ArrayRef<int64_t> orNone(ArrayRef<int64_t> numbers) {
  bool areZero = llvm::all_of(numbers, [](int64_t n) { return n == 0; });
  return areZero ? ArrayRef<int64_t>() : numbers;
}

/// Creates an entry for the devices that the module's attributes list.
static FailureOr<exec::EntryOp> createEntry(ModuleOp module,
                                            func::FuncOp function) {
  auto devices = module->getAttrOfType<ArrayAttr>(attrs::devices);
  if (!devices || devices.empty())
    return module.emitError("expects a device list; run weir-set-devices "
                            "first");
  FailureOr<Topology> topology = getDevices(module);
  if (failed(topology))
    return failure();
  SmallVector<int64_t> threads, memory;
  for (const DeviceDesc &device : topology->devices) {
    threads.push_back(device.threads);
    memory.push_back(static_cast<int64_t>(device.memoryBytes));
  }
  llvm::MapVector<StringAttr, int64_t> groups;
  for (Attribute device : devices)
    groups[cast<StringAttr>(device)] = 0;
  for (auto group : function.getBody().front().getOps<GroupOp>()) {
    auto count = groups.find(group.getDeviceAttr());
    if (count == groups.end())
      return group.emitOpError("is not on a device of the list ") << devices;
    ++count->second;
  }
  SmallVector<int64_t> counts =
      llvm::to_vector(llvm::make_second_range(groups));
  OpBuilder builder(function);
  auto entry =
      exec::EntryOp::create(builder, function.getLoc(), function.getNameAttr(),
                            devices, module->hasAttr(attrs::isolated),
                            orNone(threads), orNone(memory), counts);
  entry.getBody().emplaceBlock();
  return entry;
}

void WeirToExec::runOnOperation() {
  func::FuncOp function = weir::getEntry(getOperation());
  if (!function)
    return signalPassFailure();
  auto constants = hoistConstants(getOperation(), function);
  FailureOr<exec::EntryOp> entry = createEntry(getOperation(), function);
  if (failed(entry))
    return signalPassFailure();
  if (failed(convertEntry(function, constants, *entry)))
    return signalPassFailure();
  function.erase();
}
