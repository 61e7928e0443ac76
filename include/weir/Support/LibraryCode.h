//===- LibraryCode.h - Resident code of a loaded library --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_LIBRARYCODE_H
#define WEIR_SUPPORT_LIBRARYCODE_H

namespace weir {

/// Gives the resident memory of code and constants back to the system, for the
/// library or program that contains `address`. Pages that are used again are
/// read from the system's file cache, which takes time but has no other effect.
/// Writable parts are excluded, and so are parts that differ from the file:
/// relocated or patched ones, those with a breakpoint, and those in huge pages.
/// No other thread may modify the code and constants during the call.
void releaseLibraryCode(const void *address);

} // namespace weir

#endif // WEIR_SUPPORT_LIBRARYCODE_H
