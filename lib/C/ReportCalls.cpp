//===- ReportCalls.cpp - The C API's reports as JSON ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Runtime/Session/StatsJson.h"
#include "Handles.h"
#include "weir/Support/JsonText.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

using namespace weir;
using namespace weir::c;
using Json = nlohmann::json;

/// Copies `json` to a string that the caller frees by `weir_string_free`.
static Status giveOut(const std::string &json, char **text) {
  auto *copy = static_cast<char *>(std::malloc(json.size() + 1));
  if (!copy)
    throw std::bad_alloc();
  std::memcpy(copy, json.c_str(), json.size() + 1);
  *text = copy;
  return Status::ok();
}

void weir_string_free(char *string) { std::free(string); }

weir_status weir_session_stats(const weir_session *session, char **json) {
  return runCall("weir_session_stats", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(json, "json"));
    const SessionStats stats = session->session->stats();
    Json devices = Json::array();
    for (const DeviceStats &device : stats.devices)
      devices.push_back(statsJson<Json>(device));
    return giveOut(toJsonText(Json{{"runs", stats.runs},
                                   {"failed_runs", stats.failedRuns},
                                   {"load_ms", milliseconds(stats.loadNs)},
                                   {"devices", std::move(devices)}}),
                   json);
  });
}

weir_status weir_entry_launches(const weir_entry *entry, size_t shape,
                                char **json) {
  return runCall("weir_entry_launches", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkShapeNumber(entry, shape));
    WEIR_RETURN_IF_ERROR(checkNotNull(json, "json"));
    Json launches = Json::array();
    for (const LaunchInfo &launch : entry->entry.launches(shape))
      launches.push_back({{"device", launch.device},
                          {"op", launch.op},
                          {"kernel", launch.kernel},
                          {"implementation", launch.implementation},
                          {"shapes", launch.shapes},
                          {"bytes", launch.bytes},
                          {"flops", launch.flops},
                          {"tuning", launch.tuning}});
    return giveOut(toJsonText(launches), json);
  });
}

weir_status weir_trace_create(weir_trace **trace) {
  return runCall("weir_trace_create", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(trace, "trace"));
    *trace = new weir_trace;
    return Status::ok();
  });
}

weir_status weir_trace_json(const weir_trace *trace, char **json) {
  return runCall("weir_trace_json", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(trace, "trace"));
    WEIR_RETURN_IF_ERROR(checkNotNull(json, "json"));
    return giveOut(trace->trace.toChromeJson(), json);
  });
}

void weir_trace_free(weir_trace *trace) { delete trace; }
