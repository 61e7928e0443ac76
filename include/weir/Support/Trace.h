//===- Trace.h - Records spans of time, cheaply -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Every writer has its own ring of preallocated spans, so recording takes no
// lock and allocates nothing. Where tracing is off there is no ring and nobody
// reads a clock.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TRACE_H
#define WEIR_SUPPORT_TRACE_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Nanoseconds of a clock that never jumps.
uint64_t monotonicNs();

/// What is the same of all spans of a step.
struct TraceDetail {
  std::string kernel;
  /// What the vendor library chose; may be empty.
  std::string implementation;
  /// "1x8xf32, 8x4xf32 -> 1x4xf32".
  std::string shapes;
  /// Bytes of all operands and results.
  uint64_t bytes = 0;
};

/// One recorded span. Both texts live as long as the trace: the name is one of
/// `Trace::intern` or a literal, the category a literal.
struct TraceSpan {
  std::string_view name;
  /// "launch", "copy", "wait", ...; viewers colour and filter by it.
  std::string_view category;
  uint64_t beginNs = 0;
  uint64_t endNs = 0;
  /// Bytes moved; 0 where that means nothing.
  uint64_t bytes = 0;
  /// Of `Trace::keep`, or null.
  const TraceDetail *detail = nullptr;
};

/// The spans of one row, written by one thread at a time. When it is full the
/// oldest spans are overwritten.
class TraceRing {
public:
  TraceRing(std::string device, std::string row, size_t capacity);

  void record(const TraceSpan &span) {
    spans[count % spans.size()] = span;
    ++count;
  }

  const std::string &deviceName() const { return device; }
  const std::string &rowName() const { return row; }
  /// The spans that are held, oldest first. No writer may be active.
  std::vector<TraceSpan> held() const;
  /// Spans that were overwritten.
  uint64_t numLost() const {
    return count > spans.size() ? count - spans.size() : 0;
  }
  void clear() { count = 0; }

private:
  std::string device;
  std::string row;
  std::vector<TraceSpan> spans;
  uint64_t count = 0;
};

/// A set of rows.
class Trace {
public:
  /// Adds a row called `row` to the block of `device`. The reference stays
  /// valid as long as the trace. Thread-safe.
  TraceRing &addRow(std::string device, std::string row, size_t capacity);

  /// `name` in memory of the trace, where it lives as long as the trace. Not
  /// for the steady state: it allocates. Thread-safe.
  std::string_view intern(std::string_view name);

  /// `detail` in memory of the trace, like `intern`.
  const TraceDetail *keep(TraceDetail detail);

  /// In the order in which they were added. No writer may be active.
  const std::vector<std::unique_ptr<TraceRing>> &rows() const { return rings; }
  /// Forgets all spans and keeps the rows. No writer may be active.
  void clear();

  /// The trace in the JSON format of Chrome and Perfetto, times from the first
  /// span on. No writer may be active.
  std::string toChromeJson() const;

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<TraceRing>> rings;
  /// Its nodes never move.
  std::set<std::string, std::less<>> names;
  std::deque<TraceDetail> details;
};

} // namespace weir

#endif // WEIR_SUPPORT_TRACE_H
