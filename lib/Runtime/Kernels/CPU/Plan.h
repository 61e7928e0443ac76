//===- Plan.h - Building a kernel from oneDNN primitives -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A prepare function writes down a short list of primitives over values; the
// plan gives them workspace and scratchpad and turns the list into a Kernel
// whose run only stores changed pointers and calls the library.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_PLAN_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_PLAN_H

#include "Layout.h"
#include "Status.h"
#include "TeamSize.h"

#include "weir/Runtime/Kernel.h"

#include <dnnl.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weir::cpu {

/// A tensor that a primitive reads or writes, and where it is at a launch.
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

  /// The same bytes, seen as `view`.
  Value as(TensorDesc view) const {
    Value value = *this;
    value.desc = std::move(view);
    return value;
  }
  /// What starts `elements` elements further on, seen as `view`.
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

/// A post-op of the spec and the value it reads, broadcast to the result's dims
/// (stride 0 where repeated); meaningless for an eltwise post-op.
struct Epilogue {
  PostOp op;
  Value value;
};

/// Makes a primitive descriptor under the attributes it is given.
using DescMaker =
    std::function<dnnl::primitive_desc(const dnnl::primitive_attr &)>;

/// A step in code of our own: does part `thread` of `numThreads` of the work on
/// the bytes of the values that it was added with. Must not throw.
using TeamLoop = std::function<dnnl_status_t(int thread, int numThreads,
                                             std::byte *const *bytes)>;

/// Whether oneDNN would run its plain scalar code, which is right but slow.
bool isReference(const dnnl::primitive_desc_base &desc);

/// The engine that all kernels of the process share.
const dnnl::engine &cpuEngine();

class Plan {
public:
  Plan(const KernelSpec &spec, PrepareContext &context, int threads)
      : spec(spec), context(context), threads(threads) {}

  const KernelSpec &spec;

  /// Of the team that the kernel will run on.
  int numThreads() const { return threads; }

  Value operand(int index) const;
  /// Whether operand `index` is there and belongs to the kernel itself, not to
  /// a post-op.
  bool hasOwnOperand(int index) const {
    return cpu::hasOwnOperand(spec, index);
  }
  /// Whether the bytes of operand `index` are known and never change.
  bool isConstant(int index) const {
    return context.constantOperand(index) != nullptr;
  }
  Value result() const;
  /// The spec's post-ops with their operands.
  std::vector<Epilogue> epilogues() const;

  /// Workspace for a tensor; its contents live for one launch.
  Value temporary(const TensorDesc &desc);
  /// Workspace that is no tensor.
  Value scratch(size_t bytes) { return workspace(bytes); }
  /// Floats that are part of the kernel.
  Value constant(std::vector<float> values, TensorDesc desc);

  /// Adds a step that copies `from` to `to`, converting type and layout.
  void copy(const Value &from, const Value &to);
  /// `value` in the type and layout `desc`: itself, or a copy made by a step.
  Value relaid(const Value &value, const TensorDesc &desc);
  /// `weights`, a view of an operand, in `format`: packed once at load if the
  /// operand is constant, else by a step.
  StatusOr<Argument> packed(int id, const Value &weights,
                            const dnnl::memory::desc &format);

  /// What `derive` computes, once, from the constant operand `weights`; for
  /// each `key` other bytes.
  StatusOr<const void *>
  derived(const Value &weights, const std::string &key, size_t bytes,
          const std::function<void(const void *from, void *to)> &derive);

  /// Adds a primitive.
  void add(const dnnl::primitive_desc_base &desc,
           std::vector<Argument> arguments);
  /// Adds a loop called `name` in reports. One that has no parts is run without
  /// a team.
  void add(std::string name, TeamLoop loop, std::vector<Value> values,
           bool hasParts = true);

  /// The kernel that runs the steps added so far.
  std::unique_ptr<Kernel> finish();

private:
  struct Step {
    dnnl::primitive_desc_base desc;
    std::vector<Argument> arguments;
    /// Instead of a primitive.
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

/// What every prepare function is: asks `check`, builds the plan with `build`
/// on a team of the device's size, or on one thread where bytes and `flops` are
/// worth no more, and turns every failure into a Status that names the kernel
/// and its shapes.
StatusOr<std::unique_ptr<Kernel>>
prepareWith(const KernelSpec &spec, PrepareContext &context, CheckFn check,
            Status (*build)(Plan &plan), double flops = 0);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_PLAN_H
