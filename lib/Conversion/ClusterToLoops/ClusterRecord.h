//===- ClusterRecord.h - A lowered cluster as bytes -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_CLUSTERTOLOOPS_CLUSTERRECORD_H
#define WEIR_LIB_CONVERSION_CLUSTERTOLOOPS_CLUSTERRECORD_H

#include "weir/Conversion/ClusterToLoops.h"

#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// `lowered` as bytes, without the bodies of its functions.
std::string packCluster(const LoweredCluster &lowered);

/// Adds the functions of the cluster in `bytes` to `kernels` as declarations.
/// Nothing is added if the bytes do not describe a lowering of `cluster`.
std::optional<LoweredCluster> unpackCluster(std::string_view bytes,
                                            mlir::func::FuncOp cluster,
                                            mlir::ModuleOp kernels);

} // namespace weir

#endif // WEIR_LIB_CONVERSION_CLUSTERTOLOOPS_CLUSTERRECORD_H
