//===- OptMain.h - The logic of graph-opt -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_OPTMAIN_H
#define WEIR_COMPILER_OPTMAIN_H

namespace weir {

/// graph-opt is mlir-opt for weir: it reads textual IR, runs the passes given
/// by name and prints the result. Returns the exit code.
int runGraphOpt(int argc, char **argv);

/// If LLVM runs out of memory, the tool ends in the same way as if other code
/// does. Must be called after `startTool`.
void endToolsOutOfMemory();

/// Gives the heap of a tool 1 GiB of addresses in large pages, where the system
/// has them. Addresses take no memory before they are used. Large graphs lie
/// all over the heap, and a processor knows the places of few pages. Where the
/// process may only have so many addresses, nothing happens.
void reserveHeap();

} // namespace weir

#endif // WEIR_COMPILER_OPTMAIN_H
