//===- Pointwise.cpp - Element-wise steps -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// oneDNN's pointwise primitives are fast on dense tensors and a few patterns of
// broadcasting. The order of dims does not matter here, so dims are merged
// first. If the merged dims are no fast pattern, an operand is copied to the
// destination's layout. The library's reorder is fast for any strides.
//
//===----------------------------------------------------------------------===//

#include "Pointwise.h"

#include "Gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;
using dnnl::algorithm;

namespace {
struct AlgorithmName {
  std::string_view name;
  algorithm value;
};
} // namespace

static constexpr AlgorithmName algorithms[] = {
    {"binary_add", algorithm::binary_add},
    {"binary_div", algorithm::binary_div},
    {"binary_eq", algorithm::binary_eq},
    {"binary_ge", algorithm::binary_ge},
    {"binary_gt", algorithm::binary_gt},
    {"binary_le", algorithm::binary_le},
    {"binary_lt", algorithm::binary_lt},
    {"binary_max", algorithm::binary_max},
    {"binary_min", algorithm::binary_min},
    {"binary_mul", algorithm::binary_mul},
    {"binary_ne", algorithm::binary_ne},
    {"binary_sub", algorithm::binary_sub},
    {"eltwise_abs", algorithm::eltwise_abs},
    {"eltwise_clip", algorithm::eltwise_clip},
    {"eltwise_elu", algorithm::eltwise_elu},
    {"eltwise_exp", algorithm::eltwise_exp},
    {"eltwise_gelu_erf", algorithm::eltwise_gelu_erf},
    {"eltwise_gelu_tanh", algorithm::eltwise_gelu_tanh},
    {"eltwise_hardsigmoid", algorithm::eltwise_hardsigmoid},
    {"eltwise_hardswish", algorithm::eltwise_hardswish},
    {"eltwise_linear", algorithm::eltwise_linear},
    {"eltwise_log", algorithm::eltwise_log},
    {"eltwise_logistic", algorithm::eltwise_logistic},
    {"eltwise_mish", algorithm::eltwise_mish},
    {"eltwise_pow", algorithm::eltwise_pow},
    {"eltwise_relu", algorithm::eltwise_relu},
    {"eltwise_round", algorithm::eltwise_round},
    {"eltwise_soft_relu", algorithm::eltwise_soft_relu},
    {"eltwise_sqrt", algorithm::eltwise_sqrt},
    {"eltwise_square", algorithm::eltwise_square},
    {"eltwise_swish", algorithm::eltwise_swish},
    {"eltwise_tanh", algorithm::eltwise_tanh},
    {"reduction_max", algorithm::reduction_max},
    {"reduction_mean", algorithm::reduction_mean},
    {"reduction_min", algorithm::reduction_min},
    {"reduction_mul", algorithm::reduction_mul},
    {"reduction_sum", algorithm::reduction_sum},
};

StatusOr<algorithm> cpu::findAlgorithm(std::string_view name) {
  std::string_view prefix = name.substr(0, name.find('_') + 1);
  std::vector<std::string_view> related;
  for (const AlgorithmName &entry : algorithms) {
    if (entry.name == name)
      return entry.value;
    if (entry.name.substr(0, prefix.size()) == prefix)
      related.push_back(entry.name);
  }
  return invalidArgument(fmt::format("unknown algorithm '{}', expected one of "
                                     "{}",
                                     name, fmt::join(related, ", ")));
}

static bool isBinary(const PostOp &op) { return op.operand >= 0; }

Status cpu::checkPostOps(const KernelSpec &spec) {
  for (const PostOp &op : spec.postOps) {
    if (isGate(op.algorithm))
      WEIR_RETURN_IF_ERROR(checkGate(spec));
    else
      WEIR_RETURN_IF_ERROR(findAlgorithm(op.algorithm).status());
    bool reads = op.algorithm.substr(0, 7) == "binary_";
    if (reads != isBinary(op) ||
        op.operand >= static_cast<int>(spec.operands.size()))
      return invalidArgument(fmt::format(
          "post-op '{}' with operand {}: expected {}", op.algorithm, op.operand,
          reads ? "the index of an operand" : "operand -1"));
  }
  return Status::ok();
}

