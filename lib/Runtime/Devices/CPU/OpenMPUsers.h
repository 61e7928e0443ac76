//===- OpenMPUsers.h - Who shares the OpenMP library ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_OPENMPUSERS_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_OPENMPUSERS_H

namespace weir {

/// Whether Weir and oneDNN are the only code in the process that is linked with
/// the OpenMP library which Weir calls. If not, a team of a thread that is not
/// Weir's may be someone else's. Cheap unless libraries were loaded since the
/// last call. Thread-safe.
bool isOnlyUserOfOpenMP();

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_OPENMPUSERS_H
