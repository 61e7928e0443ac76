//===- CudaProductTest.cpp - Products of pretended GPUs -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include "weir/Runtime/KernelTable.h"
#include "weir/Support/DType.h"
#include "weir/Support/DeviceName.h"

#include <bit>
#include <random>

using namespace weir;
using namespace weir::test;

static TensorDesc rowMajor(std::vector<int64_t> dims, DType type = DType::F32) {
  return TensorDesc::rowMajor(type, std::move(dims));
}

/// The same elements with the last two dims swapped in memory.
static TensorDesc swapped(const TensorDesc &desc) {
  TensorDesc like = desc;
  std::swap(like.dims.end()[-1], like.dims.end()[-2]);
  like = rowMajor(like.dims, desc.type);
  std::swap(like.strides.end()[-1], like.strides.end()[-2]);
  like.dims = desc.dims;
  return like;
}

static Floats randomFloats(int64_t size) {
  static std::mt19937 random(1);
  Floats values(static_cast<size_t>(size));
  for (float &value : values)
    value = static_cast<float>(random() % 7) - 3;
  return values;
}

static float at(const TensorDesc &desc, const Floats &values,
                std::initializer_list<int64_t> index) {
  int64_t offset = 0;
  size_t dim = 0;
  for (int64_t each : index)
    offset += desc.strides[dim++] * each;
  return values[static_cast<size_t>(offset)];
}

/// Whether a run of the matmul `spec` gives the sums of products.
static void expectProduct(const KernelSpec &spec) {
  PlanBuilder plan = makeKernelPlan(spec);
  auto session = load(plan);
  const TensorDesc &left = spec.operands[0], &right = spec.operands[1];
  const std::vector<Floats> inputs = {randomFloats(left.numElements()),
                                      randomFloats(right.numElements())};
  const auto outputs = run(*session, inputs);
  ASSERT_TRUE(outputs.isOk()) << outputs.status().message();
  const TensorDesc &result = spec.results[0];
  for (int64_t m = 0; m < result.dims[0]; ++m)
    for (int64_t n = 0; n < result.dims[1]; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < left.dims[1]; ++k)
        sum += at(left, inputs[0], {m, k}) * at(right, inputs[1], {k, n});
      EXPECT_EQ(at(result, (*outputs)[0], {m, n}), sum) << m << ", " << n;
    }
}

// Matrices may lie transposed in memory.
TEST_F(Cuda, MultipliesTransposedMatrices) {
  const TensorDesc left = rowMajor({2, 3}), right = rowMajor({3, 4}),
                   result = rowMajor({2, 4});
  for (const TensorDesc &a : {left, swapped(left)})
    for (const TensorDesc &b : {right, swapped(right)}) {
      SCOPED_TRACE(a.toString() + " x " + b.toString());
      expectProduct({"matmul", {}, {a, b}, {result}, {}, {}});
    }
}

// With an option of the device, operands of f32 may be rounded to TF32, and the
// session says so. An option that there is not is an error.
TEST_F(Cuda, RoundsToTF32IfAsked) {
  const KernelSpec spec{
      "matmul",           {}, {rowMajor({2, 3}), rowMajor({3, 4})},
      {rowMajor({2, 4})}, {}, {}};
  PlanBuilder plan = makeKernelPlan(spec);
  for (const char *value : {"off", "on"}) {
    SessionOptions options;
    options.deviceOptions = {{"cuda:0", "tf32", value}};
    auto session = Session::load(plan.bytes(), options);
    ASSERT_TRUE(session.isOk()) << session.status().message();
    const bool isOn = std::string(value) == "on";
    EXPECT_EQ(fake().calls().count("a product in TF32"), isOn);
    const std::string note = (*session)->stats().devices[0].info.note;
    EXPECT_EQ(note.find("TF32") != note.npos, isOn) << note;
  }
  SessionOptions options;
  options.deviceOptions = {{"cuda", "tf32", "maybe"}};
  auto session = Session::load(plan.bytes(), options);
  ASSERT_FALSE(session.isOk());
  EXPECT_NE(
      session.status().message().find("expected on or off, found 'maybe'"),
      std::string::npos)
      << session.status().message();
}

/// Two numbers of bf16 in the bits of one of f32.
static float pack(float first, float second) {
  const uint32_t low = floatToBFloat16(first), high = floatToBFloat16(second);
  return std::bit_cast<float>(high << 16 | low);
}

