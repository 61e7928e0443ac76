//===- Trace.cpp - Records spans of time, cheaply -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Trace.h"

#include "weir/Support/JsonText.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

using namespace weir;

uint64_t weir::monotonicNs() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

TraceRing::TraceRing(std::string device, std::string row, size_t capacity)
    : device(std::move(device)), row(std::move(row)),
      spans(std::max<size_t>(capacity, 1)) {}

std::vector<TraceSpan> TraceRing::held() const {
  std::vector<TraceSpan> ordered;
  ordered.reserve(std::min<uint64_t>(count, spans.size()));
  for (uint64_t i = numLost(); i < count; ++i)
    ordered.push_back(spans[i % spans.size()]);
  return ordered;
}

TraceRing &Trace::addRow(std::string device, std::string row, size_t capacity) {
  std::lock_guard<std::mutex> lock(mutex);
  rings.push_back(
      std::make_unique<TraceRing>(std::move(device), std::move(row), capacity));
  return *rings.back();
}

std::string_view Trace::intern(std::string_view name) {
  std::lock_guard<std::mutex> lock(mutex);
  return *names.emplace(name).first;
}

const TraceDetail *Trace::keep(TraceDetail detail) {
  std::lock_guard<std::mutex> lock(mutex);
  return &details.emplace_back(std::move(detail));
}

uint64_t Trace::numLost() const {
  uint64_t sum = 0;
  for (const auto &ring : rings)
    sum += ring->numLost();
  return sum;
}

void Trace::clear() {
  for (auto &ring : rings)
    ring->clear();
}

/// A record that gives a process or thread a name in the viewer.
static nlohmann::json nameRecord(const char *what, int process, int thread,
                                 const std::string &name) {
  return {{"ph", "M"},
          {"name", what},
          {"pid", process},
          {"tid", thread},
          {"args", {{"name", name}}}};
}

static nlohmann::json spanRecord(const TraceSpan &span, int process, int thread,
                                 uint64_t origin) {
  nlohmann::json record = {
      {"ph", "X"},
      {"name", span.name},
      {"cat", span.category},
      {"pid", process},
      {"tid", thread},
      {"ts", static_cast<double>(span.beginNs - origin) / 1e3},
      {"dur", static_cast<double>(span.endNs - span.beginNs) / 1e3}};
  if (span.bytes)
    record["args"] = {{"bytes", span.bytes}};
  if (const TraceDetail *detail = span.detail)
    record["args"] = {{"kernel", detail->kernel},
                      {"implementation", detail->implementation},
                      {"shapes", detail->shapes},
                      {"bytes", detail->bytes},
                      {"flops", detail->flops}};
  return record;
}

static uint64_t firstBegin(const std::vector<std::vector<TraceSpan>> &rows) {
  uint64_t origin = UINT64_MAX;
  for (const auto &row : rows)
    for (const TraceSpan &span : row)
      origin = std::min(origin, span.beginNs);
  return origin;
}

std::string Trace::toChromeJson() const {
  std::vector<std::vector<TraceSpan>> rows;
  for (const auto &ring : rings)
    rows.push_back(ring->held());
  const uint64_t origin = firstBegin(rows);

  nlohmann::json events = nlohmann::json::array();
  std::map<std::string, int> processes;
  for (size_t i = 0; i < rings.size(); ++i) {
    const TraceRing &ring = *rings[i];
    auto [known, isNew] = processes.try_emplace(
        ring.deviceName(), static_cast<int>(processes.size()) + 1);
    const int process = known->second, thread = static_cast<int>(i) + 1;
    if (isNew)
      events.push_back(
          nameRecord("process_name", process, 0, ring.deviceName()));
    events.push_back(
        nameRecord("thread_name", process, thread, ring.rowName()));
    for (const TraceSpan &span : rows[i])
      events.push_back(spanRecord(span, process, thread, origin));
  }
  return toJsonText(nlohmann::json{{"displayTimeUnit", "ms"},
                                   {"traceEvents", std::move(events)}});
}
