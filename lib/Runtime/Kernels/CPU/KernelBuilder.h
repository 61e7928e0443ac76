//===- KernelBuilder.h - Builds a kernel from oneDNN primitives -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A prepare function lists a few primitives over values. The builder assigns
// workspace and scratchpad to the primitives, and turns the list into a Kernel.
// A run of the Kernel only stores changed pointers and calls the library.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_KERNELBUILDER_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_KERNELBUILDER_H

#include "Layout.h"
#include "LibraryStatus.h"
#include "WorthwhileThreads.h"

#include "weir/Runtime/Kernel.h"

#include <dnnl.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weir::cpu {

/// A tensor that a primitive reads or writes, and its place at a launch.
struct Value {
  enum class Place { Buffer, Workspace, Constant };
  Place place = Place::Buffer;
  /// The index of a Buffer in KernelArgs::buffers.
  size_t index = 0;
  /// Bytes from the start of the buffer or the workspace.
  size_t offset = 0;
  /// The bytes of a Constant.
  const void *bytes = nullptr;
  TensorDesc desc;

  /// This value under the description `view`.
  Value as(TensorDesc view) const {
    Value value = *this;
    value.desc = std::move(view);
    return value;
  }
  /// The tensor that starts `elements` elements later, under the description
  /// `view`.
  Value from(int64_t elements, TensorDesc view) const {
    Value value = as(std::move(view));
    value.offset += elements * byteSize(desc.type);
    return value;
  }
};

/// A value bound to an argument (DNNL_ARG_...) of a primitive.
struct Argument {
  int id;
  Value value;
  dnnl::memory::desc format;

  Argument(int id, const Value &value)
      : id(id), value(value), format(memoryDesc(value.desc)) {}
  Argument(int id, const Value &value, dnnl::memory::desc format)
      : id(id), value(value), format(std::move(format)) {}
};

/// A post-op of the spec and the value that it reads, broadcast to the result's
/// dims (stride 0 for repeated dims). The value is unused for an eltwise
/// post-op.
struct Epilogue {
  PostOp op;
  Value value;
};

/// Creates a primitive descriptor with the given attributes.
using DescMaker =
    std::function<dnnl::primitive_desc(const dnnl::primitive_attr &)>;

/// A step in Weir's own code. It does part `thread` of `numThreads` of the
/// work, on the bytes of the values with which it was added. Must not throw.
using TeamLoop = std::function<dnnl_status_t(int thread, int numThreads,
                                             std::byte *const *bytes)>;

/// Whether oneDNN would run its plain scalar code, which is correct but slow.
bool isReference(const dnnl::primitive_desc_base &desc);

/// The engine that all kernels of the process share.
const dnnl::engine &cpuEngine();

class KernelBuilder {
public:
  KernelBuilder(const KernelSpec &spec, PrepareContext &context, int threads)
      : spec(spec), context(context), threads(threads) {}

  const KernelSpec &spec;

  /// The size of the team on which the kernel will run.
  int numThreads() const { return threads; }

  Value operand(int index) const;
  /// Whether operand `index` exists and belongs to the kernel itself, not to a
  /// post-op.
  bool hasOwnOperand(int index) const {
    return cpu::hasOwnOperand(spec, index);
  }
  /// Whether the bytes of operand `index` are known and never change.
  bool isConstant(int index) const { return context.isConstant(index); }
  Value result(size_t index = 0) const;
  /// The spec's post-ops with their operands.
  std::vector<Epilogue> epilogues() const;

  /// Workspace for a tensor. Its contents are valid during one launch.
  Value temporary(const TensorDesc &desc);
  /// Workspace that is not a tensor.
  Value scratch(size_t bytes) { return workspace(bytes); }
  /// Floats that are part of the kernel.
  Value constant(std::vector<float> values, TensorDesc desc);

  /// Adds a step that copies `from` to `to`, converting type and layout.
  void copy(const Value &from, const Value &to);
  /// `value` in the type and layout `desc`: itself, or a copy that an added
  /// step makes.
  Value relaid(const Value &value, const TensorDesc &desc);
  /// `weights`, a view of an operand, in `format`. If the operand is constant,
  /// it is packed once, at load. Otherwise an added step packs it.
  StatusOr<Argument> packed(int id, const Value &weights,
                            const dnnl::memory::desc &format);

  /// Bytes that `derive` computes once from the constant operand `weights`. For
  /// equal weights and keys, `derive` must compute equal bytes.
  StatusOr<const void *>
  derived(const Value &weights, const std::string &key, size_t bytes,
          const std::function<void(const void *from, void *to)> &derive);

  /// Adds a primitive.
  void add(const dnnl::primitive_desc_base &desc,
           std::vector<Argument> arguments);
  /// Adds a loop, which has the name `name` in reports. A loop without parts
  /// runs on one thread.
  void add(std::string name, TeamLoop loop, std::vector<Value> values,
           bool hasParts = true);

  /// The kernel that runs the steps added so far.
  std::unique_ptr<Kernel> finish();

private:
  struct Step {
    dnnl::primitive_desc_base desc;
    std::vector<Argument> arguments;
    /// The loop of a step without a primitive.
    TeamLoop loop;
    std::string name;
    std::vector<Value> values;
    bool hasParts = true;
  };

  Value workspace(size_t bytes);

  PrepareContext &context;
  int threads;
  std::vector<Step> steps;
  std::vector<std::unique_ptr<std::vector<float>>> constants;
  size_t temporaryBytes = 0;
};

/// The frame of every prepare function. Calls `check`, then lets `build` add
/// primitives to a builder for a team of the device's size, or for one thread
/// if bytes and `flops` are too few. Turns every failure into a Status that
/// names the kernel and its shapes.
StatusOr<std::unique_ptr<Kernel>>
prepareWith(const KernelSpec &spec, PrepareContext &context, CheckFn check,
            Status (*build)(KernelBuilder &builder), double flops = 0);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_KERNELBUILDER_H
