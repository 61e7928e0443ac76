//===- CudnnAttention.cpp - Attention as a graph of cuDNN ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The limits are those of cuDNN 9.8 on all GPUs from sm_80 on. Newer versions
// take more.
//
//===----------------------------------------------------------------------===//

#include "CudnnAttention.h"

#include <cmath>
#include <fmt/format.h>

using namespace weir;
using Dims = std::vector<int64_t>;

namespace {

/// The dims of queries, keys, values, scores and results.
constexpr size_t batchDim = 0, headsDim = 1, rowsDim = 2, columnsDim = 3,
                 numDims = 4;
constexpr size_t queriesOperand = 0, keysOperand = 1, valuesOperand = 2,
                 maskOperand = 3;
/// A row of queries, keys or values has at most `longestRow` elements, a
/// multiple of `rowUnit`.
constexpr int64_t longestRow = 128, rowUnit = 8;
constexpr int64_t longestDim = INT32_MAX;
/// The most heads of a whole batch: the largest size of a grid in the dim that
/// counts them.
constexpr int64_t mostHeads = 65535;

/// `desc` with four dims.
StatusOr<TensorDesc> withFourDims(const TensorDesc &desc) {
  if (desc.dims.size() > numDims)
    return invalidArgument(
        fmt::format("cuDNN takes attention of at most {} dims, found {}",
                    numDims, desc.toString()));
  TensorDesc whole = desc;
  const size_t missing = numDims - desc.dims.size();
  whole.dims.insert(whole.dims.begin(), missing, 1);
  // Strides along dims of size 1 have no effect, but must be aligned, too.
  whole.strides.insert(whole.strides.begin(), missing,
                       static_cast<int64_t>(desc.numElements()));
  return whole;
}

std::string listTypes(const KernelSpec &spec) {
  std::string text;
  for (const TensorDesc &operand : spec.operands)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", operand.toString());
  return text;
}

Status checkTypes(const KernelSpec &spec) {
  const DType type = spec.operands[queriesOperand].type;
  if (type != DType::BF16 && type != DType::F16)
    return invalidArgument(fmt::format(
        "cuDNN takes attention of bf16 or f16, found {}", toString(type)));
  for (const TensorDesc *each :
       {&spec.operands[keysOperand], &spec.operands[valuesOperand],
        &spec.results[0]})
    if (each->type != type)
      return invalidArgument(fmt::format(
          "cuDNN takes queries, keys, values and results of one type, found {} "
          "and {}",
          toString(type), toString(each->type)));
  if (spec.operands.size() <= maskOperand)
    return Status::ok();
  const DType mask = spec.operands[maskOperand].type;
  if (mask != type && mask != DType::F32)
    return invalidArgument(
        fmt::format("cuDNN adds a mask of {} or f32 to the scores, found {}",
                    toString(type), toString(mask)));
  return Status::ok();
}

/// Checks that rows lie in memory as cuDNN loads them: 16 bytes at a time.
Status checkRows(const TensorDesc &desc) {
  const int64_t size = desc.dims[columnsDim];
  if (size < 1 || size > longestRow || size % rowUnit != 0)
    return invalidArgument(
        fmt::format("cuDNN takes rows of at most {} elements, a multiple of "
                    "{}, found {}",
                    longestRow, rowUnit, desc.toString()));
  for (size_t i = 0; i < numDims; ++i) {
    const bool isAligned =
        i == columnsDim ? desc.strides[i] == 1 : desc.strides[i] % rowUnit == 0;
    if (desc.dims[i] != 1 && !isAligned)
      return invalidArgument(fmt::format(
          "cuDNN takes rows that are contiguous and begin at multiples of {} "
          "elements, found {}",
          rowUnit, desc.toString()));
  }
  return Status::ok();
}

Status checkSizes(const std::vector<TensorDesc> &operands,
                  const TensorDesc &result) {
  const Dims &q = operands[queriesOperand].dims,
             &k = operands[keysOperand].dims, &v = operands[valuesOperand].dims;
  const bool fits =
      k[batchDim] == q[batchDim] && v[batchDim] == q[batchDim] &&
      (k[headsDim] == q[headsDim] || k[headsDim] == 1) &&
      v[headsDim] == k[headsDim] && k[columnsDim] == q[columnsDim] &&
      v[rowsDim] == k[rowsDim] &&
      result.dims == Dims{q[batchDim], q[headsDim], q[rowsDim], v[columnsDim]};
  if (!fits)
    return invalidArgument(fmt::format(
        "cuDNN takes as many batches and heads of queries, keys and "
        "values, or one head of keys and values; found {}x{}, "
        "{}x{} and {}x{}",
        q[batchDim], q[headsDim], k[batchDim], k[headsDim], v[batchDim],
        v[headsDim]));
  for (int64_t dim : {q[batchDim], q[headsDim], q[rowsDim], k[rowsDim]})
    if (dim < 1 || dim > longestDim)
      return invalidArgument(
          fmt::format("expected dims from 1 to {}, found {}", longestDim, dim));
  if (q[batchDim] * q[headsDim] > mostHeads)
    return invalidArgument(
        fmt::format("cuDNN takes at most {} heads in all batches, found {}",
                    mostHeads, q[batchDim] * q[headsDim]));
  return Status::ok();
}

/// Checks the tensor that is added to the scores. `scores` are the dims of the
/// scores.
Status checkMask(const TensorDesc &mask, const Dims &scores) {
  bool fits = mask.dims[columnsDim] == scores[columnsDim] &&
              (mask.strides[columnsDim] == 1 || mask.dims[columnsDim] == 1);
  for (size_t i = 0; i < columnsDim; ++i)
    fits = fits && (mask.dims[i] == scores[i] || mask.dims[i] == 1);
  if (!fits)
    return invalidArgument(fmt::format(
        "cuDNN adds a mask with one contiguous number for each key to scores "
        "of {}, found {}",
        fmt::join(scores, "x"), mask.toString()));
  return Status::ok();
}

/// The mask of later keys that the attribute `causal` asks for. `scores` are
/// the dims of the scores.
StatusOr<CudnnCausal> readCausal(const KernelSpec &spec, const Dims &scores) {
  const std::string_view text = spec.attrs.textOr("causal", "");
  if (text.empty())
    return CudnnCausal::None;
  if (text != "top_left" && text != "bottom_right")
    return invalidArgument(fmt::format(
        "expected causal to be top_left or bottom_right, found {}", text));
  if (spec.operands.size() > maskOperand)
    return invalidArgument("cuDNN takes the causal mask or one that is added");
  // cuDNN 9.9 has no engine for one query with a mask.
  if (scores[rowsDim] == 1 ||
      (text == "bottom_right" && scores[rowsDim] > scores[columnsDim]))
    return invalidArgument(fmt::format(
        "cuDNN takes a causal mask of two queries or more, and one that ends "
        "bottom right only with as many keys or more; found {} queries and {} "
        "keys",
        scores[rowsDim], scores[columnsDim]));
  return text == "top_left" ? CudnnCausal::TopLeft : CudnnCausal::BottomRight;
}

} // namespace