// A bias of f32 is rounded to the type of the result, at load if it is a
// parameter, and else in each run.
TEST_F(Cuda, RoundsABias) {
  fake().define("weir_kernel_1000",
                {1, 1, [](float *const *at, size_t size) {
                   for (size_t i = 0; i < size; ++i)
                     reinterpret_cast<uint16_t *>(at[1])[i] =
                         floatToBFloat16(at[0][i]);
                 }});
  const KernelSpec spec{"linear",
                        {},
                        {rowMajor({1, 2}, DType::BF16),
                         rowMajor({2, 2}, DType::BF16), rowMajor({2})},
                        {rowMajor({1, 2}, DType::BF16)},
                        {},
                        {}};
  const Floats bias = {0.5, 257};
  const std::vector<Floats> inputs = {{pack(1, 2)}, {pack(3, 4), pack(5, 6)}};
  // 17 + 256, since 257 has nine bits; this is 272 in bf16.
  const Floats expected = {pack(11.5, 272)};
  PlanBuilder atLoad = makeKernelPlan(spec, bias);
  auto outputs = run(*load(atLoad), inputs);
  ASSERT_TRUE(outputs.isOk()) << outputs.status().message();
  EXPECT_EQ(outputs->front(), expected);
  EXPECT_EQ(fake().calls().count("cuLaunchKernel"), 0u);
  PlanBuilder inRuns = makeKernelPlan(spec);
  outputs = run(*load(inRuns), {inputs[0], inputs[1], bias});
  ASSERT_TRUE(outputs.isOk()) << outputs.status().message();
  EXPECT_EQ(outputs->front(), expected);
  EXPECT_EQ(fake().calls().at("cuLaunchKernel"), 1u);
}

// Constant weights whose rows do not begin at multiples of 16 bytes are stored
// anew, so that they do; others are read as they are.
TEST_F(Cuda, PadsWeights) {
  const Floats x = randomFloats(6);
  for (const char *name : {"linear", "matmul"})
    for (const int64_t columns : {4, 5}) {
      SCOPED_TRACE(name + std::to_string(columns));
      const bool isLinear = std::string(name) == "linear";
      const TensorDesc left = rowMajor({2, 3}),
                       right = isLinear ? rowMajor({columns, 3})
                                        : rowMajor({3, columns}),
                       result = rowMajor({2, columns});
      const Floats weights = randomFloats(3 * columns);
      PlanBuilder plan =
          makeKernelPlan({name, {}, {left, right}, {result}, {}, {}}, weights);
      const auto outputs = run(*load(plan), {x});
      ASSERT_TRUE(outputs.isOk()) << outputs.status().message();
      const int64_t first = isLinear ? 3 : 1, second = isLinear ? 1 : columns;
      for (int64_t m = 0; m < 2; ++m)
        for (int64_t n = 0; n < columns; ++n) {
          float sum = 0;
          for (int64_t k = 0; k < 3; ++k)
            sum += at(left, x, {m, k}) *
                   weights[static_cast<size_t>(n * first + k * second)];
          EXPECT_EQ(at(result, (*outputs)[0], {m, n}), sum) << m << ", " << n;
        }
    }
}

/// Why the kernel refuses `spec`; empty if it does not.
static std::string refusal(const KernelSpec &spec) {
  const DeviceKind kind = *parseDeviceKind("cuda");
  const KernelTableEntry *kernel = findKernel(kernelTable(kind), spec.name);
  return std::string(kernel->check(spec).message());
}

// What cuBLASLt does not compute in one launch is refused with the reason, so
// that it is computed elsewhere.
TEST_F(Cuda, RefusesProducts) {
  const TensorDesc x = rowMajor({8, 16}), w = rowMajor({24, 16}),
                   b = rowMajor({24}), y = rowMajor({8, 24});
  const auto linear = [&](std::vector<PostOp> postOps,
                          std::vector<TensorDesc> more) {
    std::vector<TensorDesc> operands = {x, w};
    operands.insert(operands.end(), more.begin(), more.end());
    return refusal({"linear", {}, operands, {y}, std::move(postOps), {}});
  };
  const PostOp relu{"eltwise_relu", 0, 0, -1},
      leaky{"eltwise_relu", 0.1, 0, -1}, gelu{"eltwise_gelu_erf", 0, 0, -1},
      twice{"eltwise_linear", 2, 0, -1}, shift{"eltwise_linear", 1, 2, -1},
      add2{"binary_add", 0, 0, 2}, add3{"binary_add", 0, 0, 3},
      mul2{"binary_mul", 0, 0, 2};
  EXPECT_EQ(linear({}, {b}), "");
  EXPECT_EQ(linear({add2, relu}, {y}), "");
  EXPECT_EQ(linear({gelu}, {}), "cuBLASLt has no post-op 'eltwise_gelu_erf'");
  EXPECT_EQ(linear({twice, add2}, {y}), "");
  for (const auto &postOps : {std::vector{add2, twice}, {add2, shift}})
    EXPECT_EQ(linear(postOps, {y}), "cuBLASLt has no post-op 'eltwise_linear'");
  EXPECT_EQ(linear({twice}, {b}), "cuBLASLt has no post-op 'eltwise_linear'");
  EXPECT_EQ(linear({mul2}, {y}), "cuBLASLt has no post-op 'binary_mul'");
  EXPECT_EQ(linear({leaky}, {}),
            "cuBLASLt has no post-op 'eltwise_relu' with a slope");
  EXPECT_EQ(linear({relu, add2}, {y}),
            "cuBLASLt adds nothing behind an activation");
  EXPECT_EQ(linear({add3}, {b, b}),
            "cuBLASLt adds one vector and one tensor to 8x24xf32; found also "
            "24xf32");
  EXPECT_EQ(linear({add2}, {rowMajor({8, 24}, DType::BF16)}),
            "cuBLASLt adds f32 to results of f32; found bf16");
  EXPECT_EQ(linear({add2}, {rowMajor({8, 1})}),
            "cuBLASLt adds one vector and one tensor to 8x24xf32; found also "
            "8x1xf32");
  EXPECT_EQ(
      refusal({"matmul",
               {},
               {rowMajor({8, 16}, DType::F64), rowMajor({16, 24}, DType::F64)},
               {rowMajor({8, 24}, DType::F64)},
               {},
               {}}),
      "cuBLASLt multiplies matrices of f32, f16 or bf16; found f64 and "
      "f64");
  const TensorDesc apart{DType::F32, {8, 16}, {32, 2}};
  EXPECT_EQ(refusal({"linear", {}, {apart, w}, {y}, {}, {}}),
            "cuBLASLt needs rows of elements side by side, found "
            "8x16xf32 strides [32, 2]");
  EXPECT_EQ(refusal({"matmul",
                     {},
                     {rowMajor({100, 1, 8, 16}), rowMajor({1, 101, 16, 24})},
                     {rowMajor({100, 101, 8, 24})},
                     {},
                     {}}),
            "cuBLASLt would need 100 calls with 101 products each");
}

