//===- HeldReport.h - Reports what sessions hold ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_HELDREPORT_H
#define WEIR_LIB_COMPILER_HELDREPORT_H

#include "weir/Compiler/Compiler.h"

#include "llvm/Support/JSON.h"

namespace weir {

/// A line for each device whose memory was counted.
std::string explainHeld(const CompileReport &report);
llvm::json::Array explainHeldJson(const CompileReport &report);

/// Adds what a session holds on `device` to `json`, if this was counted.
void addHeld(const DeviceReport &device, llvm::json::Object &json);

} // namespace weir

#endif // WEIR_LIB_COMPILER_HELDREPORT_H
