//===- OpenMPLibrary.h - The OpenMP library of the process ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_OPENMP_OPENMPLIBRARY_H
#define WEIR_LIB_RUNTIME_OPENMP_OPENMPLIBRARY_H

#include <functional>
#include <vector>

namespace weir {

/// Whether Weir and oneDNN are the only code in the process that is linked with
/// the OpenMP library which Weir calls. If not, the team of a thread that is
/// not Weir's may belong to other code. A call is cheap unless libraries were
/// loaded since the last call. Thread-safe.
bool isOnlyUserOfOpenMP();

/// Whether a thread can do without its team (`WithoutTeam`) without an effect
/// on the teams of other threads. Early versions of OpenMP have one setting for
/// all threads.
bool hasLevelsPerThread();

/// The processors of the places that the library read from the environment at
/// its start; none if the environment has no places.
std::vector<int> processorsOfOpenMP();

/// Calls `run` while regions of the calling thread have `threads` threads.
/// These threads end after `run`. If OpenMP gives fewer threads, does not call
/// `run` and returns false.
bool runWithTeam(int threads, const std::function<void()> &run);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_OPENMP_OPENMPLIBRARY_H