// A spec that no compiler writes is refused as well.
TEST_F(Cuda, RefusesBrokenProducts) {
  const auto refuses = [](std::vector<TensorDesc> operands, TensorDesc result,
                          std::vector<PostOp> postOps = {}) {
    for (const char *name : {"linear", "matmul"})
      EXPECT_NE(refusal({name, {}, operands, {result}, postOps, {}}), "")
          << name;
  };
  refuses({}, rowMajor({}));
  refuses({rowMajor({}), rowMajor({})}, rowMajor({}));
  refuses({rowMajor({8, 16}), rowMajor({25, 17})}, rowMajor({8, 24}));
  refuses({rowMajor({8, 0}), rowMajor({0, 0})}, rowMajor({8, 0}));
  refuses({rowMajor({3, 8, 16}), rowMajor({2, 16, 16})}, rowMajor({3, 8, 16}));
  refuses({rowMajor({8, 16}), rowMajor({16, 16})}, rowMajor({8, 16}),
          {{"binary_add", 0, 0, 7}});
  refuses({rowMajor({8, 16})}, rowMajor({8, 16}), {{"binary_add", 0, 0, 0}});
}

// Whichever call of cuBLASLt fails: loading fails, or a run does, and the error
// names call, op and device. The next run succeeds, and nothing is left behind.
TEST_F(Cuda, EachCallOfCublasMayFail) {
  const TensorDesc two = rowMajor({2, 1, 1});
  const KernelSpec spec{"matmul",
                        {},
                        {two, two, rowMajor({1}), two},
                        {two},
                        {{"binary_add", 0, 0, 2},
                         {"binary_add", 0, 0, 3},
                         {"eltwise_relu", 0, 0, -1}},
                        {}};
  const std::vector<Floats> inputs = {{2, 4}, {3, 1}, {4}, {5, 6}};
  const auto errorOfRun = [&](Session &session) {
    const auto outputs = run(session, inputs);
    if (outputs.isOk()) {
      EXPECT_EQ((*outputs)[0], (Floats{15, 14}));
    }
    return std::string(outputs.status().message());
  };
  const auto errorOf = [&] {
    PlanBuilder plan = makeKernelPlan(spec);
    auto session = Session::load(plan.bytes(), testOptions());
    std::string error(session.status().message());
    for (int i = 0; session.isOk() && i < 4; ++i)
      if (std::string found = errorOfRun(**session); !found.empty()) {
        error = found;
        EXPECT_EQ(errorOfRun(**session), "");
      }
    return error;
  };
  EXPECT_EQ(errorOf(), "");
  size_t numFunctions = 0;
  for (const auto &[function, count] : fake().calls())
    for (size_t number = 1; number <= count; ++number) {
      if (!function.starts_with("cublasLt"))
        continue;
      SCOPED_TRACE(function + " " + std::to_string(number));
      numFunctions += number == 1;
      fake().failCall(function, number, 14);
      const std::string error = errorOf();
      const bool isRelease = function.ends_with("Destroy");
      EXPECT_EQ(error.find(function + " failed") == error.npos, isRelease)
          << error;
      EXPECT_EQ(error.find("op 'product' on cuda:0") == error.npos, isRelease)
          << error;
      fake().forget();
      ASSERT_EQ(fake().takeComplaints(), std::vector<std::string>());
      ASSERT_EQ(fake().leaks(), std::vector<std::string>());
    }
  EXPECT_EQ(numFunctions, 13u);
}