StatusOr<CudnnGraph> weir::describeAttention(const KernelSpec &spec) {
  if (spec.operands.size() < maskOperand ||
      spec.operands.size() > maskOperand + 1 || spec.results.size() != 1 ||
      !spec.postOps.empty())
    return invalidArgument(
        fmt::format("expected queries, keys, values, perhaps a mask, one "
                    "result and no post-ops; found operands {}",
                    listTypes(spec)));
  WEIR_RETURN_IF_ERROR(checkTypes(spec));
  std::vector<TensorDesc> operands;
  for (const TensorDesc &operand : spec.operands) {
    WEIR_ASSIGN_OR_RETURN(TensorDesc desc, withFourDims(operand));
    operands.push_back(std::move(desc));
  }
  WEIR_ASSIGN_OR_RETURN(TensorDesc result, withFourDims(spec.results[0]));
  WEIR_RETURN_IF_ERROR(checkSizes(operands, result));
  for (size_t i = 0; i < maskOperand; ++i)
    WEIR_RETURN_IF_ERROR(checkRows(operands[i]));
  WEIR_RETURN_IF_ERROR(checkRows(result));
  const Dims scores = {result.dims[batchDim], result.dims[headsDim],
                       result.dims[rowsDim],
                       operands[keysOperand].dims[rowsDim]};
  if (operands.size() > maskOperand)
    WEIR_RETURN_IF_ERROR(checkMask(operands[maskOperand], scores));
  CudnnGraph graph;
  WEIR_ASSIGN_OR_RETURN(graph.attention.causal, readCausal(spec, scores));
  graph.attention.scale = static_cast<float>(spec.attrs.floatOr("scale", 1));
  if (!(graph.attention.scale > 0) || !std::isfinite(graph.attention.scale))
    return invalidArgument(fmt::format("cuDNN takes a factor above 0, found {}",
                                       graph.attention.scale));
  CudnnNode node{CudnnOp::Attention, {}, operands.size()};
  for (size_t i = 0; i < operands.size(); ++i)
    node.inputs.push_back(graph.add({operands[i], i, std::nullopt}));
  graph.add({std::move(result), operands.size(), std::nullopt});
  graph.nodes.push_back(std::move(node));
  return graph;
}
