//===- LibraryCode.h - Resident code of a loaded library --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_LIBRARYCODE_H
#define WEIR_SUPPORT_LIBRARYCODE_H

namespace weir {

/// Gives back the memory of the code and constants of the library or program
/// that the function at `address` is in. What is used again comes from the
/// system's file cache: this costs time, and changes nothing else. Does nothing
/// where the library is none that was loaded from a file unchanged, or where a
/// debugger may have breakpoints in it.
void releaseLibraryCode(const void *address);

} // namespace weir

#endif // WEIR_SUPPORT_LIBRARYCODE_H
