//===- CudnnPlan.h - A graph as cuDNN runs it -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Hides the front end of cuDNN, whose headers take 20 s to compile and throw
// exceptions: one source file includes them.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNPLAN_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNPLAN_H

#include "CudnnGraph.h"
#include "weir/Cache/CacheFile.h"
#include "weir/Support/Status.h"

#include <memory>
#include <string>
#include <vector>

struct cudnnContext;

namespace weir {

/// The GPU for which a plan is made.
struct CudnnTarget {
  /// A handle of cuDNN on the GPU, whose context is the current one. Null if
  /// the GPU is in another machine, and `description` describes it.
  cudnnContext *handle = nullptr;
  /// The description of a GPU in another machine: JSON, as cuDNN writes it.
  std::string description = {};
  /// The number of the architecture: 90 for sm_90.
  uint32_t arch = 0;
  /// The GPU's name.
  std::string name = {};
  /// The cache that keeps plans for later processes, or null.
  CacheFile *store = nullptr;
};

/// A plan that cuDNN has made of a graph. Threads may use it at the same time,
/// each with a handle of its own.
class CudnnPlan {
public:
  /// The first plan that computes what `graph` says, and always gives the same
  /// bits. Plans are tried in the order in which cuDNN expects them to be fast.
  static StatusOr<std::unique_ptr<CudnnPlan>> build(const CudnnGraph &graph,
                                                    const CudnnTarget &target);
  /// The first `most` plans that cuDNN can build, with the properties and in
  /// the order that `build` describes. Adds the plans that it cannot build to
  /// `leftOut`, with the reasons.
  static StatusOr<std::vector<std::unique_ptr<CudnnPlan>>>
  buildFirst(const CudnnGraph &graph, const CudnnTarget &target, size_t most,
             std::vector<std::string> &leftOut);
  /// The plan that `serialise` has written as `text`. An error if this cuDNN or
  /// this GPU does not take it.
  static StatusOr<std::unique_ptr<CudnnPlan>> load(const CudnnGraph &graph,
                                                   const CudnnTarget &target,
                                                   const std::string &text);
  /// Identifies the libraries, the target and the graph.
  static StatusOr<std::string> identify(const CudnnGraph &graph,
                                        const CudnnTarget &target);
  virtual ~CudnnPlan() = default;

  /// Appends the launch to the stream of `handle`. `buffers` are the buffers of
  /// the launch.
  virtual Status execute(cudnnContext *handle, void *const *buffers,
                         void *workspace) = 0;
  virtual size_t workspaceBytes() const = 0;
  /// cuDNN's name of the engine and its settings.
  virtual std::string engine() const = 0;
  /// Whether cuDNN compiled the kernel of this plan. If not, cuDNN had the
  /// kernel at hand, or it came from the store.
  virtual bool isCompiled() const = 0;
  /// The bits of the numbers that launches get besides the numbers of the
  /// graph, such as the factor of attention.
  virtual std::vector<uint64_t> addedNumbers() const = 0;
  virtual StatusOr<std::string> serialise() const = 0;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNPLAN_H
