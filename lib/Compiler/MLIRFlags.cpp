//===- MLIRFlags.cpp - Flags of MLIR itself ---------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MLIRFlags.h"

#include "CapturedErrors.h"
#include "FlagValues.h"
#include "weir/Compiler/Compiler.h"
#include "weir/Compiler/Registration.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"

#include <atomic>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;

static std::atomic<bool> areSet = false;

bool weir::hasMLIRFlags() { return areSet; }

Status weir::setMLIRFlags(const std::vector<std::string> &flags) {
  // The passes must be registered, because some flags name them.
  registerWeirPasses();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  std::vector<const char *> arguments = {"graph-compile"};
  for (const std::string &flag : flags) {
    WEIR_RETURN_IF_ERROR(checkFlagValue(flag));
    arguments.push_back(flag.c_str());
  }
  std::string why;
  llvm::raw_string_ostream whyStream(why);
  CapturedErrors captured;
  if (llvm::cl::ParseCommandLineOptions(static_cast<int>(arguments.size()),
                                        arguments.data(), "", &whyStream)) {
    areSet = true;
    return Status::ok();
  }
  const std::string printed = captured.take();
  if (!printed.empty())
    return invalidArgument(printed);
  return invalidArgument(why.empty() ? "cannot set the flags of MLIR"
                                     : describeFlagError(why));
}
