//===- Reduction.cpp - The kernel reduction ---------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// oneDNN's fast code reduces the innermost dims of a dense tensor. If an
// operand has another form, it is first copied to this form.
//
//===----------------------------------------------------------------------===//

#include "Pointwise.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

/// For each dim of the operand, whether it is reduced.
static StatusOr<std::vector<bool>> readAxes(const KernelSpec &spec) {
  const Dims &axes = spec.attrs.ints("axes");
  std::vector<bool> reduced(spec.operands[0].rank(), axes.empty());
  for (int64_t axis : axes) {
    WEIR_ASSIGN_OR_RETURN(int64_t dim, resolveAxis(spec, axis));
    reduced[dim] = true;
  }
  return reduced;
}

/// The result with a dim of size 1 for every reduced dim, whether the spec
/// keeps such dims or not.
static StatusOr<TensorDesc> keepDims(const KernelSpec &spec,
                                     const std::vector<bool> &reduced) {
  const TensorDesc &operand = spec.operands[0], &result = spec.results[0];
  bool kept = result.dims.size() == operand.dims.size();
  TensorDesc view{result.type, {}, {}};
  size_t next = 0;
  for (size_t i = 0; i < reduced.size(); ++i) {
    bool isThere = kept || !reduced[i];
    if (isThere && next >= result.dims.size())
      return invalidArgument("expected a result with the dims that remain");
    view.dims.push_back(isThere ? result.dims[next] : 1);
    view.strides.push_back(isThere ? result.strides[next] : 1);
    next += isThere;
    if (view.dims[i] != (reduced[i] ? 1 : operand.dims[i]))
      return invalidArgument("expected a result with the dims that remain");
  }
  if (next != result.dims.size())
    return invalidArgument("expected a result with the dims that remain");
  return view;
}

/// Reduces each row of `from`. The library refuses rows of one element, which
/// are their own reduction.
static void addRows(KernelBuilder &builder, dnnl::algorithm kind,
                    const Value &from, const Value &to) {
  int64_t rows = to.desc.numElements();
  int64_t columns = from.desc.numElements() / rows;
  TensorDesc matrix = TensorDesc::rowMajor(from.desc.type, {rows, columns});
  TensorDesc column = TensorDesc::rowMajor(to.desc.type, {rows, 1});
  if (columns == 1)
    return builder.copy(from.as(matrix), to.as(column));
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::reduction::primitive_desc desc(cpuEngine(), kind, memoryDesc(matrix),
                                       memoryDesc(column), 0.0f, 0.0f, attr);
  builder.add(desc,
              {{DNNL_ARG_SRC, from.as(matrix)}, {DNNL_ARG_DST, to.as(column)}});
}

static Status buildReduction(KernelBuilder &builder) {
  const KernelSpec &spec = builder.spec;
  WEIR_ASSIGN_OR_RETURN(dnnl::algorithm kind,
                        findAlgorithm(spec.attrs.textOr("algorithm", "")));
  WEIR_ASSIGN_OR_RETURN(std::vector<bool> reduced, readAxes(spec));
  WEIR_ASSIGN_OR_RETURN(TensorDesc kept, keepDims(spec, reduced));
  const TensorDesc &operand = spec.operands[0];
  std::vector<int> order = memoryOrder(kept);
  std::stable_partition(order.begin(), order.end(),
                        [&](int dim) { return !reduced[dim]; });
  // The reduced dims come last, in their order in memory. So no copy is needed
  // if they are innermost already.
  std::vector<int> stored = memoryOrder(operand);
  std::copy_if(stored.begin(), stored.end(),
               order.end() - std::count(reduced.begin(), reduced.end(), true),
               [&](int dim) { return reduced[dim]; });

  Value from = builder.relaid(builder.operand(0),
                              denseInOrder(operand.type, operand.dims, order));
  TensorDesc dense = denseInOrder(kept.type, kept.dims, order);
  Value result = builder.result().as(kept);
  Value to = sameLayout(kept, dense) ? result : builder.temporary(dense);
  addRows(builder, kind, from, to);
  if (to.place == Value::Place::Workspace)
    builder.copy(to, result);
  addEpilogues(builder, builder.result(), builder.epilogues());
  return Status::ok();
}

namespace weir::cpu {

Status checkReduction(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 1, 1));
  WEIR_RETURN_IF_ERROR(expectFastFloats(spec));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  WEIR_RETURN_IF_ERROR(
      findAlgorithm(spec.attrs.textOr("algorithm", "")).status());
  WEIR_ASSIGN_OR_RETURN(std::vector<bool> reduced, readAxes(spec));
  WEIR_RETURN_IF_ERROR(keepDims(spec, reduced).status());
  if (spec.operands[0].numElements() == 0 && spec.results[0].numElements() != 0)
    return unimplemented("expected at least one element to reduce");
  return Status::ok();
}

StatusOr<std::unique_ptr<Kernel>> prepareReduction(const KernelSpec &spec,
                                                   PrepareContext &context) {
  return prepareWith(spec, context, checkReduction, buildReduction);
}

} // namespace weir::cpu
