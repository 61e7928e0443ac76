//===- Contraction.cpp - The kernels matmul and linear ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SkinnyProduct.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

static TensorDesc withLeadingOnes(const TensorDesc &desc, size_t rank) {
  TensorDesc view = desc;
  size_t missing = rank - desc.dims.size();
  int64_t stride = std::max<int64_t>(1, desc.spanBytes() / byteSize(desc.type));
  view.dims.insert(view.dims.begin(), missing, 1);
  view.strides.insert(view.strides.begin(), missing, stride);
  return view;
}

static TensorDesc withUnitDim(const TensorDesc &desc, size_t position) {
  TensorDesc view = desc;
  view.dims.insert(view.dims.begin() + position, 1);
  view.strides.insert(view.strides.begin() + position, 1);
  return view;
}

/// A matrix operand that oneDNN's fast code can read: one of the last two dims
/// has stride 1, and no dim is repeated.
static Value readable(KernelBuilder &builder, const Value &value) {
  const TensorDesc &desc = value.desc;
  size_t last = desc.dims.size() - 1;
  auto isUnit = [&](size_t i) {
    return desc.dims[i] == 1 || desc.strides[i] == 1;
  };
  bool fine = (isUnit(last) || isUnit(last - 1)) && !hasRepeated(desc);
  if (!fine)
    return builder.relaid(value, TensorDesc::rowMajor(desc.type, desc.dims));
  return value.as(cutRepeated(desc));
}

/// `desc` with all dims before the last one merged into one dim, if the strides
/// allow it.
static std::optional<TensorDesc> foldRows(const TensorDesc &desc) {
  TensorDesc rows = desc;
  rows.dims.pop_back();
  rows.strides.pop_back();
  for (int64_t &dim : rows.dims)
    if (dim == 0)
      return std::nullopt;
  TensorDesc like = TensorDesc::rowMajor(desc.type, rows.dims);
  std::vector<TensorDesc> merged = mergeDims({like, rows});
  if (merged[0].dims.size() != 1)
    return std::nullopt;
  return TensorDesc{desc.type,
                    {merged[1].dims[0], desc.dims.back()},
                    {merged[1].strides[0], desc.strides.back()}};
}

/// Replaces a batch of small products by one 2-d product. This needs an rhs
/// that is the same for the whole batch, and constant distances between the
/// rows of lhs and between the rows of the result.
static bool foldBatch(Product &product) {
  const Dims &rhs = product.rhs.desc.dims;
  size_t rank = rhs.size();
  for (size_t i = 0; i + 2 < rank; ++i)
    if (rhs[i] != 1)
      return false;
  for (size_t i = 0; i + 2 < rank; ++i)
    if (product.lhs.desc.dims[i] != product.result.desc.dims[i])
      return false;
  std::optional<TensorDesc> lhs = foldRows(product.lhs.desc);
  std::optional<TensorDesc> result = foldRows(product.result.desc);
  if (rank <= 2 || !lhs || !result)
    return false;
  auto lastTwo = [](const TensorDesc &desc) {
    return TensorDesc{desc.type, Dims(desc.dims.end() - 2, desc.dims.end()),
                      Dims(desc.strides.end() - 2, desc.strides.end())};
  };
  product.rhs = product.rhs.as(lastTwo(product.rhs.desc));
  product.lhs = product.lhs.as(*lhs);
  product.result = product.result.as(*result);
  if (product.bias)
    product.bias = product.bias->as(lastTwo(product.bias->desc));
  return true;
}

/// The operand of a post-op in the dims of the product: a scalar, one value per
/// column, or a tensor with the layout of the result.
static std::optional<Value> viewForProduct(const Value &value,
                                           const Product &product,
                                           const TensorDesc &unfolded) {
  TensorDesc cut = cutRepeated(value.desc);
  const Dims &dims = product.result.desc.dims;
  if (cut.numElements() == 1)
    return value.as(TensorDesc::rowMajor(cut.type, Dims(dims.size(), 1)));
  if (cut.numElements() == cut.dims.back() && cut.strides.back() == 1) {
    Dims row(dims.size(), 1);
    row.back() = cut.dims.back();
    return value.as(TensorDesc::rowMajor(cut.type, row));
  }
  TensorDesc wanted = unfolded;
  wanted.type = cut.type;
  if (!sameLayout(value.desc, wanted))
    return std::nullopt;
  TensorDesc view = product.result.desc;
  view.type = cut.type;
  return value.as(view);
}

