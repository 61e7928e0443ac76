//===- ReferenceTest.cpp - Reference evaluation ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Reference.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

using namespace weir;

namespace {

struct Values {
  std::vector<int64_t> dims;
  std::vector<double> values;
};

struct Case {
  std::string name, spec, expression, combiner;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  std::vector<Values> operands;
  Values result;
};

const Case numpyCases[] = {
#include "ReferenceCases.inc"
};

/// Strides for `dims` with the first dim innermost, each as large again as it
/// need be: no row-major tensor, and holes in it.
std::vector<int64_t> holedStrides(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides;
  int64_t stride = 2;
  for (int64_t dim : dims) {
    strides.push_back(stride);
    stride *= 2 * std::max<int64_t>(dim, 1);
  }
  return strides;
}

/// The offset in `desc` of element `index`, counted row-major.
int64_t offsetOf(const TensorDesc &desc, int64_t index) {
  int64_t offset = 0;
  for (size_t d = desc.dims.size(); d-- > 0; index /= desc.dims[d])
    offset += index % desc.dims[d] * desc.strides[d];
  return offset;
}

/// A tensor of `desc` holding `values`, row-major; -99 in the holes.
std::vector<std::byte> makeBuffer(const TensorDesc &desc,
                                  const std::vector<double> &values) {
  std::vector<std::byte> buffer(desc.spanBytes());
  for (size_t i = 0; i < buffer.size() / byteSize(desc.type); ++i)
    storeFloat(desc.type, buffer.data(), i, -99);
  for (size_t i = 0; i < values.size(); ++i)
    storeFloat(desc.type, buffer.data(), offsetOf(desc, i), values[i]);
  return buffer;
}

KernelSpec makeSpec(std::string spec, std::string expression,
                    std::string combiner) {
  KernelSpec kernel;
  kernel.name = "reference";
  kernel.attrs.set("spec", std::move(spec));
  kernel.attrs.set("expression", std::move(expression));
  kernel.attrs.set("combiner", std::move(combiner));
  return kernel;
}

/// Evaluates `kernel` on `operands` (row-major values) and returns the result.
std::vector<double> evaluateValues(const KernelSpec &kernel,
                                   const std::vector<Values> &operands) {
  std::vector<std::vector<std::byte>> buffers;
  std::vector<const void *> pointers;
  for (size_t i = 0; i < operands.size(); ++i)
    buffers.push_back(makeBuffer(kernel.operands[i], operands[i].values));
  for (const auto &buffer : buffers)
    pointers.push_back(buffer.data());
  const TensorDesc &desc = kernel.results[0];
  std::vector<std::byte> result = makeBuffer(desc, {});
  Status status = evaluateReference(kernel, pointers, result.data());
  EXPECT_TRUE(status.isOk()) << status.message();
  std::vector<double> values;
  for (int64_t i = 0; i < desc.numElements(); ++i)
    values.push_back(loadFloat(desc.type, result.data(), offsetOf(desc, i)));
  return values;
}

void expectNumpy(const Case &test, bool isHoled) {
  SCOPED_TRACE(test.name + (isHoled ? " with holes" : ""));
  KernelSpec kernel = makeSpec(test.spec, test.expression, test.combiner);
  for (const auto &[name, value] : test.attrs)
    kernel.attrs.set(name, value);
  for (const Values &operand : test.operands)
    kernel.operands.push_back(TensorDesc::rowMajor(DType::F32, operand.dims));
  kernel.results = {TensorDesc::rowMajor(DType::F32, test.result.dims)};
  if (isHoled) {
    for (TensorDesc &desc : kernel.operands)
      desc.strides = holedStrides(desc.dims);
    kernel.results[0].strides = holedStrides(test.result.dims);
  }
  std::vector<double> found = evaluateValues(kernel, test.operands);
  ASSERT_EQ(found.size(), test.result.values.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(static_cast<float>(found[i]),
              static_cast<float>(test.result.values[i]))
        << "element " << i;
}

/// One elementwise evaluation over all `operands` of equal size.
std::vector<double>
elementwise(std::string expression,
            const std::vector<std::pair<DType, std::vector<double>>> &operands,
            DType resultType) {
  std::string spec = "...";
  std::vector<Values> values;
  KernelSpec kernel;
  for (const auto &[type, list] : operands) {
    std::vector<int64_t> dims = {static_cast<int64_t>(list.size())};
    values.push_back({dims, list});
    kernel.operands.push_back(TensorDesc::rowMajor(type, dims));
    if (values.size() > 1)
      spec += ",...";
  }
  kernel.attrs = makeSpec(spec + "->...", std::move(expression), "none").attrs;
  kernel.results = {TensorDesc::rowMajor(resultType, values[0].dims)};
  return evaluateValues(kernel, values);
}

std::string errorOf(const KernelSpec &kernel) {
  std::array<double, 64> scratch{};
  std::vector<const void *> pointers(kernel.operands.size(), scratch.data());
  return std::string(
      evaluateReference(kernel, pointers, scratch.data()).message());
}

KernelSpec reluOf(std::vector<int64_t> dims) {
  KernelSpec kernel = makeSpec("...->...", "max(a, 0)", "none");
  kernel.operands = {TensorDesc::rowMajor(DType::F32, dims)};
  kernel.results = kernel.operands;
  return kernel;
}

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

} // namespace

// Every kind of leaf op agrees with numpy to the last bit of f32.
TEST(ReferenceTest, agreesWithNumpy) {
  for (const Case &test : numpyCases)
    expectNumpy(test, /*isHoled=*/false);
}

// The layout of operands and result does not matter.
TEST(ReferenceTest, readsAndWritesAnyStrides) {
  for (const Case &test : numpyCases)
    expectNumpy(test, /*isHoled=*/true);
}

// A stride of 0 repeats one element, negative ones read backwards.
TEST(ReferenceTest, readsRepeatedAndReversedElements) {
  KernelSpec kernel = makeSpec("...,...->...", "a * 10 + b", "none");
  kernel.operands = {{DType::F64, {2, 2}, {0, 0}}, {DType::F64, {2}, {-1}}};
  kernel.results = {TensorDesc::rowMajor(DType::F64, {2, 2})};
  double a = 4, b[] = {1, 2};
  const void *pointers[] = {&a, b + 1};
  double result[4];
  ASSERT_TRUE(evaluateReference(kernel, pointers, result).isOk());
  EXPECT_EQ((std::vector<double>(result, result + 4)),
            (std::vector<double>{42, 41, 42, 41}));
}

// Sums are rounded once: 1 survives beside 2^24 in f32, and 2^-11 beside 1 in
// f16 where a second rounding by way of f32 would lose a bit.
TEST(ReferenceTest, roundsOnce) {
  KernelSpec sum = makeSpec("x->", "a", "sum");
  sum.operands = {TensorDesc::rowMajor(DType::F32, {3})};
  sum.results = {TensorDesc::rowMajor(DType::F32, {})};
  EXPECT_EQ(evaluateValues(sum, {{{3}, {16777216, 1, 1}}}),
            std::vector<double>{16777218});
  double justAboveTie = 1 + std::ldexp(1, -11) + std::ldexp(1, -40);
  EXPECT_EQ(elementwise("a", {{DType::F64, {justAboveTie}}}, DType::F16),
            std::vector<double>{1 + std::ldexp(1, -10)});
  justAboveTie = 1 + std::ldexp(1, -8) + std::ldexp(1, -40);
  EXPECT_EQ(elementwise("a", {{DType::F64, {justAboveTie}}}, DType::BF16),
            std::vector<double>{1 + std::ldexp(1, -7)});
}

// NaN wins in maximum and minimum, wherever it stands.
TEST(ReferenceTest, extremesPropagateNaN) {
  for (std::string combiner : {"maximum", "minimum"}) {
    KernelSpec kernel = makeSpec("mx->m", "a", combiner);
    kernel.operands = {TensorDesc::rowMajor(DType::F32, {3, 3})};
    kernel.results = {TensorDesc::rowMajor(DType::F32, {3})};
    std::vector<double> found = evaluateValues(
        kernel,
        {{{3, 3}, {notANumber, 1, 2, 1, notANumber, 2, 1, 2, notANumber}}});
    for (double value : found)
      EXPECT_TRUE(std::isnan(value)) << combiner;
  }
}

// An empty reduction is the combiner's identity, for integers the extreme of
// the result's type.
TEST(ReferenceTest, emptyReductionsAreIdentities) {
  auto emptyOf = [](std::string combiner, DType type) {
    KernelSpec kernel = makeSpec("x->", "a", std::move(combiner));
    kernel.operands = {TensorDesc::rowMajor(type, {0})};
    kernel.results = {TensorDesc::rowMajor(type, {})};
    return evaluateValues(kernel, {{{0}, {}}})[0];
  };
  EXPECT_EQ(emptyOf("sum", DType::F32), 0);
  EXPECT_EQ(emptyOf("product", DType::I32), 1);
  EXPECT_EQ(emptyOf("maximum", DType::F32), -infinite);
  EXPECT_EQ(emptyOf("minimum", DType::F16), infinite);
  EXPECT_EQ(emptyOf("maximum", DType::I8), -128);
  EXPECT_EQ(emptyOf("minimum", DType::U8), 255);
  EXPECT_EQ(emptyOf("minimum", DType::U64), std::ldexp(1, 64));
  EXPECT_EQ(emptyOf("maximum", DType::U32), 0);
  EXPECT_EQ(emptyOf("maximum", DType::I1), 0);
  EXPECT_EQ(emptyOf("minimum", DType::I1), 1);
}

// Casts truncate and clamp; anything but zero is true; integers wrap.
TEST(ReferenceTest, converts) {
  using List = std::vector<double>;
  EXPECT_EQ(
      elementwise("a", {{DType::F32, {1.9, -1.9, 1e20, -infinite, notANumber}}},
                  DType::I32),
      (List{1, -1, 2147483647, -2147483648.0, 0}));
  EXPECT_EQ(
      elementwise("a", {{DType::F32, {0, -0.0, 0.25, notANumber}}}, DType::I1),
      (List{0, 0, 1, 1}));
  EXPECT_EQ(elementwise("a", {{DType::I32, {300, -1}}}, DType::U8),
            (List{44, 255}));
  EXPECT_EQ(
      elementwise("a + b", {{DType::I8, {127}}, {DType::I8, {1}}}, DType::I8),
      List{-128});
}

// A u64 beyond 2^63 is no negative number, whatever is computed of it.
TEST(ReferenceTest, computesUnsigned) {
  using List = std::vector<double>;
  const double large = std::ldexp(1, 63), two = 2;
  auto of = [&](const char *expression, DType to) {
    return elementwise(expression,
                       {{DType::U64, {large, two}}, {DType::U64, {two, large}}},
                       to);
  };
  EXPECT_EQ(of("a", DType::F32), (List{large, two}));
  EXPECT_EQ(of("a / b", DType::U64), (List{std::ldexp(1, 62), 0}));
  EXPECT_EQ(of("mod(a, b + 1)", DType::U64), (List{2, two}));
  EXPECT_EQ(of("max(a, b)", DType::U64), (List{large, large}));
  EXPECT_EQ(of("min(a, b)", DType::U64), (List{two, two}));
  EXPECT_EQ(of("a < b", DType::I1), (List{0, 1}));
  EXPECT_EQ(of("shift_right(a, b)", DType::U64), (List{std::ldexp(1, 61), 0}));
  EXPECT_EQ(of("abs(a)", DType::U64), (List{large, two}));
  EXPECT_EQ(of("pow(b, a)", DType::U64), (List{0, 0}));
  EXPECT_EQ(of("pow(a + 3, a)", DType::U64), (List{1, 25}));
}

// The first operand that is no truth value decides between integers and floats.
TEST(ReferenceTest, workingTypeIgnoresTruthValues) {
  using List = std::vector<double>;
  EXPECT_EQ(elementwise("select(a, b, c)",
                        {{DType::I1, {1, 0}},
                         {DType::F32, {0.5, 0.5}},
                         {DType::F32, {0.25, 0.25}}},
                        DType::F32),
            (List{0.5, 0.25}));
  EXPECT_EQ(
      elementwise("a / b", {{DType::I32, {-7}}, {DType::I32, {2}}}, DType::I32),
      List{-3});
  EXPECT_EQ(elementwise("a < b", {{DType::F64, {0.5}}, {DType::F64, {0.75}}},
                        DType::I1),
            List{1});
  EXPECT_EQ(elementwise("a == b", {{DType::I1, {1, 0}}, {DType::I1, {1, 1}}},
                        DType::I1),
            (List{1, 0}));
}

// 2^62 + 1 is no double; integers are never computed as such.
TEST(ReferenceTest, integersAreExact) {
  KernelSpec kernel = makeSpec("...->...", "a * 3", "none");
  kernel.operands = {TensorDesc::rowMajor(DType::I64, {})};
  kernel.results = kernel.operands;
  int64_t value = (int64_t{1} << 60) + 1, result = 0;
  const void *pointers[] = {&value};
  ASSERT_TRUE(evaluateReference(kernel, pointers, &result).isOk());
  EXPECT_EQ(result, 3 * value);
}

// Functions against values from tables.
TEST(ReferenceTest, evaluatesFunctions) {
  auto at = [](std::string expression, double x) {
    return elementwise(std::move(expression), {{DType::F64, {x}}},
                       DType::F64)[0];
  };
  EXPECT_DOUBLE_EQ(at("exp(a)", 1), 2.718281828459045);
  EXPECT_DOUBLE_EQ(at("log(a)", 2), 0.6931471805599453);
  EXPECT_DOUBLE_EQ(at("erf(a)", 0.5), 0.5204998778130465);
  EXPECT_DOUBLE_EQ(at("tanh(a)", 0.5), 0.46211715726000975);
  EXPECT_DOUBLE_EQ(at("rsqrt(a)", 4), 0.5);
  EXPECT_DOUBLE_EQ(at("1 / (1 + exp(-a))", 0), 0.5);
  EXPECT_DOUBLE_EQ(at("pow(a, 3)", -2), -8);
}

// An index that another operand holds counts from the end where negative.
TEST(ReferenceTest, readsByIndex) {
  KernelSpec kernel = makeSpec("[x{b}axis],j->[x(j)axis]", "a", "none");
  kernel.attrs.set("axis", std::vector<int64_t>{1});
  kernel.operands = {TensorDesc::rowMajor(DType::F32, {2, 3}),
                     TensorDesc::rowMajor(DType::I32, {4})};
  kernel.results = {TensorDesc::rowMajor(DType::F32, {2, 4})};
  EXPECT_EQ(evaluateValues(
                kernel, {{{2, 3}, {1, 2, 3, 4, 5, 6}}, {{4}, {2, 0, -1, -3}}}),
            (std::vector<double>{3, 1, 3, 1, 6, 4, 6, 4}));
}

// One outside fails the run, and says which.
TEST(ReferenceTest, indicesOutsideAreErrors) {
  KernelSpec kernel = makeSpec("[x{b}axis],j->[x(j)axis]", "a", "none");
  kernel.operands = {TensorDesc::rowMajor(DType::F32, {3}),
                     TensorDesc::rowMajor(DType::I64, {2})};
  kernel.results = {TensorDesc::rowMajor(DType::F32, {2})};
  std::array<float, 3> row = {1, 2, 3};
  std::array<float, 2> result{};
  for (int64_t index : {int64_t{3}, int64_t{-4}, INT64_MAX, INT64_MIN}) {
    std::array<int64_t, 2> indices = {0, index};
    const void *operands[] = {row.data(), indices.data()};
    EXPECT_EQ(evaluateReference(kernel, operands, result.data()).message(),
              "index " + std::to_string(index) +
                  " is outside of dim 0 of operand 0, expected -3 to 2");
  }
}

// Indices keep their sign whatever the elements are that they select.
TEST(ReferenceTest, readsIndicesInTheirOwnType) {
  constexpr uint64_t most = UINT64_MAX;
  KernelSpec kernel = makeSpec("[x{b}axis],j->[x(j)axis]", "a", "none");
  kernel.operands = {TensorDesc::rowMajor(DType::U64, {4}),
                     TensorDesc::rowMajor(DType::I64, {3})};
  kernel.results = {TensorDesc::rowMajor(DType::U64, {3})};
  const std::array<uint64_t, 4> table = {1, (most >> 1) + 6, most, 7};
  const std::array<int64_t, 3> signedIndices = {-1, 0, -3};
  std::array<uint64_t, 3> result{};
  const void *operands[] = {table.data(), signedIndices.data()};
  const Status status = evaluateReference(kernel, operands, result.data());
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(result, (std::array<uint64_t, 3>{7, 1, (most >> 1) + 6}));

  kernel.operands[1].type = DType::U64;
  const std::array<uint64_t, 3> indices = {3, most, 0};
  operands[1] = indices.data();
  for (DType type : {DType::U64, DType::I64}) {
    kernel.operands[0].type = kernel.results[0].type = type;
    EXPECT_EQ(evaluateReference(kernel, operands, result.data()).message(),
              "index 18446744073709551615 is outside of dim 0 of operand 0, "
              "expected 0 to 3");
  }
}

// A u64 that is compared with positions is at none if it is beyond them all.
TEST(ReferenceTest, comparesUnsignedWithPositions) {
  KernelSpec kernel = makeSpec("[x]->[x(p)axis]|p=size",
                               "select(select(a < 0, a + size, a) == index(p), "
                               "index(x@axis), -1)",
                               "maximum");
  kernel.attrs.set("size", std::vector<int64_t>{4});
  kernel.attrs.set("axis", std::vector<int64_t>{0});
  kernel.operands = {TensorDesc::rowMajor(DType::U64, {3})};
  kernel.results = {TensorDesc::rowMajor(DType::I64, {4})};
  const std::array<uint64_t, 3> indices = {UINT64_MAX, 1, UINT64_MAX - 1};
  std::array<int64_t, 4> result{};
  const void *operands[] = {indices.data()};
  const Status status = evaluateReference(kernel, operands, result.data());
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(result, (std::array<int64_t, 4>{-1, 1, -1, -1}));
}

// The expression may ask where a point is.
TEST(ReferenceTest, readsPositions) {
  KernelSpec kernel =
      makeSpec("mn->mn", "a + 10 * index(m) + index(n)", "none");
  kernel.operands = {TensorDesc::rowMajor(DType::F32, {2, 3})};
  kernel.results = kernel.operands;
  EXPECT_EQ(evaluateValues(kernel, {{{2, 3}, {0, 0, 0, 0, 0, 0.5}}}),
            (std::vector<double>{0, 1, 2, 10, 11, 12.5}));
}

// The kernel runs in the workspace it asks for, more than once.
TEST(ReferenceTest, kernelRunsAgain) {
  class NoContext final : public PrepareContext {
    int numThreads() const override { return 1; }
    bool isConstant(int) const override { return false; }
    StatusOr<const void *> packedOperand(int, std::string_view, size_t,
                                         const PackFunction &) override {
      return unimplemented("nothing is packed here");
    }
  } context;
  auto kernel = prepareReference(reluOf({3}), context);
  ASSERT_TRUE(kernel.isOk());
  // Pointwise ops are computed where their tensors lie.
  EXPECT_EQ((*kernel)->workspaceBytes(), 0u);
  std::vector<double> workspace(6);
  for (float sign : {1.0f, -1.0f}) {
    std::array<float, 3> from = {-1 * sign, 0, 2 * sign}, to{};
    void *buffers[] = {from.data(), to.data()};
    ASSERT_TRUE((*kernel)->run({buffers, workspace.data()}).isOk());
    EXPECT_EQ(to, (sign > 0 ? std::array<float, 3>{0, 0, 2}
                            : std::array<float, 3>{1, 0, 0}));
  }
}

// Everything that cannot be evaluated is named.
TEST(ReferenceTest, refusesWithReasons) {
  auto expectError = [](const KernelSpec &kernel, std::string_view part) {
    EXPECT_NE(errorOf(kernel).find(part), std::string::npos) << errorOf(kernel);
  };
  KernelSpec kernel = reluOf({2});
  kernel.postOps = {{"eltwise_relu", 0, 0, -1}};
  expectError(kernel, "takes no post-ops, found 'eltwise_relu'");
  kernel = reluOf({2});
  kernel.results.clear();
  expectError(kernel, "expects one result, found 0");
  kernel = reluOf({2});
  kernel.results[0] = TensorDesc::rowMajor(DType::F32, {3});
  expectError(kernel, "the result is 3, expected 2 by index spec '...->...'");
  kernel = reluOf({2});
  kernel.operands[0].strides.clear();
  expectError(kernel, "operand 0 has 0 strides, expected 1");
  kernel = reluOf({2});
  kernel.operands[0].dims = {-1};
  expectError(kernel, "operand 0 has a dim of -1, expected known sizes");
  kernel = reluOf({2});
  kernel.attrs.set("combiner", std::string("average"));
  expectError(kernel, "attribute 'combiner' is 'average', expected 'none'");
  kernel.attrs.set("combiner", std::vector<int64_t>{1});
  expectError(kernel, "expects a text attribute 'combiner'");
  kernel = reluOf({2});
  kernel.attrs.set("expression", std::string("max(a, alpha)"));
  expectError(kernel, "the expression reads 'alpha', expected a numeric");
  kernel.attrs.set("expression", std::string("a + b"));
  expectError(kernel, "the expression reads operand 1");
  kernel = reluOf({2});
  kernel.attrs.set("fill", std::string("value"));
  expectError(kernel, "'fill' names 'value', expected a numeric attribute");
  kernel = reluOf({2});
  kernel.attrs.set("spec", std::string("x->"));
  kernel.results[0] = TensorDesc::rowMajor(DType::F32, {});
  expectError(kernel, "dim 'x' is reduced, expected a combiner");
  kernel = reluOf({int64_t{1} << 40, int64_t{1} << 20});
  expectError(kernel, "does not fit into memory");
  EXPECT_NE(evaluateReference(reluOf({2}), {}, nullptr)
                .message()
                .find("expected 1 operand buffers, found 0"),
            std::string_view::npos);
}
