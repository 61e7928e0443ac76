//===- KernelBuilder.cpp - Builds a kernel from oneDNN primitives ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "../../OpenMP/Team.h"
#include "PrimitiveKernel.h"
#include "Widened.h"

#include "weir/Support/Alignment.h"
#include "weir/Support/LibraryCode.h"

#include <algorithm>
#include <new>
#include <stdexcept>

using namespace weir;
using namespace weir::cpu;

bool cpu::isReference(const dnnl::primitive_desc_base &desc) {
  return std::string_view(desc.impl_info_str()).find("ref:") !=
         std::string_view::npos;
}

/// Makes the engine, and releases memory of the library. When the library is
/// loaded, it runs hundreds of constructors. The constructors touch a fourth of
/// the 40 MB of code, and are not used again.
static dnnl::engine makeEngine() {
  releaseLibraryCode(reinterpret_cast<const void *>(&dnnl_engine_create));
  return dnnl::engine(dnnl::engine::kind::cpu, 0);
}

const dnnl::engine &cpu::cpuEngine() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static const dnnl::engine &engine = *new dnnl::engine(makeEngine());
  return engine;
}

static constexpr size_t workspaceAlignment = 64;

Value KernelBuilder::operand(int index) const {
  return {Value::Place::Buffer, static_cast<size_t>(index), 0, nullptr,
          spec.operands[index]};
}

Value KernelBuilder::result(size_t index) const {
  return {Value::Place::Buffer, spec.operands.size() + index, 0, nullptr,
          spec.results[index]};
}

std::vector<Epilogue> KernelBuilder::epilogues() const {
  std::vector<Epilogue> epilogues;
  for (const PostOp &op : spec.postOps) {
    Epilogue epilogue{op, {}};
    if (op.operand >= 0) {
      epilogue.value = operand(op.operand);
      epilogue.value.desc =
          broadcastTo(epilogue.value.desc, spec.results.front().dims);
    }
    epilogues.push_back(std::move(epilogue));
  }
  return epilogues;
}

Value KernelBuilder::workspace(size_t bytes) {
  Value value{Value::Place::Workspace, 0, temporaryBytes, nullptr, {}};
  temporaryBytes += alignTo(bytes, workspaceAlignment);
  return value;
}

Value KernelBuilder::temporary(const TensorDesc &desc) {
  return workspace(desc.spanBytes()).as(desc);
}

Value KernelBuilder::constant(std::vector<float> values, TensorDesc desc) {
  constants.push_back(std::make_unique<std::vector<float>>(std::move(values)));
  return {Value::Place::Constant, 0, 0, constants.back()->data(),
          std::move(desc)};
}

/// `desc` for a copy that keeps the type. oneDNN lacks types of eight bytes, so
/// each element becomes a pair of i32.
static TensorDesc inWords(TensorDesc desc) {
  if (byteSize(desc.type) != 8)
    return desc;
  for (int64_t &stride : desc.strides)
    stride *= 2;
  desc.dims.push_back(2);
  desc.strides.push_back(1);
  desc.type = DType::I32;
  return desc;
}

void KernelBuilder::copy(const Value &from, const Value &to) {
  std::vector<TensorDesc> merged =
      mergeDims({to.desc, broadcastTo(from.desc, to.desc.dims)});
  TensorDesc destination = inWords(merged[0]), source = inWords(merged[1]);
  Value fromView = from.as(source), toView = to.as(destination);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::reorder::primitive_desc desc(cpuEngine(), memoryDesc(source),
                                     cpuEngine(), memoryDesc(destination),
                                     attr);
  add(desc, {{DNNL_ARG_FROM, fromView}, {DNNL_ARG_TO, toView}});
}

Value KernelBuilder::relaid(const Value &value, const TensorDesc &desc) {
  if (sameLayout(value.desc, desc))
    return value.as(desc);
  Value copied = temporary(desc);
  copy(value, copied);
  return copied;
}

namespace {

/// A reorder of constant weights that needs little more memory than its result:
/// it reads and packs slice by slice.
class Packer {
public:
  Packer(const TensorDesc &view, const dnnl::memory::desc &format)
      : view(view), format(format) {
    chooseSlices();
  }

  Status pack(ConstantReader &from, void *packed) const;

private:
  void chooseSlices();

