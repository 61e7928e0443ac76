//===- TargetCpu.cpp - The processors that code is generated for ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/CPU/TargetCpu.h"

#include "Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Host.h"

#include <fmt/format.h>
#include <memory>

using namespace llvm;
using namespace weir;

/// The features that code may use. The runtime can detect each of them.
static constexpr StringLiteral knownFeatures[] = {
    "avx",         "avx2",     "avx512bf16", "avx512bitalg",    "avx512bw",
    "avx512cd",    "avx512dq", "avx512f",    "avx512ifma",      "avx512vbmi",
    "avx512vbmi2", "avx512vl", "avx512vnni", "avx512vpopcntdq", "bmi",
    "bmi2",        "f16c",     "fma",        "popcnt",          "sse3",
    "sse4.1",      "sse4.2",   "ssse3"};

static bool has(const TargetCpu &cpu, StringRef feature) {
  return is_contained(cpu.features, feature);
}

static StatusOr<TargetCpu> finish(TargetCpu cpu) {
  for (StringRef needed : {"avx2", "f16c", "fma"})
    if (!has(cpu, needed))
      return invalidArgument(
          fmt::format("target CPU '{}' lacks {}, which generated code needs; "
                      "name x86-64-v3 or a later one",
                      cpu.name, needed.str()));
  bool isWide = has(cpu, "avx512f") && has(cpu, "avx512bw") &&
                has(cpu, "avx512dq") && has(cpu, "avx512vl");
  cpu.vectorBits = isWide ? 512 : 256;
  return cpu;
}

static StatusOr<TargetCpu> describeHost() {
  TargetCpu cpu{"native", sys::getHostCPUName().str(), {}};
  StringMap<bool> features = sys::getHostCPUFeatures();
  for (StringLiteral feature : knownFeatures)
    if (features.lookup(feature))
      cpu.features.push_back(feature.str());
  return finish(std::move(cpu));
}

StatusOr<TargetCpu> weir::parseTargetCpu(std::string_view name) {
  if (name == "native")
    return describeHost();
  WEIR_ASSIGN_OR_RETURN(const Target *target, findTarget());
  std::unique_ptr<MCSubtargetInfo> known(
      target->createMCSubtargetInfo(targetTriple(), "x86-64", ""));
  if (!known || !known->isCPUStringValid(name))
    return invalidArgument(fmt::format(
        "unknown target CPU '{}'; expected native, x86-64-v3, x86-64-v4 or the "
        "name of a processor such as znver4",
        name));
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(targetTriple(), name, ""));
  TargetCpu cpu{std::string(name), std::string(name), {}};
  for (StringLiteral feature : knownFeatures)
    if (info->checkFeatures((Twine("+") + feature).str()))
      cpu.features.push_back(feature.str());
  return finish(std::move(cpu));
}

StatusOr<std::vector<std::string>>
weir::describeLoopTargets(const std::vector<std::string> &names) {
  std::vector<std::string> targets;
  StringSet<> seen;
  for (const std::string &name : names) {
    if (!seen.insert(name).second)
      return invalidArgument(
          fmt::format("target CPU '{}' is named twice", name));
    WEIR_ASSIGN_OR_RETURN(TargetCpu cpu, parseTargetCpu(name));
    targets.push_back(fmt::format("{}={}", name, cpu.vectorBits));
  }
  return targets;
}
