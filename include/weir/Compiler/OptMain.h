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

/// Makes a tool end in the usual way if LLVM runs out of memory. Must be called
/// after `startTool`.
void endToolsOutOfMemory();

/// Reserves 1 GiB of addresses in large pages for the heap of a tool, if the
/// system has large pages. Reserved addresses take no memory before they are
/// used. A large graph is spread over the heap, and with small pages it would
/// not fit into the processor's TLB. Does nothing if the address space of the
/// process is limited.
void reserveHeap();

} // namespace weir

#endif // WEIR_COMPILER_OPTMAIN_H