static algorithm knownAlgorithm(std::string_view name) {
  StatusOr<algorithm> found = findAlgorithm(name);
  if (!found)
    throw dnnl::error(dnnl_invalid_arguments, "an unknown algorithm");
  return *found;
}

/// The value alpha of `op` for oneDNN, which refuses a lower limit above the
/// upper limit. In that case the upper limit wins.
static float alphaOf(const PostOp &op) {
  bool isClip = op.algorithm == "eltwise_clip";
  return static_cast<float>(isClip ? std::min(op.alpha, op.beta) : op.alpha);
}

/// Attributes that fuse `epilogues`. The values of these are already views in
/// the primitive's dims.
static dnnl::primitive_attr fusing(std::span<const Epilogue> epilogues) {
  dnnl::post_ops ops;
  for (const Epilogue &epilogue : epilogues) {
    if (isGate(epilogue.op.algorithm))
      throw dnnl::error(dnnl_unimplemented, "a step of Weir's own");
    algorithm kind = knownAlgorithm(epilogue.op.algorithm);
    if (isBinary(epilogue.op))
      ops.append_binary(kind, memoryDesc(epilogue.value.desc));
    else
      ops.append_eltwise(kind, alphaOf(epilogue.op),
                         static_cast<float>(epilogue.op.beta));
  }
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_post_ops(ops);
  return attr;
}

static void appendArguments(std::vector<Argument> &arguments,
                            std::span<const Epilogue> fused) {
  for (size_t i = 0; i < fused.size(); ++i)
    if (isBinary(fused[i].op))
      arguments.emplace_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(i)) |
                                 DNNL_ARG_SRC_1,
                             fused[i].value);
}

/// A fast primitive with `fused` as post-ops, or nothing.
static std::optional<dnnl::primitive_desc>
makeFast(const DescMaker &make, std::span<const Epilogue> fused) {
  try {
    dnnl::primitive_desc desc = make(fusing(fused));
    if (!isReference(desc))
      return desc;
  } catch (const dnnl::error &error) {
    if (error.status != dnnl_unimplemented)
      throw;
  }
  return std::nullopt;
}

void cpu::addEpilogues(KernelBuilder &builder, const Value &value,
                       std::span<const Epilogue> epilogues) {
  if (epilogues.empty())
    return;
  const Epilogue &first = epilogues.front();
  std::span<const Epilogue> rest = epilogues.subspan(1);
  if (isGate(first.op.algorithm)) {
    addGate(builder, first.op, value, first.value, value);
    addEpilogues(builder, value, rest);
  } else if (isBinary(first.op))
    addBinary(builder, knownAlgorithm(first.op.algorithm), value, first.value,
              value, rest);
  else
    addEltwise(builder, first.op, value, value, rest);
}

Status cpu::addFused(KernelBuilder &builder, const DescMaker &make,
                     const std::function<StatusOr<std::vector<Argument>>(
                         const dnnl::primitive_desc &)> &arguments,
                     const Value &result, std::span<const Epilogue> epilogues,
                     const EpilogueView &view) {
  std::vector<Epilogue> fused;
  for (const Epilogue &epilogue : epilogues) {
    std::optional<Value> seen = epilogue.value;
    if (isBinary(epilogue.op))
      seen = view(epilogue.value);
    if (!seen)
      break;
    fused.push_back({epilogue.op, *seen});
  }
  std::optional<dnnl::primitive_desc> desc = makeFast(make, fused);
  while (!desc && !fused.empty()) {
    fused.pop_back();
    desc = makeFast(make, fused);
  }
  if (!desc)
    desc = make(fusing({}));
  WEIR_ASSIGN_OR_RETURN(std::vector<Argument> bound, arguments(*desc));
  appendArguments(bound, fused);
  builder.add(*desc, std::move(bound));
  addEpilogues(builder, result, epilogues.subspan(fused.size()));
  return Status::ok();
}

/// The descriptors of the destination, the sources and the fused operands in
/// their common merged dims.
static std::vector<TensorDesc> mergedDescs(const Value &destination,
                                           std::span<const Value> sources,
                                           std::span<const Epilogue> fused) {
  std::vector<TensorDesc> descs{destination.desc};
  for (const Value &source : sources)
    descs.push_back(source.desc);
  for (const Epilogue &epilogue : fused)
    if (isBinary(epilogue.op))
      descs.push_back(epilogue.value.desc);
  std::vector<TensorDesc> merged = mergeDims(std::move(descs));
  // oneDNN's code for comparisons treats a tensor of one dim as a padded one.
  if (merged[0].dims.size() == 1)
    for (TensorDesc &desc : merged) {
      desc.strides.insert(desc.strides.begin(), desc.dims[0] * desc.strides[0]);
      desc.dims.insert(desc.dims.begin(), 1);
    }
  return merged;
}