  const TensorDesc &view;
  const dnnl::memory::desc &format;
  /// The dim that is divided, and the size of a slice.
  size_t dim = 0;
  int64_t step = 0;
};

} // namespace

/// Divides the dim with the largest stride in the source, so that a slice is
/// contiguous. Slices begin at multiples of the format's blocks.
void Packer::chooseSlices() {
  constexpr size_t sliceBytes = size_t(2) << 20;
  for (size_t i = 0; i < view.dims.size(); ++i)
    if (view.strides[i] > view.strides[dim])
      dim = i;
  if (view.dims.empty() || view.dims[dim] == 0 ||
      format.get_format_kind() != dnnl::memory::format_kind::blocked)
    return;
  int64_t block = 1;
  for (int i = 0; i < format.get_inner_nblks(); ++i)
    if (format.get_inner_idxs()[i] == static_cast<dnnl_dim_t>(dim))
      block *= format.get_inner_blks()[i];
  const size_t rowBytes =
      static_cast<size_t>(view.strides[dim]) * byteSize(view.type);
  const auto rows =
      static_cast<int64_t>(sliceBytes / std::max<size_t>(rowBytes, 1));
  step = std::max<int64_t>(rows / block, 1) * block;
}

static void reorder(const TensorDesc &view, const void *bytes,
                    const dnnl::memory::desc &format, void *packed) {
  dnnl::stream stream(cpuEngine());
  dnnl::memory from(memoryDesc(view), cpuEngine(), const_cast<void *>(bytes));
  dnnl::memory to(format, cpuEngine(), packed);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
}

Status Packer::pack(ConstantReader &from, void *packed) const {
  const int64_t size = view.dims.empty() ? 0 : view.dims[dim];
  if (step == 0 || size <= step) {
    WEIR_ASSIGN_OR_RETURN(const void *bytes, from.read(0, view.spanBytes()));
    reorder(view, bytes, format, packed);
    return Status::ok();
  }
  const size_t rowBytes =
      static_cast<size_t>(view.strides[dim]) * byteSize(view.type);
  TensorDesc slice = view;
  slice.dims[dim] = step;
  dnnl::memory::dims offset(view.dims.size(), 0);
  const dnnl::memory::desc first = format.submemory_desc(slice.dims, offset);
  const size_t packedSize =
      dnnl::memory::data_type_size(format.get_data_type());
  for (int64_t at = 0; at < size; at += step) {
    slice.dims[dim] = std::min(step, size - at);
    offset[dim] = at;
    WEIR_ASSIGN_OR_RETURN(
        const void *bytes,
        from.read(static_cast<size_t>(at) * rowBytes, slice.spanBytes()));
    const dnnl::memory::desc part = format.submemory_desc(slice.dims, offset);
    // oneDNN makes one primitive for all slices of one size and offset.
    if (slice.dims[dim] == step)
      reorder(slice, bytes, first,
              static_cast<std::byte *>(packed) +
                  static_cast<size_t>(part.get_submemory_offset()) *
                      packedSize);
    else
      reorder(slice, bytes, part, packed);
  }
  return Status::ok();
}

static Status packInto(void *packed, const dnnl::memory::desc &format,
                       ConstantReader &from, const TensorDesc &view) {
  try {
    return Packer(view, format).pack(from, packed);
  } catch (const dnnl::error &error) {
    return translate(error).withContext("packing constant weights");
  }
}

StatusOr<const void *> KernelBuilder::derived(
    const Value &weights, const std::string &key, size_t bytes,
    const std::function<void(const void *from, void *to)> &derive) {
  const int index = static_cast<int>(weights.index);
  auto pack = [&](ConstantReader &from, void *to) -> Status {
    WEIR_ASSIGN_OR_RETURN(const void *operand,
                          from.read(0, weights.desc.spanBytes()));
    try {
      derive(operand, to);
      return Status::ok();
    } catch (const dnnl::error &error) {
      return translate(error).withContext("packing constant weights");
    }
  };
  return context.packedOperand(
      index, formatKey(memoryDesc(weights.desc)) + " as " + key, bytes, pack);
}

