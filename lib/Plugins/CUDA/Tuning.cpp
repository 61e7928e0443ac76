//===- Tuning.cpp - Chooses launches by their times ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"

#include "LaunchTimer.h"
#include "TunedChoices.h"
#include "weir/Support/DType.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <mutex>
#include <optional>

using namespace weir;

/// The most workspace that a faster candidate may take: the session holds it.
static constexpr size_t mostTunedWorkspace = size_t(256) << 20;
/// The first candidate is chosen unless it takes at least this many times as
/// long as the fastest one. Times differ by about as much from one process to
/// the next.
static constexpr double leastGain = 1.02;

/// The most by which results may differ, as a part of the largest element.
/// Differences in rounding are smaller: a thousandth in TF32.
static constexpr double mostDifference = 0.01;
/// The most elements of results that are compared.
static constexpr size_t mostCompared = size_t(1) << 16;

/// The difference of two results of type `type`, as a part of the largest
/// element.
static double differenceOf(DType type, const std::vector<std::byte> &expected,
                           const std::vector<std::byte> &found) {
  const size_t size = expected.size() / byteSize(type);
  double largest = 0, difference = 0;
  for (size_t i = 0; i < size; i += size / mostCompared + 1) {
    const auto at = static_cast<int64_t>(i);
    const double right = loadFloat(type, expected.data(), at),
                 other = loadFloat(type, found.data(), at);
    if (std::isfinite(right) != std::isfinite(other))
      return std::numeric_limits<double>::infinity();
    if (!std::isfinite(right))
      continue;
    largest = std::max(largest, std::abs(right));
    difference = std::max(difference, std::abs(right - other));
  }
  return difference == 0 ? 0 : difference / largest;
}

namespace {

/// A candidate and the ns that it takes.
struct Timed {
  size_t candidate;
  double ns;
};

/// Ends the use of a timer's stream.
struct StreamUse {
  TunableLaunch &launch;
  ~StreamUse() { (void)launch.useStream(nullptr); }
};

class Tuner {
public:
  Tuner(TunableLaunch &launch, const CudaPrepareContext &context)
      : launch(launch), context(context) {}
  TunedLaunch run();

private:
  Status identify();
  std::unique_ptr<LaunchCandidate> load(std::string &summary);
  StatusOr<TunedLaunch> choose();
  Status timeAll(const TunableLaunch::Candidates &all);
  StatusOr<double> timeOne(LaunchTimer &timer, LaunchCandidate &candidate,
                           size_t mostBytes);
  Status checkResult(LaunchTimer &timer);
  Status keep(const LaunchCandidate &chosen, const std::string &summary);
  std::string report(std::string text) const;

  TunableLaunch &launch;
  const CudaPrepareContext &context;
  std::string key;
  std::vector<Timed> timed;
  std::vector<TensorDesc> buffers;
  /// The result of the first candidate that was timed.
  std::vector<std::byte> expected;
  std::vector<std::string> leftOut;
  /// Why a choice that was kept is not used. Empty if it is used, or if no
  /// choice was kept.
  std::string refused;
};

} // namespace

Status Tuner::identify() {
  char gpu[256] = "";
  CudaContext &cuda = *context.context;
  WEIR_RETURN_IF_ERROR(
      cuda.check(cuda.api.cuDeviceGetName(gpu, sizeof gpu, cuda.device()),
                 "cuDeviceGetName"));
  key = fmt::format("{}, sm_{}{}\n{}", gpu, cuda.arch(),
                    context.hasMemoryCap() ? ", capped" : "", launch.key());
  return Status::ok();
}

/// The candidate that an earlier load has kept, or null.
std::unique_ptr<LaunchCandidate> Tuner::load(std::string &summary) {
  Status problem;
  if (const auto text = findChoice(key, problem)) {
    const size_t end = std::min(text->find('\n'), text->size() - 1);
    summary = text->substr(0, end);
    auto loaded = launch.load(text->substr(end + 1));
    if (loaded.isOk())
      return *std::move(loaded);
    problem = std::move(loaded).status();
  }
  if (problem.isOk())
    return nullptr;
  refused = problem.message();
  context.remarks.addFirst(
      {"tuned-again",
       fmt::format("tunes kernels again whose kept choice cannot be used: {}",
                   refused)});
  return nullptr;
}

StatusOr<double> Tuner::timeOne(LaunchTimer &timer, LaunchCandidate &candidate,
                                size_t mostBytes) {
  const size_t bytes = candidate.workspaceBytes();
  if (bytes > mostBytes)
    return resourceExhausted(fmt::format(
        "it needs {} bytes of workspace, and {} {}", bytes,
        context.hasMemoryCap() ? "under a memory cap no more are taken than"
                               : "at most",
        mostBytes));
  const auto ask = [&](void *const *places, void *workspace) {
    return candidate.enqueue(places, workspace, timer.stream());
  };
  WEIR_ASSIGN_OR_RETURN(const double ns, timer.time(ask, bytes));
  WEIR_RETURN_IF_ERROR(checkResult(timer));
  return ns;
}

