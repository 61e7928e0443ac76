//===- ProfileSummary.cpp - Where the time of all runs went ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ProfileSummary.h"

#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace weir;

void ProfileSummary::add(std::span<const LaunchInfo> launches,
                         std::span<const uint64_t> times) {
  for (size_t i = 0; i < launches.size(); ++i) {
    const LaunchInfo &launch = launches[i];
    Sum &sum =
        sums[{launch.device, launch.op, launch.kernel, launch.implementation}];
    ++sum.launches;
    sum.ns += times[i];
    sum.bytes += launch.bytes;
    sum.flops += launch.flops;
    totalNs += times[i];
  }
}

std::vector<std::pair<ProfileSummary::Key, ProfileSummary::Sum>>
ProfileSummary::sorted() const {
  std::vector<std::pair<Key, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto &left, const auto &right) {
                     return left.second.ns > right.second.ns;
                   });
  return rows;
}

static double ratio(double part, uint64_t whole) {
  return whole ? part / static_cast<double>(whole) : 0;
}

/// The billions of `amount` per second.
static double perNs(uint64_t amount, uint64_t ns) {
  return ratio(static_cast<double>(amount), ns);
}

std::string ProfileSummary::toText() const {
  if (sums.empty())
    return {};
  std::string text =
      fmt::format("{:<8} {:<24} {:<18} {:<28} {:>8} {:>12} {:>12} {:>7} {:>9} "
                  "{:>9}\n",
                  "device", "op", "kernel", "implementation", "launches",
                  "total ms", "mean us", "share", "GFLOP/s", "GB/s");
  for (const auto &[key, sum] : sorted()) {
    const auto &[device, op, kernel, implementation] = key;
    const auto ns = static_cast<double>(sum.ns);
    text += fmt::format(
        "{:<8} {:<24} {:<18} {:<28} {:>8} {:>12.3f} {:>12.1f} {:>6.1f}% "
        "{:>9} {:>9.2f}\n",
        device, printable(op), printable(kernel),
        implementation.empty() ? "-" : implementation, sum.launches, ns / 1e6,
        ratio(ns / 1e3, sum.launches), 100 * ratio(ns, totalNs),
        sum.flops ? fmt::format("{:.2f}", perNs(sum.flops, sum.ns)) : "-",
        perNs(sum.bytes, sum.ns));
  }
  return text;
}

nlohmann::ordered_json ProfileSummary::toJson() const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto &[key, sum] : sorted()) {
    const auto &[device, op, kernel, implementation] = key;
    const auto ns = static_cast<double>(sum.ns);
    rows.push_back({{"device", device},
                    {"op", op},
                    {"kernel", kernel},
                    {"implementation", implementation},
                    {"launches", sum.launches},
                    {"total_ms", ns / 1e6},
                    {"mean_us", ratio(ns / 1e3, sum.launches)},
                    {"share", ratio(ns, totalNs)},
                    {"gflop_per_second", perNs(sum.flops, sum.ns)},
                    {"gb_per_second", perNs(sum.bytes, sum.ns)}});
  }
  return rows;
}
