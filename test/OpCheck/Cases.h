//===- Cases.h - Ops with inputs and expected results ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A case is a function of a module. For a case `f32`, the safetensors file
// beside it has the tensors `f32.in0`, ... and `f32.out0`, ..., and in its
// metadata `f32.flops`. test/Ops/gen-oracles.py, which shares no code with
// Weir, wrote all of it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_OPCHECK_CASES_H
#define WEIR_TEST_OPCHECK_CASES_H

#include "weir/Support/HostTensor.h"
#include "weir/Support/SafeTensors.h"
#include "weir/Support/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace weir::opcheck {

struct Case {
  mlir::func::FuncOp function;
  std::vector<HostTensor> inputs, expected;
  int64_t flops = 0;

  std::string name() const;
};

/// The cases of `module`. It is an error if a tensor is missing, or has another
/// type or shape than in the function.
StatusOr<std::vector<Case>> loadCases(mlir::ModuleOp module,
                                      const SafeTensors &data);

/// How the results of the function are computed, op by op in this process: with
/// the reference kernel, with the library kernels of CPU devices, or with the
/// latter when all operands but the first are known at load and may be packed.
enum class Engine { Reference, Library, LibraryAtLoad };
StatusOr<std::vector<HostTensor>> evaluate(const Case &testCase, Engine engine);

/// Copies elements between two memory orders of the same dims.
void rearrange(const TensorDesc &from, const void *source, const TensorDesc &to,
               void *target);

/// Prints `module` in the dialects that `mlir-opt` lowers, with a function
/// `main` that prints the results of each case.
mlir::LogicalResult emitLinalg(mlir::ModuleOp module,
                               const std::vector<Case> &cases,
                               llvm::raw_ostream &os);

/// Reads what `main` printed back, case by case.
StatusOr<std::vector<std::vector<HostTensor>>>
parseLinalgOutput(llvm::StringRef text, const std::vector<Case> &cases);

} // namespace weir::opcheck

#endif // WEIR_TEST_OPCHECK_CASES_H
