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

} // namespace weir

#endif // WEIR_COMPILER_OPTMAIN_H
