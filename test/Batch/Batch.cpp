//===- Batch.cpp - Compiles and runs many graphs in one process -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   weir-batch
//
// reads requests from standard input, one JSON object per line, and answers
// each with a line: an object, or {"error": "..."}. Starting a tool would take
// longer than a small graph. A request is
//
//   {"text": "graph.mlir",         what to compile
//    "devices": "cpu:0-1",         and as graph-compile's flags of these names:
//    "placement": "random:7", "isolated": "cpu:1", "threads": 1,
//    "allow_reference": true,
//    "in_flight": 2, "port_spaces": ["x=cpu:1"], "gpu_arch": ["sm_90"],
//    "keep": ["*"], "precision": "bf16", "kernel_cache": "off",
//    "shapes": ["x:1x5"],          as --shape
//    "check_kernels": true,
//    "emit": ["placed", "exec"],   phases whose texts are wanted: "texts"
//    "artifact": "graph.weir",     where the artifact goes; without it nothing
//                                  runs
//    "inputs": ["x=random:1"],     as graph-run's --input
//    "repeats": 100,               further runs: "differing_runs",
//                                  "allocations"
//    "callers": 8,                 threads that repeat the runs at once:
//                                  "differing_runs_of_callers"
//    "outputs": "graph.out"}       where the bytes of the first run's outputs
//                                  go, one after another
//
// and the answer has "devices" with the counts of the last run, and with what
// the compiler has counted that they hold.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "weir/Compiler/Compiler.h"

#include <iostream>
#include <nlohmann/json.hpp>

using namespace weir;
using nlohmann::json;
using nlohmann::ordered_json;

static CompileOptions makeOptions(const json &request) {
  CompileOptions options;
  options.devices = request.value("devices", options.devices);
  options.placement = request.value("placement", options.placement);
  options.isolated = request.value("isolated", options.isolated);
  options.inFlight = request.value("in_flight", options.inFlight);
  options.threads = request.value("threads", options.threads);
  options.allowReference =
      request.value("allow_reference", options.allowReference);
  options.targetGpus = request.value("gpu_arch", options.targetGpus);
  options.portSpaces = request.value("port_spaces", options.portSpaces);
  options.keep = request.value("keep", options.keep);
  options.shapes = request.value("shapes", options.shapes);
  options.precision = request.value("precision", options.precision);
  options.kernelCache = request.value("kernel_cache", options.kernelCache);
  return options;
}

/// Compiles up to `phase`. The error has the compiler's messages.
static StatusOr<CompileResult> compile(const json &request, EmitPhase phase,
                                       const std::string &output) {
  CompileOptions options = makeOptions(request);
  options.emit = phase;
  if (phase == EmitPhase::Artifact) {
    options.countMemory = true;
    options.checkKernels = request.value("check_kernels", false);
  }
  std::string messages;
  auto result =
      compileFile(request.at("text").get<std::string>(), output, options,
                  [&](std::string_view message) { messages += message; });
  if (!result.isOk())
    return invalidArgument(messages + std::string(result.status().message()));
  return result;
}

static StatusOr<ordered_json> answer(const json &request) {
  ordered_json texts = ordered_json::object();
  const auto phases = request.value("emit", std::vector<std::string>());
  for (const std::string &name : phases) {
    WEIR_ASSIGN_OR_RETURN(EmitPhase phase, parseEmitPhase(name));
    WEIR_ASSIGN_OR_RETURN(CompileResult result, compile(request, phase, "-"));
    texts[name] = std::move(result.text);
  }
  ordered_json answer = {{"texts", std::move(texts)}};
  const auto artifact = request.value("artifact", std::string());
  if (artifact.empty())
    return answer;
  WEIR_ASSIGN_OR_RETURN(CompileResult compiled,
                        compile(request, EmitPhase::Artifact, artifact));
  WEIR_ASSIGN_OR_RETURN(ordered_json measured,
                        batch::measure(artifact, request));
  answer.update(measured);
  for (size_t i = 0; i < compiled.report.devices.size(); ++i)
    if (const auto &held = compiled.report.devices[i].held)
      answer["devices"][i]["counted_bytes"] = held->bytes;
  return answer;
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    StatusOr<ordered_json> found = answer(json::parse(line));
    ordered_json reply =
        found.isOk() ? *std::move(found)
                     : ordered_json{{"error", found.status().message()}};
    std::cout << reply.dump() << std::endl;
  }
  return 0;
}
