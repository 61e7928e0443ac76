//===- VariantTables.h - What the entries of a variant share ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_VARIANTTABLES_H
#define WEIR_TARGET_ARTIFACT_VARIANTTABLES_H

#include "Blobs.h"
#include "VariantKernels.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"

namespace weir {

/// For each parameter that is a variable of some entry, one of the ops that
/// declare the variable.
using KnownVariables = llvm::DenseMap<mlir::Attribute, exec::VariableOp>;

/// The tables that all entries of a variant share: devices, kernels and
/// variables.
class VariantTables {
public:
  /// `code` has the generated kernels. `known` has the variables of all entries
  /// of the module.
  VariantTables(artifact::VariantT &variant, BlobTable &blobs,
                const KnownVariables &known, const KernelCode &code)
      : variant(variant), blobs(blobs), known(known),
        kernels(variant.kernels, code) {}

  /// Adds the devices of `entry`. All entries have the same devices.
  void addDevices(exec::EntryOp entry);

  mlir::FailureOr<uint32_t> getKernel(exec::LaunchOp launch) {
    return kernels.get(launch);
  }
  mlir::FailureOr<uint32_t> getVariable(exec::VariableOp variable);
  /// The number of the blob of a parameter. No entry may assign the parameter.
  mlir::FailureOr<uint32_t> getParameter(exec::ParameterOp parameter);

  uint16_t getDevice(llvm::StringRef name) const {
    return devices.lookup(name);
  }
  /// The memory space of the device `name`. An empty name means the host.
  uint16_t getSpace(llvm::StringRef name) const;

private:
  mlir::LogicalResult addStart(exec::VariableOp variable,
                               artifact::VariableT &table);

  artifact::VariantT &variant;
  BlobTable &blobs;
  const KnownVariables &known;
  VariantKernels kernels;
  llvm::StringMap<uint16_t> devices;
  llvm::DenseMap<mlir::Attribute, uint32_t> variables;
};

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_VARIANTTABLES_H
