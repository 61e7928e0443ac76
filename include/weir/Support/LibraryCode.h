//===- LibraryCode.h - Resident code of a loaded library --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_LIBRARYCODE_H
#define WEIR_SUPPORT_LIBRARYCODE_H

namespace weir {

/// Gives back the memory of the code and constants of the library or program
/// that `address` lies in. What is used again comes from the system's file
/// cache: this costs time, and changes nothing else. Parts that can be written,
/// or that are no longer as in the file (relocated, patched, with a breakpoint,
/// moved to huge pages), are left alone. Nobody may change them meanwhile.
void releaseLibraryCode(const void *address);

} // namespace weir

#endif // WEIR_SUPPORT_LIBRARYCODE_H