namespace {
/// A pointwise primitive in merged dims.
struct Merged {
  Value destination;
  std::vector<Value> sources;
  std::vector<Epilogue> fused;
};
} // namespace

/// Whether oneDNN's pointwise code reads `desc`, in merged dims, correctly: it
/// must be dense.
static bool isCompact(const TensorDesc &desc) {
  return cutRepeated(desc).isRowMajor();
}

/// The views of one pointwise primitive, or nothing if a view is not dense.
static std::optional<Merged> mergeViews(const Value &destination,
                                        std::span<const Value> sources,
                                        std::span<const Epilogue> fused) {
  std::vector<TensorDesc> descs = mergedDescs(destination, sources, fused);
  if (!std::all_of(descs.begin(), descs.end(), isCompact))
    return std::nullopt;
  Merged merged{destination.as(descs[0]), {}, {}};
  size_t next = 1;
  for (const Value &source : sources)
    merged.sources.push_back(source.as(cutRepeated(descs[next++])));
  for (const Epilogue &epilogue : fused) {
    merged.fused.push_back(epilogue);
    if (isBinary(epilogue.op))
      merged.fused.back().value = epilogue.value.as(cutRepeated(descs[next++]));
  }
  return merged;
}

/// Adds one pointwise primitive, if a fast one supports `fused` as post-ops.
static bool
tryPointwise(KernelBuilder &builder, const Value &destination,
             std::span<const Value> sources, std::span<const Epilogue> fused,
             const std::function<dnnl::primitive_desc(
                 const Merged &, const dnnl::primitive_attr &)> &make,
             bool acceptReference = false) {
  std::optional<Merged> merged = mergeViews(destination, sources, fused);
  if (!merged)
    return false;
  auto makeMerged = [&](const dnnl::primitive_attr &attr) {
    return make(*merged, attr);
  };
  std::optional<dnnl::primitive_desc> desc =
      acceptReference ? makeMerged(fusing(merged->fused))
                      : makeFast(makeMerged, merged->fused);
  if (!desc)
    return false;
  std::vector<Argument> arguments{{DNNL_ARG_DST, merged->destination}};
  for (size_t i = 0; i < sources.size(); ++i)
    arguments.emplace_back(i == 0 ? DNNL_ARG_SRC_0 : DNNL_ARG_SRC_1,
                           merged->sources[i]);
  appendArguments(arguments, merged->fused);
  builder.add(*desc, std::move(arguments));
  return true;
}

/// Copies full-size operands of `epilogues` to the layout of `destination`.
static std::vector<Epilogue> relayEpilogues(KernelBuilder &builder,
                                            const Value &destination,
                                            std::span<const Epilogue> list) {
  std::vector<Epilogue> relaid(list.begin(), list.end());
  for (Epilogue &epilogue : relaid) {
    TensorDesc wanted = destination.desc;
    wanted.type = epilogue.value.desc.type;
    if (isBinary(epilogue.op) && !hasRepeated(epilogue.value.desc))
      epilogue.value = builder.relaid(epilogue.value, wanted);
  }
  return relaid;
}

void cpu::addEltwise(KernelBuilder &builder, const PostOp &op,
                     const Value &source, const Value &destination,
                     std::span<const Epilogue> epilogues) {
  if (!isDense(destination.desc)) {
    Value dense = builder.temporary(denseLike(
        destination.desc.type, destination.desc.dims, destination.desc));
    addEltwise(builder, op, source, dense, epilogues);
    builder.copy(dense, destination);
    return;
  }
  Value from =
      builder.relaid(source.as(broadcastTo(source.desc, destination.desc.dims)),
                     destination.desc);
  std::vector<Epilogue> relaid =
      relayEpilogues(builder, destination, epilogues);
  auto make = [&](const Merged &merged, const dnnl::primitive_attr &attr) {
    return dnnl::eltwise_forward::primitive_desc(
        cpuEngine(), dnnl::prop_kind::forward_inference,
        knownAlgorithm(op.algorithm), memoryDesc(merged.sources[0].desc),
        memoryDesc(merged.destination.desc), alphaOf(op),
        static_cast<float>(op.beta), attr);
  };
  std::span<const Epilogue> fused = relaid;
  while (!tryPointwise(builder, destination, {&from, 1}, fused, make)) {
    if (fused.empty()) {
      tryPointwise(builder, destination, {&from, 1}, {}, make, true);
      break;
    }
    fused = fused.first(fused.size() - 1);
  }
  addEpilogues(builder, destination,
               std::span<const Epilogue>(relaid).subspan(fused.size()));
}

