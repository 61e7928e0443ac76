//===- PrimitiveKernel.h - Runs a list of oneDNN primitives -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_PRIMITIVEKERNEL_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_PRIMITIVEKERNEL_H

#include "../../OpenMP/Team.h"
#include "KernelBuilder.h"

namespace weir::cpu {

/// Runs its primitives and loops in order. Argument arrays and memory objects
/// are created at load. A launch changes only the pointers that differ from the
/// previous launch. A launch calls the C interface of oneDNN, which costs half
/// a microsecond per primitive.
class PrimitiveKernel final : public Kernel {
public:
  /// Keeps `constants` alive for the values that point into them. Primitives
  /// run on teams of the size that is set now.
  explicit PrimitiveKernel(
      std::vector<std::unique_ptr<std::vector<float>>> constants)
      : constants(std::move(constants)), stream(cpuEngine()),
        threads(teamSize()) {}

  void add(const dnnl::primitive_desc_base &desc,
           const std::vector<Argument> &arguments);
  void add(std::string name, TeamLoop loop, const std::vector<Value> &values,
           bool hasParts);
  void setWorkspaceBytes(size_t bytes) { scratchBytes = bytes; }

  size_t workspaceBytes() const override { return scratchBytes; }
  Status run(const KernelArgs &args) override;
  std::string implementation() const override;
  bool isSerial() const override { return threads == 1; }
  bool mayRunAlone() const override { return isSerial() || allMayRunAlone; }
  bool runsScalarCode() const override { return hasScalarCode; }

private:
  /// A place that gets the pointer to a buffer or to a part of the workspace.
  struct Binding {
    dnnl_memory_t memory;
    /// The pointer to set if there is no memory object.
    std::byte **pointer;
    bool inWorkspace;
    /// The index of the buffer, if it is not in the workspace.
    size_t index;
    /// The offset in bytes in the buffer or workspace.
    size_t offset;
    void *current;
  };
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl::memory> memories;
    std::vector<dnnl_exec_arg_t> arguments;
    /// The loop of a step without a primitive, and the pointers that it gets.
    TeamLoop loop;
    std::vector<std::byte *> pointers;
    bool hasParts = true;

    dnnl_status_t run(const dnnl::stream &stream) const;
    dnnl_status_t runLoop() const;
  };

  dnnl_status_t bind(const KernelArgs &args);

  std::vector<std::unique_ptr<std::vector<float>>> constants;
  dnnl::stream stream;
  int threads;
  std::vector<Step> steps;
  std::vector<Binding> bindings;
  std::vector<std::string> implementations;
  size_t scratchBytes = 0;
  bool hasScalarCode = false;
  bool allMayRunAlone = true;
};

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_PRIMITIVEKERNEL_H