/// Checks the result of a candidate, because some candidates of libraries
/// compute something else.
Status Tuner::checkResult(LaunchTimer &timer) {
  WEIR_ASSIGN_OR_RETURN(std::vector<std::byte> found, timer.result());
  if (timed.empty()) {
    expected = std::move(found);
    return Status::ok();
  }
  const double difference = differenceOf(buffers.back().type, expected, found);
  if (difference <= mostDifference)
    return Status::ok();
  return internalError(
      fmt::format("its result differs from that of the first by {:.2g} of the "
                  "largest element",
                  difference));
}

Status Tuner::timeAll(const TunableLaunch::Candidates &all) {
  buffers = launch.buffers();
  WEIR_ASSIGN_OR_RETURN(
      const std::unique_ptr<LaunchTimer> timer,
      LaunchTimer::create(context.context, context.device, buffers));
  const StreamUse use{launch};
  WEIR_RETURN_IF_ERROR(launch.useStream(timer->stream()));
  // With a memory cap, no candidate may need more workspace than the first one.
  // So a model that fits without tuning fits with tuning, too.
  const size_t first = all.front()->workspaceBytes();
  const size_t most =
      context.hasMemoryCap() ? first : std::max(first, mostTunedWorkspace);
  for (size_t i = 0; i < all.size(); ++i) {
    const StatusOr<double> ns = timeOne(*timer, *all[i], most);
    if (ns.isOk()) {
      timed.push_back({i, *ns});
      continue;
    }
    WEIR_RETURN_IF_ERROR(context.context->checkPresent());
    leftOut.push_back(
        fmt::format("{} ({})", all[i]->name(), ns.status().message()));
  }
  return timed.empty() ? internalError(fmt::format("nothing could be timed: {}",
                                                   fmt::join(leftOut, ", ")))
                       : Status::ok();
}

/// Keeps `chosen` for later loads. If the user's cache cannot keep it, the
/// process does, and a remark says so. It is an error if the choice has no
/// text, because later loads would not have the same bits.
Status Tuner::keep(const LaunchCandidate &chosen, const std::string &summary) {
  WEIR_ASSIGN_OR_RETURN(const std::string text, chosen.serialise());
  if (const Status kept = keepChoice(key, summary + '\n' + text); !kept.isOk())
    context.remarks.addFirst(
        {"tuning-not-kept",
         fmt::format("choices of tuned kernels are not kept for later "
                     "processes: {}",
                     kept.message())});
  return Status::ok();
}

StatusOr<TunedLaunch> Tuner::choose() {
  const uint64_t begin = monotonicNs();
  WEIR_ASSIGN_OR_RETURN(TunableLaunch::Candidates all, launch.list(leftOut));
  WEIR_RETURN_IF_ERROR(timeAll(all));
  const Timed first = timed.front();
  Timed best = *std::ranges::min_element(timed, {}, &Timed::ns);
  if (best.ns * leastGain > first.ns)
    best = first;
  TunedLaunch tuned{std::move(all[best.candidate]), {}};
  std::string summary = fmt::format("{} takes {:.2f} us, ",
                                    tuned.candidate->name(), best.ns / 1e3);
  summary += best.candidate == first.candidate
                 ? "and stays, the first"
                 : fmt::format("{:.2f} times as fast as {}, the first",
                               first.ns / std::max(best.ns, 1.0),
                               all[first.candidate]->name());
  summary += fmt::format(" of {}", timed.size());
  WEIR_RETURN_IF_ERROR(keep(*tuned.candidate, summary));
  tuned.report =
      report(fmt::format("tuned: {}, in {:.1f} ms", summary,
                         static_cast<double>(monotonicNs() - begin) / 1e6));
  return tuned;
}

/// `text` with what went wrong.
std::string Tuner::report(std::string text) const {
  if (!leftOut.empty())
    text += fmt::format("; left out: {}", fmt::join(leftOut, ", "));
  if (!refused.empty())
    text += fmt::format("; the kept choice is not used: {}", refused);
  return text;
}

TunedLaunch Tuner::run() {
  Status status = identify();
  if (status.isOk()) {
    std::string summary;
    if (auto kept = load(summary))
      return {std::move(kept), "tuned before: " + summary};
    StatusOr<TunedLaunch> chosen = choose();
    if (chosen.isOk())
      return *std::move(chosen);
    status = std::move(chosen).status();
  }
  context.remarks.addFirst(
      {"not-tuned",
       fmt::format("kernels are not tuned: {}", status.message())});
  return {nullptr, report(fmt::format("not tuned: {}", status.message()))};
}

TunedLaunch weir::tune(TunableLaunch &launch,
                       const CudaPrepareContext &context) {
  // Only one thread tunes at a time, because launches of other threads would
  // make times longer. A thread that has waited finds choices that other
  // threads have made meanwhile.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return Tuner(launch, context).run();
}
