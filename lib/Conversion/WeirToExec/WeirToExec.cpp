//===- WeirToExec.cpp - Converts lowered graphs to programs -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryConversion.h"
#include "weir/Conversion/LinalgToKernels.h"
#include "weir/Conversion/Passes.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
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

namespace {
/// Turns the constants of functions into parameters of the module. Functions
/// share the parameters of equal constants.
class ConstantHoister {
public:
  explicit ConstantHoister(ModuleOp module) {
    for (auto symbol : module.getOps<SymbolOpInterface>())
      taken.take(symbol.getName());
  }

  /// The names of the parameters, by the constants' results.
  llvm::DenseMap<Value, FlatSymbolRefAttr> hoist(func::FuncOp function);

private:
  UniqueNames taken;
  /// The parameters for the constants of earlier functions, by their values.
  llvm::DenseMap<Attribute, FlatSymbolRefAttr> known;
};
} // namespace

llvm::DenseMap<Value, FlatSymbolRefAttr>
ConstantHoister::hoist(func::FuncOp function) {
  OpBuilder builder(function);
  llvm::DenseMap<Value, FlatSymbolRefAttr> names;
  SmallVector<std::pair<Attribute, FlatSymbolRefAttr>> made;
  for (auto constant : function.getBody().front().getOps<ConstantOp>()) {
    FlatSymbolRefAttr &symbol = names[constant.getResult()];
    symbol = known.lookup(constant.getValueAttr());
    if (symbol)
      continue;
    std::string name = taken.add(getOpName(constant));
    ParameterOp::create(builder, constant.getLoc(), builder.getStringAttr(name),
                        TypeAttr::get(constant.getType()), StringAttr(),
                        StringAttr(), IntegerAttr(), constant.getValueAttr(),
                        UniformAttr(), DictionaryAttr());
    symbol = FlatSymbolRefAttr::get(builder.getContext(), name);
    made.push_back({constant.getValueAttr(), symbol});
  }
  known.insert(made.begin(), made.end());
  return names;
}

/// Creates an entry for `devices`.
static FailureOr<exec::EntryOp> createEntry(DeviceTableAttr devices,
                                            func::FuncOp function) {
  llvm::MapVector<StringAttr, int64_t> groups;
  for (NamedAttribute device : devices.getDevices())
    groups[device.getName()] = 0;
  for (auto group : function.getBody().front().getOps<GroupOp>()) {
    auto count = groups.find(group.getDeviceAttr());
    if (count == groups.end())
      return group.emitOpError("is not on a device of the list ")
             << devices.getNames();
    ++count->second;
  }
  for (auto copy : function.getBody().front().getOps<CopyOp>())
    for (StringAttr device : {copy.getFromAttr(), copy.getToAttr()})
      if (!groups.contains(device))
        return copy.emitOpError("names ")
               << device << ", which is not in the list of devices "
               << devices.getNames();
  SmallVector<int64_t> counts =
      llvm::to_vector(llvm::make_second_range(groups));
  OpBuilder builder(function);
  auto entry =
      exec::EntryOp::create(builder, function.getLoc(), function.getNameAttr(),
                            devices.withGroups(counts));
  if (Attribute name = function->getAttr(attrs::entry))
    entry->setAttr(attrs::entry, name);
  entry.getBody().emplaceBlock();
  return entry;
}

/// The operands that launches overwrite, by kernel functions.
static llvm::StringMap<llvm::DenseSet<int32_t>>
findOverwritten(ModuleOp module) {
  llvm::StringMap<llvm::DenseSet<int32_t>> overwritten;
  module.walk([&](exec::LaunchOp launch) {
    auto function = launch.getConfig().getAs<StringAttr>(attrs::function);
    for (int32_t operand : launch.getOverwrites())
      if (function && operand >= 0)
        overwritten[function.getValue()].insert(operand);
  });
  return overwritten;
}

/// Removes overwrites that never happen from kernel functions. Their code can
/// then rely on buffers that do not overlap.
static void dropUnusedOverwrites(ModuleOp module) {
  llvm::StringMap<llvm::DenseSet<int32_t>> used = findOverwritten(module);
  for (auto kernels : module.getOps<ModuleOp>())
    for (auto function : kernels.getOps<func::FuncOp>()) {
      auto by = function->getAttrOfType<DenseI64ArrayAttr>(
          kernelattrs::overwrittenBy);
      if (!by)
        continue;
      SmallVector<int64_t> numbers(by.asArrayRef());
      const auto operands = used.lookup(function.getSymName());
      for (auto [operand, number] : llvm::enumerate(numbers))
        if (!operands.contains(static_cast<int32_t>(operand)))
          number = -1;
      function->removeAttr(kernelattrs::overwrittenBy);
      if (!operands.empty())
        function->setAttr(kernelattrs::overwrittenBy,
                          DenseI64ArrayAttr::get(module.getContext(), numbers));
    }
}

void WeirToExec::runOnOperation() {
  const ParameterFacts facts(getOperation());
  ConstantHoister hoister(getOperation());
  if (failed(getDevices(getOperation())))
    return signalPassFailure();
  const DeviceTableAttr devices = getDeviceTable(getOperation());
  auto convert = [&](func::FuncOp function) -> LogicalResult {
    auto constants = hoister.hoist(function);
    FailureOr<exec::EntryOp> entry = createEntry(devices, function);
    return success(succeeded(entry) &&
                   succeeded(convertEntry(function, constants, facts, *entry)));
  };
  if (failed(forEachEntry(getOperation(), convert)))
    return signalPassFailure();
  for (auto function :
       llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
    function.erase();
  dropUnusedOverwrites(getOperation());
}
