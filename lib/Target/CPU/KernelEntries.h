//===- KernelEntries.h - Adds entry points to compiled kernels ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_KERNELENTRIES_H
#define WEIR_LIB_TARGET_CPU_KERNELENTRIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class DataLayout;
class Function;
class LLVMContext;
class Module;
} // namespace llvm

namespace weir {

/// The name of the entry in the code of each kernel function. The body of the
/// function has this name with `bodyEnding`. In the text of the code, the name
/// of the function stands in place of `kernel`.
inline constexpr llvm::StringLiteral kernelSymbol = "kernel";
inline constexpr llvm::StringLiteral bodyEnding = ".body";

/// Adds a function with the kernel ABI. It calls `kernel` and takes its name.
/// For each operand, `overwrittenBy` has the result that may overwrite it, or
/// -1. The list is empty if no result overwrites operands. If `sharesBuffers`,
/// others access the buffers while the function runs.
void addEntry(llvm::Function &kernel, llvm::ArrayRef<int64_t> overwrittenBy,
              bool sharesBuffers);

/// A module that exports a table of the functions `names`.
std::unique_ptr<llvm::Module> makeTable(const std::vector<std::string> &names,
                                        llvm::LLVMContext &context,
                                        const llvm::DataLayout &layout);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_KERNELENTRIES_H