static dnnl::primitive_desc describeProduct(const Product &product,
                                            const dnnl::memory::desc &rhs,
                                            const dnnl::primitive_attr &attr) {
  dnnl::memory::desc lhs = memoryDesc(product.lhs.desc);
  dnnl::memory::desc result = memoryDesc(product.result.desc);
  if (!product.bias)
    return dnnl::matmul::primitive_desc(cpuEngine(), lhs, rhs, result, attr);
  return dnnl::matmul::primitive_desc(
      cpuEngine(), lhs, rhs, memoryDesc(product.bias->desc), result, attr);
}

static StatusOr<std::vector<Argument>>
bindProduct(KernelBuilder &builder, const Product &product,
            const dnnl::primitive_desc &desc) {
  WEIR_ASSIGN_OR_RETURN(Argument rhs,
                        builder.packed(DNNL_ARG_WEIGHTS, product.rhs,
                                       desc.query_md(dnnl::query::weights_md)));
  std::vector<Argument> arguments{{DNNL_ARG_SRC, product.lhs},
                                  std::move(rhs),
                                  {DNNL_ARG_DST, product.result}};
  if (product.bias)
    arguments.emplace_back(DNNL_ARG_BIAS, *product.bias);
  return arguments;
}

/// Adds the product. If rhs may be packed, rhs gets the format that oneDNN
/// prefers.
static Status addProduct(KernelBuilder &builder, Product product,
                         bool mayPack) {
  // oneDNN's fast code writes contiguous rows.
  Value whole = product.result;
  bool writesRows =
      whole.desc.strides.back() == 1 || whole.desc.dims.back() == 1;
  if (!writesRows)
    product.result = builder.temporary(
        TensorDesc::rowMajor(whole.desc.type, whole.desc.dims));
  Value computed = product.result;
  std::vector<Epilogue> epilogues = builder.epilogues();
  for (Epilogue &epilogue : epilogues)
    if (epilogue.op.operand >= 0)
      epilogue.value.desc =
          withLeadingOnes(epilogue.value.desc, computed.desc.dims.size());
  foldBatch(product);
  product.result.desc = cutRepeated(product.result.desc);
  product.lhs = readable(builder, product.lhs);
  if (!mayPack)
    product.rhs = readable(builder, product.rhs);

  const TensorDesc &weights = product.rhs.desc;
  dnnl::memory::desc rhs =
      mayPack ? anyLayout(weights.type, weights.dims) : memoryDesc(weights);
  auto make = [&](const dnnl::primitive_attr &attr) {
    return describeProduct(product, rhs, attr);
  };
  auto bind = [&](const dnnl::primitive_desc &desc) {
    return bindProduct(builder, product, desc);
  };
  auto view = [&](const Value &value) {
    return viewForProduct(value, product, computed.desc);
  };
  if (suitsSkinnyProduct(builder, product)) {
    WEIR_ASSIGN_OR_RETURN(const size_t done,
                          addSkinnyProduct(builder, product, epilogues, view));
    addEpilogues(builder, computed, std::span(epilogues).subspan(done));
  } else {
    WEIR_RETURN_IF_ERROR(
        addFused(builder, make, bind, computed, epilogues, view));
  }
  if (!writesRows)
    builder.copy(computed, whole);
  return Status::ok();
}

/// The flops of a product or a linear layer; 0 if operand 0 is missing or a
/// scalar.
static double flopsOf(const KernelSpec &spec) {
  if (spec.operands.empty() || spec.operands[0].dims.empty())
    return 0;
  return flopsOfSums(spec.results[0],
                     static_cast<double>(spec.operands[0].dims.back()));
}

static Status expectResultRank(const KernelSpec &spec, size_t rank) {
  if (spec.results[0].dims.size() == rank)
    return Status::ok();
  return invalidArgument(fmt::format("expected a result of rank {}, found {}",
                                     rank, spec.results[0].dims.size()));
}