StatusOr<Argument> KernelBuilder::packed(int id, const Value &weights,
                                         const dnnl::memory::desc &format) {
  if (memoryDesc(weights.desc) == format)
    return Argument(id, weights);
  int index = static_cast<int>(weights.index);
  if (!context.isConstant(index)) {
    Argument copied(id, workspace(format.get_size()).as(weights.desc), format);
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::reorder::primitive_desc desc(cpuEngine(), memoryDesc(weights.desc),
                                       cpuEngine(), format, attr);
    add(desc, {{DNNL_ARG_FROM, weights}, {DNNL_ARG_TO, copied.value, format}});
    return copied;
  }
  std::string key =
      formatKey(memoryDesc(weights.desc)) + " packed as " + formatKey(format);
  auto pack = [&](ConstantReader &from, void *to) {
    return packInto(to, format, from, weights.desc);
  };
  WEIR_ASSIGN_OR_RETURN(
      const void *packedBytes,
      context.packedOperand(index, key, format.get_size(), pack));
  Value value{Value::Place::Constant, 0, 0, packedBytes, weights.desc};
  return Argument(id, value, format);
}

void KernelBuilder::add(const dnnl::primitive_desc_base &desc,
                        std::vector<Argument> arguments) {
  steps.push_back({desc, std::move(arguments), {}, {}, {}, true});
}

void KernelBuilder::add(std::string name, TeamLoop loop,
                        std::vector<Value> values, bool hasParts) {
  steps.push_back(
      {{}, {}, std::move(loop), std::move(name), std::move(values), hasParts});
}

std::unique_ptr<Kernel> KernelBuilder::finish() {
  auto kernel = std::make_unique<PrimitiveKernel>(std::move(constants));
  // The scratchpad follows the temporaries. Steps run one after the other, so
  // they share it.
  Value scratchpad{Value::Place::Workspace, 0, temporaryBytes, nullptr, {}};
  size_t scratchpadBytes = 0;
  for (Step &step : steps) {
    if (step.loop) {
      kernel->add(std::move(step.name), std::move(step.loop), step.values,
                  step.hasParts);
      continue;
    }
    dnnl::memory::desc format = step.desc.scratchpad_desc();
    if (format.get_size() != 0) {
      step.arguments.emplace_back(DNNL_ARG_SCRATCHPAD, scratchpad, format);
      scratchpadBytes = std::max(scratchpadBytes, format.get_size());
    }
    kernel->add(step.desc, step.arguments);
  }
  kernel->setWorkspaceBytes(temporaryBytes + scratchpadBytes);
  return kernel;
}

static bool isEmpty(const KernelSpec &spec) {
  for (const TensorDesc &desc : spec.results)
    if (desc.numElements() != 0)
      return false;
  return true;
}

static StatusOr<std::unique_ptr<Kernel>>
buildAndFinish(const KernelSpec &spec, PrepareContext &context,
               Status (*build)(KernelBuilder &), double flops) {
  try {
    const int threads = worthwhileThreads(spec, flops, context.numThreads());
    const TeamSize team(threads);
    KernelBuilder builder(spec, context, threads);
    // If there is nothing to compute, the library is not used: it refuses some
    // primitives without elements.
    if (!isEmpty(spec))
      WEIR_RETURN_IF_ERROR(build(builder));
    return builder.finish();
  } catch (const dnnl::error &error) {
    return translate(error);
  } catch (const std::bad_alloc &) {
    return resourceExhausted("out of memory while a kernel was prepared");
  } catch (const std::length_error &) {
    return resourceExhausted("a kernel needs more memory than there can be");
  }
}

StatusOr<std::unique_ptr<Kernel>>
cpu::prepareWith(const KernelSpec &spec, PrepareContext &context, CheckFn check,
                 Status (*build)(KernelBuilder &), double flops) {
  auto prepare = [&](const KernelSpec &which, PrepareContext &with) {
    return buildAndFinish(which, with, build, flops);
  };
  auto prepareChecked = [&]() -> StatusOr<std::unique_ptr<Kernel>> {
    WEIR_RETURN_IF_ERROR(check(spec));
    WEIR_RETURN_IF_ERROR(checkMachine(spec));
    return mustWiden(spec) ? prepareWidened(spec, context, prepare)
                           : prepare(spec, context);
  };
  StatusOr<std::unique_ptr<Kernel>> kernel = prepareChecked();
  if (!kernel)
    return std::move(kernel).status().withContext(describe(spec));
  return kernel;
}
