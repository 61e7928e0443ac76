//===- Trace.h - Records spans of time, cheaply -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Every writer has its own ring of preallocated spans, so recording takes no
// lock and allocates nothing. If tracing is off, there is no ring and no clock
// is read.
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

/// Nanoseconds of a monotonic clock.
uint64_t monotonicNs();

/// Details that all spans of a step have in common.
struct TraceDetail {
  std::string kernel;
  /// The implementation that the vendor library chose; may be empty.
  std::string implementation;
  /// "1x8xf32, 8x4xf32 -> 1x4xf32".
  std::string shapes;
  /// Bytes of all operands and results.
  uint64_t bytes = 0;
  /// Floating-point operations; 0: none, or not known.
  uint64_t flops = 0;
};

/// One recorded span. Both texts live as long as the trace: the name comes from
/// `Trace::intern` or is a literal, the category is a literal.
struct TraceSpan {
  std::string_view name;
  /// The category: "launch", "copy", "wait", ... Viewers colour and filter by
  /// it.
  std::string_view category;
  uint64_t beginNs = 0;
  uint64_t endNs = 0;
  /// Bytes moved; 0 if there are none.
  uint64_t bytes = 0;
  /// Details that `Trace::keep` has returned, or null.
  const TraceDetail *detail = nullptr;
};

/// The spans of one row. Only one thread writes at a time. When the ring is
/// full, the oldest spans are overwritten.
class TraceRing {
public:
  TraceRing(std::string device, std::string row, size_t capacity);

  void record(const TraceSpan &span) {
    spans[count % spans.size()] = span;
    ++count;
  }

  const std::string &deviceName() const { return device; }
  const std::string &rowName() const { return row; }
  /// The spans in the ring, oldest first. No writer may be active.
  std::vector<TraceSpan> held() const;
  /// The number of spans that were overwritten.
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
  /// Adds a row called `row` to the block of `device`. The reference is valid
  /// as long as the trace. Thread-safe.
  TraceRing &addRow(std::string device, std::string row, size_t capacity);

  /// A copy of `name` that lives as long as the trace. It allocates, so it is
  /// not for the steady state. Thread-safe.
  std::string_view intern(std::string_view name);

  /// A copy of `detail` that lives as long as the trace.
  const TraceDetail *keep(TraceDetail detail);

  /// The rows in the order in which they were added. No writer may be active.
  const std::vector<std::unique_ptr<TraceRing>> &rows() const { return rings; }
  /// The number of spans that were overwritten in all rows. No writer may be
  /// active.
  uint64_t numLost() const;
  /// Removes all spans but keeps the rows. No writer may be active.
  void clear();

  /// The trace in the JSON format of Chrome and Perfetto, with times relative
  /// to the first span. No writer may be active.
  std::string toChromeJson() const;

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<TraceRing>> rings;
  /// The interned names. They never move in a set.
  std::set<std::string, std::less<>> names;
  std::deque<TraceDetail> details;
};

} // namespace weir

#endif // WEIR_SUPPORT_TRACE_H