/// Whether the operands may be exchanged. If those of a subtraction are
/// exchanged, its result is negated.
static bool isExchangeable(algorithm kind) {
  switch (kind) {
  case algorithm::binary_add:
  case algorithm::binary_eq:
  case algorithm::binary_max:
  case algorithm::binary_min:
  case algorithm::binary_mul:
  case algorithm::binary_ne:
  case algorithm::binary_sub:
    return true;
  default:
    return false;
  }
}

/// `value` in the layout of `destination`, in its own type.
static Value expand(KernelBuilder &builder, const Value &value,
                    const Value &destination) {
  TensorDesc wanted = destination.desc;
  wanted.type = value.desc.type;
  return builder.relaid(value, wanted);
}

/// Adds one binary step. If no fast code can read `rhs`, `rhs` is copied to the
/// destination's layout. Returns the number of fused epilogues.
static size_t addOneBinary(KernelBuilder &builder, algorithm kind,
                           const Value &lhs, Value rhs,
                           const Value &destination,
                           std::span<const Epilogue> epilogues) {
  auto make = [&](const Merged &merged, const dnnl::primitive_attr &attr) {
    return dnnl::binary::primitive_desc(
        cpuEngine(), kind, memoryDesc(merged.sources[0].desc),
        memoryDesc(merged.sources[1].desc), memoryDesc(merged.destination.desc),
        attr);
  };
  for (int attempt = 0; attempt < 2; ++attempt) {
    Value sources[] = {lhs, rhs};
    for (size_t fused = epilogues.size() + 1; fused-- > 0;)
      if (tryPointwise(builder, destination, sources, epilogues.first(fused),
                       make))
        return fused;
    rhs = expand(builder, rhs, destination);
  }
  Value sources[] = {lhs, rhs};
  tryPointwise(builder, destination, sources, {}, make, true);
  return 0;
}

void cpu::addBinary(KernelBuilder &builder, algorithm kind, const Value &lhs,
                    const Value &rhs, const Value &destination,
                    std::span<const Epilogue> epilogues) {
  const Dims &dims = destination.desc.dims;
  if (!isDense(destination.desc)) {
    Value dense = builder.temporary(
        denseLike(destination.desc.type, dims, destination.desc));
    addBinary(builder, kind, lhs, rhs, dense, epilogues);
    builder.copy(dense, destination);
    return;
  }
  Value left = lhs.as(broadcastTo(lhs.desc, dims));
  Value right = rhs.as(broadcastTo(rhs.desc, dims));
  std::vector<Epilogue> relaid =
      relayEpilogues(builder, destination, epilogues);
  // For oneDNN, NaN is greater than every number, but never less. So the
  // operands of "greater" are exchanged.
  if (kind == algorithm::binary_gt || kind == algorithm::binary_ge) {
    std::swap(left, right);
    kind = kind == algorithm::binary_gt ? algorithm::binary_lt
                                        : algorithm::binary_le;
  }
  // oneDNN requires that its first operand is not broadcast.
  if (hasRepeated(left.desc) && !hasRepeated(right.desc) &&
      isExchangeable(kind)) {
    std::swap(left, right);
    if (kind == algorithm::binary_sub)
      relaid.insert(relaid.begin(),
                    Epilogue{{"eltwise_linear", -1, 0, -1}, Value()});
  }
  left = expand(builder, left, destination);
  if (!hasRepeated(right.desc))
    right = expand(builder, right, destination);
  size_t fused = addOneBinary(builder, kind, left, right, destination, relaid);
  addEpilogues(builder, destination,
               std::span<const Epilogue>(relaid).subspan(fused));
}
