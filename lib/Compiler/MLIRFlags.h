//===- MLIRFlags.h - Flags of MLIR itself -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_MLIRFLAGS_H
#define WEIR_LIB_COMPILER_MLIRFLAGS_H

namespace weir {

/// Whether setMLIRFlags has set any flag in this process.
bool hasMLIRFlags();

} // namespace weir

#endif // WEIR_LIB_COMPILER_MLIRFLAGS_H
