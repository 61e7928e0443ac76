//===- Tuning.h - Chooses launches by their times ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A library often has several ways to carry out a launch, and its guess at the
// fastest one is not always right. A way gives the same bits in each run, but
// different ways may give different bits. Times differ a little from one
// process to the next. So a choice is made once and kept: loads that find it
// have the same bits and time nothing.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_TUNING_H
#define WEIR_LIB_PLUGINS_CUDA_TUNING_H

#include "StreamKernel.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace weir {

/// One of the ways to carry out a launch.
class LaunchCandidate {
public:
  virtual ~LaunchCandidate() = default;

  /// The library's name for the candidate, in one line.
  virtual std::string name() const = 0;
  virtual size_t workspaceBytes() const = 0;
  /// Asks `stream` to carry out the launch. `buffers` has the addresses of the
  /// buffers in `TunableLaunch::buffers`.
  virtual Status enqueue(void *const *buffers, void *workspace,
                         CUstream stream) = 0;
  /// The text from which `TunableLaunch::load` makes the candidate.
  virtual StatusOr<std::string> serialise() const = 0;
};

/// A launch that a library carries out.
class TunableLaunch {
public:
  using Candidates = std::vector<std::unique_ptr<LaunchCandidate>>;
  virtual ~TunableLaunch() = default;

  /// Identifies the computation, the library and its version.
  virtual std::string key() const = 0;
  /// The buffers of a launch. The last one is its result.
  virtual std::vector<TensorDesc> buffers() const = 0;
  /// The candidates in the order in which the library expects them to be fast,
  /// the best first. Adds the candidates that it cannot make to `leftOut`, with
  /// the reasons.
  virtual StatusOr<Candidates> list(std::vector<std::string> &leftOut) = 0;
  /// The candidate that has written `text`. An error if the library or the GPU
  /// does not take the text.
  virtual StatusOr<std::unique_ptr<LaunchCandidate>>
  load(const std::string &text) = 0;
  /// Tells the candidates that they are going to use `stream`, or with null
  /// that they no longer use it.
  virtual Status useStream(CUstream) { return Status::ok(); }
};

struct TunedLaunch {
  /// Null if nothing could be timed, so the library's own choice remains.
  std::unique_ptr<LaunchCandidate> candidate;
  /// The text for Kernel::tuning.
  std::string report;
};

/// The fastest way to carry out `launch`. If an earlier load has kept a choice,
/// the result is that choice. Otherwise the candidates are timed now, and the
/// choice is kept. The context is the current one.
TunedLaunch tune(TunableLaunch &launch, const CudaPrepareContext &context);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_TUNING_H
