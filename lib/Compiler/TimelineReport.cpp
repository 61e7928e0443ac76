//===- TimelineReport.cpp - Timelines as text and as a trace --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Timeline.h"
#include "weir/Compiler/Compiler.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace weir;

/// The number of columns of a bar.
static constexpr size_t barWidth = 60;

/// Draws what a queue does in `seconds`. A column is '#' if the queue works for
/// at least half of the column's time, '.' if it waits for at least half, and
/// '-' if it works for less than half.
static std::string drawBar(const TimelineRow &row, double seconds) {
  std::vector<double> busy(barWidth), waiting(barWidth);
  const double scale = static_cast<double>(barWidth) / seconds;
  for (const TimelineSpan &span : row.spans) {
    std::vector<double> &parts = span.category == "wait" ? waiting : busy;
    const double begin = span.beginSeconds * scale,
                 end = span.endSeconds * scale;
    for (auto column = static_cast<size_t>(begin);
         column < std::min<size_t>(barWidth, std::ceil(end)); ++column) {
      const auto left = static_cast<double>(column);
      parts[column] += std::min(end, left + 1) - std::max(begin, left);
    }
  }
  std::string bar;
  for (size_t column = 0; column < barWidth; ++column)
    bar += busy[column] >= 0.5      ? '#'
           : waiting[column] >= 0.5 ? '.'
           : busy[column] > 0       ? '-'
                                    : ' ';
  return bar;
}

std::string weir::timelineText(const CompileReport &report) {
  std::string text;
  for (const TimelineReport &timeline : report.timelines) {
    text += fmt::format("timeline of {}: {:.3f} us predicted\n",
                        printable(timeline.entry), timeline.seconds * 1e6);
    if (timeline.seconds <= 0)
      continue;
    for (const TimelineRow &row : timeline.rows)
      text +=
          fmt::format("{:<10} {:<8} |{}| {:3.0f} % busy\n", row.device,
                      traceRowName(row.queue), drawBar(row, timeline.seconds),
                      100 * row.busySeconds / timeline.seconds);
  }
  return text;
}

std::string weir::timelineTrace(const CompileReport &report) {
  Trace trace;
  for (const TimelineReport &timeline : report.timelines)
    for (const TimelineRow &row : timeline.rows) {
      std::string name(traceRowName(row.queue));
      if (report.timelines.size() > 1)
        name += " of " + timeline.entry;
      TraceRing &ring =
          trace.addRow(row.device, name, std::max<size_t>(row.spans.size(), 1));
      for (const TimelineSpan &span : row.spans)
        ring.record({trace.intern(span.name), trace.intern(span.category),
                     analysis::toNs(span.beginSeconds),
                     analysis::toNs(span.endSeconds)});
    }
  return trace.toChromeJson();
}