static Status checkOperands(const KernelSpec &spec, size_t most) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 2, most));
  WEIR_RETURN_IF_ERROR(expectFastFloats(spec));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  if (spec.operands[0].dims.empty() || spec.operands[1].dims.empty())
    return invalidArgument("expected operands of rank 1 or more, found a "
                           "scalar");
  // A batch of products may become one product that has all their rows.
  for (const TensorDesc *rows : {&spec.operands[0], &spec.results[0]})
    if (!rows->dims.empty())
      WEIR_RETURN_IF_ERROR(checkElements(
          std::span(rows->dims).first(rows->dims.size() - 1), "rows"));
  if (spec.operands[0].dims.back() == 0 && spec.results[0].numElements() != 0)
    return unimplemented("expected sums of at least one product");
  return Status::ok();
}

/// Whether operand `index` of a product is a vector: a row on the left, a
/// column on the right.
static bool isVector(const KernelSpec &spec, int index) {
  return spec.operands[index].dims.size() == 1;
}

static size_t rankOfProduct(const KernelSpec &spec) {
  return std::max(
      {spec.operands[0].dims.size(), spec.operands[1].dims.size(), size_t(2)});
}

static Status buildMatmul(KernelBuilder &builder) {
  Product product{builder.operand(0), builder.operand(1), {}, builder.result()};
  TensorDesc &lhs = product.lhs.desc, &rhs = product.rhs.desc;
  TensorDesc &result = product.result.desc;
  bool isRow = isVector(builder.spec, 0), isColumn = isVector(builder.spec, 1);
  size_t rank = rankOfProduct(builder.spec);
  if (isRow)
    lhs = withUnitDim(lhs, 0);
  if (isColumn)
    rhs = withUnitDim(rhs, 1);
  if (isRow)
    result = withUnitDim(result, result.dims.size() - !isColumn);
  if (isColumn)
    result = withUnitDim(result, result.dims.size());
  lhs = withLeadingOnes(lhs, rank);
  rhs = withLeadingOnes(rhs, rank);
  return addProduct(builder, product, builder.isConstant(1));
}

static Status buildLinear(KernelBuilder &builder) {
  Product product{builder.operand(0), builder.operand(1), {}, builder.result()};
  if (product.lhs.desc.dims.size() == 1) {
    product.lhs.desc = withUnitDim(product.lhs.desc, 0);
    product.result.desc = withUnitDim(product.result.desc, 0);
  }
  int64_t columns = product.rhs.desc.dims[0];
  size_t rank = product.lhs.desc.dims.size();
  if (builder.hasOwnOperand(2)) {
    product.bias = builder.operand(2);
    product.bias = builder.relaid(
        *product.bias,
        TensorDesc::rowMajor(product.bias->desc.type, {columns}));
    product.bias->desc = withLeadingOnes(product.bias->desc, rank);
  }
  product.rhs.desc = withLeadingOnes(permuted(product.rhs.desc, {1, 0}), rank);
  return addProduct(builder, product, builder.isConstant(1));
}

namespace weir::cpu {

Status checkMatmul(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(checkOperands(spec, 2));
  bool isRow = isVector(spec, 0), isColumn = isVector(spec, 1);
  WEIR_RETURN_IF_ERROR(
      expectResultRank(spec, rankOfProduct(spec) - isRow - isColumn));
  if ((isRow || isColumn) && !spec.postOps.empty())
    return unimplemented("expected no post-op on a product with a vector");
  return Status::ok();
}

Status checkLinear(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(checkOperands(spec, 3));
  if (spec.operands[1].dims.size() != 2)
    return invalidArgument("expected weights of rank 2");
  WEIR_RETURN_IF_ERROR(expectResultRank(spec, spec.operands[0].dims.size()));
  if (hasOwnOperand(spec, 2))
    return expectDims(spec, 2, {spec.operands[1].dims[0]});
  return Status::ok();
}

StatusOr<std::unique_ptr<Kernel>> prepareMatmul(const KernelSpec &spec,
                                                PrepareContext &context) {
  return prepareWith(spec, context, checkMatmul, buildMatmul, flopsOf(spec));
}

StatusOr<std::unique_ptr<Kernel>> prepareLinear(const KernelSpec &spec,
                                                PrepareContext &context) {
  return prepareWith(spec, context, checkLinear, buildLinear, flopsOf(spec));
}

} // namespace weir::cpu
