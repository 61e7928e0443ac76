//===- DemoKernels.cpp - The kernels of demo devices ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Matrix products, sums, products of elements and relu of f32, in plain loops.
// Sums and relu can also follow another kernel as its post-ops. Tensors may
// have any strides.
//
//===----------------------------------------------------------------------===//

#include "DemoKernels.h"

#include <algorithm>
#include <string>

using namespace weir;
using namespace demo;

namespace {

using Index = std::vector<int64_t>;

/// Calls `function` with the index of each element of a tensor.
template <typename Function>
void forEach(const std::vector<int64_t> &dims, Function function) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end())
    return;
  Index index(dims.size(), 0);
  while (true) {
    function(index);
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

/// A tensor whose elements are found by the index of a result with as many
/// dims or more. Dims of size 1 are broadcast.
class View {
public:
  View(const TensorDesc &desc, void *data)
      : desc(desc), data(static_cast<float *>(data)) {}

  float &at(const Index &index) const {
    const size_t missing = index.size() - desc.dims.size();
    int64_t offset = 0;
    for (size_t d = 0; d < desc.dims.size(); ++d)
      offset += desc.dims[d] == 1 ? 0 : desc.strides[d] * index[missing + d];
    return data[offset];
  }

private:
  const TensorDesc &desc;
  float *data;
};

/// A kernel that computes each element of its result by itself, and then what
/// was fused into it.
class DemoKernel : public Kernel {
public:
  explicit DemoKernel(const KernelSpec &spec) : spec(spec) {}

  Status run(const KernelArgs &args) final {
    const TensorDesc &result = spec.results[0];
    const View out(result, args.buffers[spec.operands.size()]);
    forEach(result.dims, [&](const Index &index) {
      float value = compute(args, index);
      for (const PostOp &op : spec.postOps)
        value = op.operand < 0
                    ? std::max(value, 0.0f)
                    : value + operand(args, size_t(op.operand)).at(index);
      out.at(index) = value;
    });
    return Status::ok();
  }
  /// It never leaves the calling thread.
  bool isSerial() const final { return true; }
  std::string implementation() const final { return "demo loops"; }

protected:
  virtual float compute(const KernelArgs &args, const Index &index) const = 0;

  View operand(const KernelArgs &args, size_t number) const {
    return View(spec.operands[number], args.buffers[number]);
  }

  const KernelSpec spec;
};

/// "add": the sum of two tensors.
class Add final : public DemoKernel {
  using DemoKernel::DemoKernel;
  float compute(const KernelArgs &args, const Index &index) const override {
    return operand(args, 0).at(index) + operand(args, 1).at(index);
  }
};

/// "mul": the products of the elements of two tensors.
class Mul final : public DemoKernel {
  using DemoKernel::DemoKernel;
  float compute(const KernelArgs &args, const Index &index) const override {
    return operand(args, 0).at(index) * operand(args, 1).at(index);
  }
};

/// "relu": max(x, 0). NaN stays NaN.
class Relu final : public DemoKernel {
  using DemoKernel::DemoKernel;
  float compute(const KernelArgs &args, const Index &index) const override {
    return std::max(operand(args, 0).at(index), 0.0f);
  }
};

/// "matmul": the product of the last two dims. "linear": the same with the
/// second matrix transposed, and perhaps a bias.
template <bool IsLinear> class Product final : public DemoKernel {
  using DemoKernel::DemoKernel;
  float compute(const KernelArgs &args, const Index &index) const override {
    const View left = operand(args, 0), right = operand(args, 1);
    const int64_t column = index.back();
    Index leftIndex = index, rightIndex = index;
    float sum = 0;
    for (int64_t k = 0; k < spec.operands[0].dims.back(); ++k) {
      leftIndex.back() = k;
      rightIndex[index.size() - 2] = IsLinear ? column : k;
      rightIndex.back() = IsLinear ? k : column;
      sum += left.at(leftIndex) * right.at(rightIndex);
    }
    return IsLinear && hasBias() ? sum + operand(args, 2).at(index) : sum;
  }
  /// Operands of post-ops follow those of the op.
  bool hasBias() const {
    size_t own = spec.operands.size();
    for (const PostOp &op : spec.postOps)
      own -= op.operand >= 0;
    return own > 2;
  }
};

} // namespace

/// What no kernel here supports. The compiler asks this, and then places the op
/// elsewhere, or does not fuse the post-op.
static Status check(const KernelSpec &spec) {
  for (const TensorDesc &operand : spec.operands)
    if (operand.type != DType::F32)
      return unimplemented("demo kernels compute in f32, and an operand is " +
                           operand.toString());
  for (const PostOp &op : spec.postOps)
    if (op.algorithm != "binary_add" &&
        (op.algorithm != "eltwise_relu" || op.alpha != 0))
      return unimplemented("demo kernels have no post-op " + op.algorithm);
  return Status::ok();
}

static Status checkProduct(const KernelSpec &spec) {
  if (spec.results[0].rank() < 2)
    return unimplemented(
        "demo products have 2 dims or more, and the result is " +
        spec.results[0].toString());
  return check(spec);
}

template <typename DemoKernel, CheckFn check>
static StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                                 PrepareContext &) {
  WEIR_RETURN_IF_ERROR(check(spec));
  return std::unique_ptr<Kernel>(std::make_unique<DemoKernel>(spec));
}

std::span<const OpKernelRow> demo::kernelRows() {
  // All kernels take post-ops: `check` says which.
  static const std::vector<OpKernelRow> rows = {
      {"add", {kernelsName, "add", {"f32"}, {}, true}},
      {"linear", {kernelsName, "linear", {"f32"}, {}, true}},
      {"matmul", {kernelsName, "matmul", {"f32"}, {}, true}},
      {"mul", {kernelsName, "mul", {"f32"}, {}, true}},
      {"relu", {kernelsName, "relu", {"f32"}, {}, true}},
  };
  return rows;
}

std::span<const KernelTableEntry> demo::kernelTable() {
  static constexpr KernelTableEntry table[] = {
      {"add", prepare<Add, check>, check},
      {"linear", prepare<Product<true>, checkProduct>, checkProduct},
      {"matmul", prepare<Product<false>, checkProduct>, checkProduct},
      {"mul", prepare<Mul, check>, check},
      {"relu", prepare<Relu, check>, check},
  };
  return table;
}
