//===- Kernel.h - What the executor knows about a kernel --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A kernel is prepared once, at load: the vendor's primitive is created and
// weights are packed. In the steady state it runs without allocation, look-up
// or branches on the op kind. Launches share one prepared kernel if their
// KernelSpec and constant operands are equal.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_KERNEL_H
#define WEIR_RUNTIME_KERNEL_H

#include "weir/Artifact/KernelABI.h"
#include "weir/Support/AttrMap.h"
#include "weir/Support/Status.h"
#include "weir/Support/TensorDesc.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// An operation that is applied in place to the first result, after the
/// kernel's own work. Post-ops run in the listed order.
struct PostOp {
  /// The name in the record of the fused op: "eltwise_relu", "binary_add".
  std::string algorithm;
  double alpha = 0;
  double beta = 0;
  /// The kernel operand that a binary post-op reads, or -1.
  int operand = -1;

  bool operator==(const PostOp &) const = default;
};

/// The code of a generated kernel, and how it is called.
struct GeneratedCode {
  /// The blob of the artifact that holds the shared object; -1: the kernel is
  /// not generated.
  int64_t blob = -1;
  /// The function's number in the table of the shared object.
  uint32_t function = 0;
  /// The number of tasks. The function computes any range of [0, tasks).
  uint64_t tasks = 0;
  /// The fewest tasks that are worth a thread.
  uint64_t grain = 1;
  /// Bytes of scratch for each thread.
  uint64_t scratchBytes = 0;
  /// Above 0: the blob holds code for GPUs (weir/Artifact/GpuCode.h). The code
  /// is launched with `tasks` blocks. Each block has `threads` threads, and
  /// `scratchBytes` of shared memory.
  uint32_t threads = 0;

  bool operator==(const GeneratedCode &) const = default;
};

/// The description from which a kernel is prepared.
struct KernelSpec {
  /// The kernel's name in the kernel table of the device kind.
  std::string name;
  /// The op's attributes, and the parameters of its kernel row.
  AttrMap attrs;
  std::vector<TensorDesc> operands;
  std::vector<TensorDesc> results;
  std::vector<PostOp> postOps;
  GeneratedCode code;

  bool operator==(const KernelSpec &) const = default;
};

/// The pointers of one launch. All are valid until the launch is complete.
struct KernelArgs {
  /// The addresses of buffers: one per operand, then one per result, in the
  /// order of the spec.
  void *const *buffers;
  /// Memory of at least `Kernel::workspaceBytes()` bytes, 64-byte aligned. Its
  /// contents are undefined before and after.
  void *workspace;
};

/// Reads a constant operand. One thread at a time uses it.
class ConstantReader {
public:
  virtual ~ConstantReader() = default;

  /// The `bytes` bytes at `offset` of the operand. They are valid until the
  /// next call. A caller that reads the parts in their order needs memory for
  /// the largest part alone.
  virtual StatusOr<const void *> read(uint64_t offset, uint64_t bytes) = 0;
};

/// Reads an operand that is in memory.
class MemoryReader final : public ConstantReader {
public:
  explicit MemoryReader(const void *operand) : operand(operand) {}
  StatusOr<const void *> read(uint64_t offset, uint64_t) override {
    return static_cast<const std::byte *>(operand) + offset;
  }

private:
  const void *operand;
};

/// The questions that `prepare` may ask the device.
class PrepareContext {
public:
  virtual ~PrepareContext() = default;

  /// The device's number of threads; the kernel will run on a team of this
  /// size.
  virtual int numThreads() const = 0;

  /// Whether operand `index` exists and its bytes never change during the
  /// session. Then it may be packed.
  virtual bool isConstant(int index) const = 0;

  /// Whether the model has a memory cap for the device. Then a kernel that may
  /// choose takes no more workspace than it must.
  virtual bool hasMemoryCap() const { return false; }

  /// Reads an operand, and writes the packed operand to `to`.
  using PackFunction = std::function<Status(ConstantReader &from, void *to)>;

  /// Constant operand `index` as packed by `pack`, in memory of `bytes` bytes.
  /// All kernels that ask for the same operand under the same `key` share the
  /// result. They may belong to different sessions, if the devices have the
  /// same packing key. The result lives as long as the session. `key` must
  /// determine the packed bytes, so it must name the format.
  ///
  /// A kernel that asks for this must not read the operand's own buffer when it
  /// runs: the buffer may be empty.
  virtual StatusOr<const void *> packedOperand(int index, std::string_view key,
                                               size_t bytes,
                                               const PackFunction &pack) = 0;

  /// The function that `code` names. It is valid as long as the session.
  virtual StatusOr<WeirKernelFunction>
  generatedFunction(const GeneratedCode &code);

  /// The blob that `code` names, for code that the device itself loads. Its
  /// address is the same at each call and valid as long as the session.
  virtual StatusOr<std::span<const std::byte>>
  codeBlob(const GeneratedCode &code);
};

/// A prepared kernel. Only one thread at a time calls `run`: the driver thread
/// of the device's queue, or a caller in its place. Both are masters of a team
/// of the device's size.
class Kernel {
public:
  virtual ~Kernel() = default;

  /// Bytes of workspace that `run` needs.
  virtual size_t workspaceBytes() const { return 0; }

  /// Computes the results. Must not throw. Weir's own code allocates nothing
  /// here.
  virtual Status run(const KernelArgs &args) = 0;

  /// Whether `run` never leaves the calling thread, so that any thread may run
  /// it without a team.
  virtual bool isSerial() const { return false; }

  /// Whether `run` computes the same bits if parallel regions of the calling
  /// thread have only that thread, although the kernel was prepared for a team.
  virtual bool mayRunAlone() const { return isSerial(); }

  /// The implementation that the vendor library chose ("brg:avx512_core"), for
  /// reports; empty if there is none.
  virtual std::string implementation() const { return {}; }

  /// How the implementation was chosen by timing several, in one line for
  /// reports. Empty if it was not chosen by timing.
  virtual std::string tuning() const { return {}; }

  /// Whether the vendor library found no fast implementation and runs plain
  /// scalar code, which is correct but slow. Sessions report such launches.
  virtual bool runsScalarCode() const { return false; }
};

/// Prepares a kernel, or says why it cannot.
using PrepareFn = StatusOr<std::unique_ptr<Kernel>> (*)(
    const KernelSpec &spec, PrepareContext &context);

/// Says why a kernel does not support `spec`. The answer depends only on `spec`
/// and is the same on every machine. `prepare` calls this function first. The
/// compiler calls it when it chooses kernels, so that every kernel that it
/// chooses can be prepared.
using CheckFn = Status (*)(const KernelSpec &spec);

/// One row of a device kind's kernel table.
struct KernelTableEntry {
  std::string_view name;
  PrepareFn prepare;
  /// Null if the kernel supports every spec.
  CheckFn check = nullptr;
};

} // namespace weir

#endif // WEIR_RUNTIME_KERNEL_H
