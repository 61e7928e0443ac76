//===- CudnnSpecs.cpp - Specs of kernels of cuDNN -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudnnSpecs.h"

#include "CudnnKernels.h"
#include "CudnnPostOps.h"
#include "weir/Runtime/KernelTable.h"

using namespace weir;
using namespace weir::test;

TensorDesc test::imageOf(DType type, std::vector<int64_t> dims) {
  return channelsLast(TensorDesc::rowMajor(type, std::move(dims)));
}

KernelSpec test::makeSpec(const ConvCase &conv, DType type) {
  KernelSpec spec;
  spec.name = "conv";
  spec.attrs.set("strides", conv.strides);
  spec.attrs.set("pads", conv.pads);
  spec.attrs.set("groups", std::vector<int64_t>{conv.groups});
  spec.operands = {imageOf(type, conv.images),
                   TensorDesc::rowMajor(type, conv.weights)};
  spec.results = {imageOf(type, conv.result)};
  if (conv.hasBias)
    spec.operands.push_back(TensorDesc::rowMajor(type, {conv.result[1]}));
  return spec;
}

KernelSpec test::weightGradientSpec(const ConvCase &conv, DType type) {
  KernelSpec spec = makeSpec(conv, type);
  spec.name = "conv_weight_gradient";
  spec.operands = {spec.operands[0], spec.results[0]};
  spec.results = {TensorDesc::rowMajor(type, conv.weights)};
  return spec;
}

void test::addPostOp(KernelSpec &spec, const std::string &algorithm,
                     double alpha, double beta) {
  spec.postOps.push_back({algorithm, alpha, beta, -1});
}

void test::addPostOpOf(KernelSpec &spec, const std::string &algorithm,
                       std::vector<int64_t> other) {
  const DType type = spec.operands[0].type;
  const bool isImage = other.size() == spec.results[0].dims.size();
  spec.postOps.push_back(
      {algorithm, 0, 0, static_cast<int>(spec.operands.size())});
  spec.operands.push_back(isImage
                              ? imageOf(type, std::move(other))
                              : TensorDesc::rowMajor(type, std::move(other)));
}

std::string test::graphText(const KernelSpec &spec) {
  const StatusOr<CudnnGraph> graph = describeForCudnn(spec);
  return graph.isOk() ? graph->toString()
                      : std::string(graph.status().message());
}

std::string test::whyNot(const KernelSpec &spec) {
  const KernelTableEntry *entry = findKernel(cudnnKernels(), spec.name);
  return entry ? std::string(entry->check(spec).message()) : "no such kernel";
}

KernelSpec test::attentionSpec(const std::vector<int64_t> &dims, DType type) {
  TensorDesc desc = TensorDesc::rowMajor(type, dims);
  desc.strides = {dims[1] * dims[2] * dims[3], dims[3], dims[1] * dims[3], 1};
  KernelSpec spec;
  spec.name = "attention";
  spec.attrs.set("scale", std::vector<double>{0.125});
  spec.operands = {desc, desc, desc};
  spec.results = {desc};
  return spec;
}

void test::addMask(KernelSpec &spec, std::vector<int64_t> dims, DType type) {
  spec.operands.push_back(TensorDesc::rowMajor(type, std::move(dims)));
}
