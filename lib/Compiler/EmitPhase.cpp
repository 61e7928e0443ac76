//===- EmitPhase.cpp - The names of phases ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Compiler.h"

#include <fmt/format.h>
#include <iterator>
#include <utility>

using namespace weir;

static constexpr std::pair<std::string_view, EmitPhase> phaseNames[] = {
    {"import", EmitPhase::Import},
    {"lifted", EmitPhase::Lifted},
    {"graph", EmitPhase::Graph},
    {"grouped", EmitPhase::Grouped},
    {"placed", EmitPhase::Placed},
    {"partitioned", EmitPhase::Partitioned},
    {"lowered", EmitPhase::Lowered},
    {"exec", EmitPhase::Exec},
    {"artifact", EmitPhase::Artifact},
    {"dot", EmitPhase::Dot},
    {"llvm", EmitPhase::LLVM},
    {"asm", EmitPhase::Assembly},
    {"ptx", EmitPhase::Ptx}};

StatusOr<EmitPhase> weir::parseEmitPhase(std::string_view name) {
  std::string known;
  for (auto [spelling, phase] : phaseNames) {
    if (spelling == name)
      return phase;
    known += (known.empty() ? "" : ", ") + std::string(spelling);
  }
  return invalidArgument(
      fmt::format("unknown phase '{}'; the phases are {}", name, known));
}

std::string_view weir::toString(EmitPhase phase) {
  const auto number = static_cast<size_t>(phase);
  return number < std::size(phaseNames) ? phaseNames[number].first
                                        : std::string_view();
}
