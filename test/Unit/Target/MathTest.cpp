//===- MathTest.cpp - The error of generated functions ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Compares generated code with the C library in a wider type. Every 257th f32
// is tried, or every WEIR_SWEEP_STRIDEth.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Code/CodeObject.h"
#include "weir/Compiler/Registration.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Target/CPU/CompileKernels.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>
#include <utility>
#include <vector>

using namespace weir;

namespace {

constexpr size_t blockSize = 1 << 16;

/// A function of one argument, compiled for this machine.
template <typename T> class Compiled {
public:
  /// `body` gives %r from %v; !v is the type of both: vectors of 16, or single
  /// numbers.
  explicit Compiled(const std::string &body, bool isScalar = false) {
    mlir::DialectRegistry registry;
    registerWeirDialects(registry);
    registerLoopDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        isScalar ? scalarText(body) : text(body), &context);
    if (!module)
      return;
    auto compiled = compileKernels(*module);
    if (mlir::failed(compiled))
      return;
    auto loaded = CodeObject::load(
        std::as_bytes(std::span<const char>(compiled->object)));
    EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
    if (loaded.isOk())
      code = *std::move(loaded);
  }

  explicit operator bool() const { return code != nullptr; }

  /// The values at `count` arguments, a multiple of 16.
  void run(const std::vector<T> &arguments, std::vector<T> &values) const {
    void *buffers[] = {const_cast<T *>(arguments.data()), values.data()};
    WeirKernelArgs args = {buffers, nullptr, 0,
                           static_cast<int64_t>(arguments.size()), nullptr};
    code->function(0)(&args);
  }

  T operator()(T argument) const {
    std::vector<T> arguments(16, argument), values(16);
    run(arguments, values);
    return values[0];
  }

private:
  static std::string text(const std::string &body) {
    const char *element = sizeof(T) == 4 ? "f32" : "f64";
    return fmt::format(R"(
      !v = vector<16x{0}>
      module attributes {{weir.target_cpu = "native"}} {{
        func.func @f(%x: memref<{1}x{0}>, %y: memref<{1}x{0}>, %begin: index,
                     %end: index, %scratch: memref<0xi8>) {{
          %step = arith.constant 16 : index
          scf.for %i = %begin to %end step %step {{
            %v = vector.load %x[%i] : memref<{1}x{0}>, !v
            {2}
            vector.store %r, %y[%i] : memref<{1}x{0}>, !v
          }}
          return
        }}
      }})",
                       element, blockSize, body);
  }

  static std::string scalarText(const std::string &body) {
    const char *element = sizeof(T) == 4 ? "f32" : "f64";
    return fmt::format(R"(
      !v = {0}
      module attributes {{weir.target_cpu = "native"}} {{
        func.func @f(%x: memref<{1}x{0}>, %y: memref<{1}x{0}>, %begin: index,
                     %end: index, %scratch: memref<0xi8>) {{
          %step = arith.constant 1 : index
          scf.for %i = %begin to %end step %step {{
            %v = memref.load %x[%i] : memref<{1}x{0}>
            {2}
            memref.store %r, %y[%i] : memref<{1}x{0}>
          }}
          return
        }}
      }})",
                       element, blockSize, body);
  }

  std::unique_ptr<CodeObject> code;
};

std::string call(const std::string &op) { return "%r = " + op + " %v : !v"; }

uint64_t stride() {
  const char *text = std::getenv("WEIR_SWEEP_STRIDE");
  const uint64_t given = text ? std::strtoull(text, nullptr, 10) : 0;
  return given ? given : 257;
}

/// The distance in units in the last place of an f32 of the size of `scale`.
/// Results below the normal numbers may be zero.
double distance(float found, double exact, double scale) {
  if (std::isnan(exact) || std::isnan(found))
    return std::isnan(exact) && std::isnan(found) ? 0 : HUGE_VAL;
  const auto rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(found))
    return rounded == found ? 0 : HUGE_VAL;
  constexpr double leastNormal = 0x1p-126;
  if (std::abs(exact) < leastNormal && std::abs(found) <= leastNormal)
    return 0;
  constexpr uint64_t exponentBits = uint64_t(0x7FF) << 52;
  const auto power = std::bit_cast<double>(
      std::bit_cast<uint64_t>(std::max(std::abs(scale), leastNormal)) &
      exponentBits);
  return std::abs(found - exact) / (power * 0x1p-23);
}

struct Function {
  const char *name;
  std::string body;
  double (*exact)(double);
  /// Whether errors are relative to the argument, not to the result.
  bool scalesByArgument;
};

const Function functions[] = {
    {"exp", call("math.exp"), std::exp, false},
    {"expm1", call("math.expm1"), std::expm1, false},
    {"log", call("math.log"), std::log, false},
    {"log1p", call("math.log1p"), std::log1p, false},
    {"tanh", call("math.tanh"), std::tanh, false},
    {"erf", call("math.erf"), std::erf, false},
    {"sin", call("math.sin"), std::sin, false},
    {"cos", call("math.cos"), std::cos, false},
    {"tan", call("math.tan"), std::tan, false},
    {"sigmoid", R"(
       %one = arith.constant dense<1.0> : !v
       %n = arith.negf %v : !v
       %e = math.exp %n : !v
       %s = arith.addf %one, %e : !v
       %r = arith.divf %one, %s : !v)",
     [](double x) { return 1 / (1 + std::exp(-x)); }, false},
    {"gelu", R"(
       %one = arith.constant dense<1.0> : !v
       %half = arith.constant dense<0.5> : !v
       %root = arith.constant dense<0.70710678118654752> : !v
       %a = arith.mulf %v, %root : !v
       %e = math.erf %a : !v
       %s = arith.addf %one, %e : !v
       %h = arith.mulf %half, %v : !v
       %r = arith.mulf %h, %s : !v)",
     [](double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); }, true},
};

/// The argument with the largest error. Among equals it is the one with the
/// lowest bits, whichever thread finds it first.
struct Worst {
  double error = 0;
  uint32_t bits = 0;

  void take(const Worst &other) {
    if (std::pair(other.error, bits) > std::pair(error, other.bits))
      *this = other;
  }
};

/// Tries every `stride`th of the arguments from the one of these bits.
Worst sweepBlock(const Function &function, const Compiled<float> &compiled,
                 uint64_t bits, uint64_t stride) {
  std::vector<float> arguments(blockSize), values(blockSize);
  for (float &argument : arguments) {
    argument = std::bit_cast<float>(static_cast<uint32_t>(bits));
    bits += stride;
  }
  compiled.run(arguments, values);
  Worst worst;
  for (size_t i = 0; i < blockSize; ++i) {
    const double x = arguments[i], exact = function.exact(x);
    worst.take(
        {distance(values[i], exact, function.scalesByArgument ? x : exact),
         std::bit_cast<uint32_t>(arguments[i])});
  }
  return worst;
}

/// Tries every `stride`th argument there is, on all cores.
Worst sweep(const Function &function, const Compiled<float> &compiled,
            uint64_t stride) {
  std::atomic<uint64_t> next = 0;
  std::vector<Worst> found(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (Worst &worst : found)
    threads.emplace_back([&] {
      for (uint64_t bits;
           (bits = next.fetch_add(blockSize * stride)) >> 32 == 0;)
        worst.take(sweepBlock(function, compiled, bits, stride));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Worst &worst : found)
    found.front().take(worst);
  return found.front();
}

class Sweep : public testing::TestWithParam<Function> {};

} // namespace

// At most 4 units in the last place, over all f32 values.
TEST_P(Sweep, IsWithinFourUnits) {
  const Function &function = GetParam();
  Compiled<float> compiled(function.body);
  ASSERT_TRUE(compiled);
  const auto [error, bits] = sweep(function, compiled, stride());
  const auto argument = std::bit_cast<float>(bits);
  RecordProperty("worst_ulp", std::to_string(error));
  std::printf("%s: at most %.3f ulp, at %a\n", function.name, error, argument);
  EXPECT_LE(error, 4) << "at " << argument << ": found " << compiled(argument)
                      << ", expected " << function.exact(argument);
}

INSTANTIATE_TEST_SUITE_P(AllFunctions, Sweep, testing::ValuesIn(functions),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

namespace {

struct Wide {
  const char *op;
  double (*exact)(double);
  double low, high;
};

/// f64 arguments, and so f32 ones, which go by way of them.
constexpr Wide wideFunctions[] = {
    {"math.exp", std::exp, -700, 700},
    {"math.expm1", std::expm1, -50, 700},
    {"math.log", std::log, 1e-300, 1e3},
    {"math.log1p", std::log1p, -0.999, 1e3},
    {"math.tanh", std::tanh, -20, 20},
    {"math.erf", std::erf, -6, 6},
    {"math.sin", std::sin, -1e6, 1e6},
    {"math.cos", std::cos, -1e6, 1e6},
    {"math.tan", std::tan, -100, 100},
    {"math.asin", std::asin, -1, 1},
    {"math.acos", std::acos, -1, 1},
    {"math.atan", std::atan, -50, 50},
    {"math.sinh", std::sinh, -50, 50},
    {"math.cosh", std::cosh, -50, 50},
    {"math.asinh", std::asinh, -50, 50},
    {"math.acosh", std::acosh, 1, 100},
    {"math.atanh", std::atanh, -0.999, 0.999},
};

class WideFunctions : public testing::TestWithParam<Wide> {};

} // namespace

// A few units in the last place of an f64, next to zeros too.
TEST_P(WideFunctions, AreClose) {
  const Wide &function = GetParam();
  Compiled<double> compiled(call(function.op));
  ASSERT_TRUE(compiled);
  std::vector<double> arguments(blockSize), values(blockSize);
  for (size_t i = 0; i < blockSize; ++i)
    arguments[i] = function.low + (function.high - function.low) *
                                      static_cast<double>(i) / (blockSize - 1);
  compiled.run(arguments, values);
  for (size_t i = 0; i < blockSize; ++i) {
    const double exact = function.exact(arguments[i]);
    EXPECT_NEAR(values[i], exact, std::abs(exact) * 0x1p-48 + 0x1p-1000)
        << function.op << " of " << arguments[i];
  }
}

INSTANTIATE_TEST_SUITE_P(AllFunctions, WideFunctions,
                         testing::ValuesIn(wideFunctions),
                         [](const auto &info) {
                           return std::string(info.param.op).substr(5);
                         });

namespace {

/// The f64 closest to a multiple of pi/2 of all: they are 2^-61 apart.
constexpr double nearestTurn = 6381956970095103 * 0x1p797;

/// Angles of every size: ten of each power of two; the f32 and f64 nearest to
/// multiples of pi/2, where sine and cosine are next to zero; and ends.
std::vector<double> manyAngles() {
  std::vector<double> angles = {HUGE_VAL,    -HUGE_VAL, NAN,         0,
                                -0.0,        FLT_MAX,   -FLT_MAX,    DBL_MAX,
                                -DBL_MAX,    1e15,      1e16,        1e300,
                                nearestTurn, 0x1p40,    -nearestTurn};
  for (int power = -60; power < 1024; ++power)
    for (int i = 0; i < 10; ++i)
      angles.push_back(std::ldexp(1 + 0.0987654321 * i, power));
  const long double quarter = std::acos(0.0L);
  for (long double count = 1; count < 1e18L; count = 2 * count + 1) {
    angles.push_back(static_cast<double>(count * quarter));
    angles.push_back(static_cast<float>(count * quarter));
  }
  angles.resize((angles.size() + 15) / 16 * 16);
  return angles;
}

/// Whether both are NaN, or as near as the functions of f64 are.
bool isClose(double found, double exact) {
  if (std::isnan(found) || std::isnan(exact))
    return std::isnan(found) && std::isnan(exact);
  return std::abs(found - exact) <= std::abs(exact) * 0x1p-48;
}

} // namespace

// No angle is too large, and a large angle does not affect others in its
// vector.
TEST(Math, TurnsByAnyAngle) {
  const std::vector<double> angles = manyAngles();
  std::vector<double> values(angles.size()), scalars(angles.size());
  const std::pair<const char *, double (*)(double)> functions[] = {
      {"math.sin", std::sin}, {"math.cos", std::cos}, {"math.tan", std::tan}};
  for (const auto &[op, exact] : functions) {
    Compiled<double> vectors(call(op)), scalar(call(op), true);
    ASSERT_TRUE(vectors && scalar);
    vectors.run(angles, values);
    scalar.run(angles, scalars);
    for (size_t i = 0; i < angles.size(); ++i) {
      EXPECT_TRUE(isClose(values[i], exact(angles[i])))
          << fmt::format("{} of {:a}: found {}, expected {}", op, angles[i],
                         values[i], exact(angles[i]));
      EXPECT_EQ(std::bit_cast<uint64_t>(values[i]),
                std::bit_cast<uint64_t>(scalars[i]))
          << fmt::format("{} of {:a}", op, angles[i]);
    }
  }
}

// For f32 angles, fewer digits of 2/pi are needed, and results are the same.
TEST(Math, TurnsByWidenedAngles) {
  const std::vector<double> angles = manyAngles();
  std::vector<float> singles(angles.begin(), angles.end());
  std::vector<float> values(angles.size());
  // From what is given for the same f64 that is no f32 as it stands.
  Compiled<float> difference(
      "%w = arith.extf %v : !v to vector<16xf64>\n"
      "%s = math.sin %w : vector<16xf64>\n"
      "%two = arith.constant dense<2.0> : vector<16xf64>\n"
      "%half = arith.constant dense<0.5> : vector<16xf64>\n"
      "%twice = arith.mulf %w, %two : vector<16xf64>\n"
      "%same = arith.mulf %twice, %half : vector<16xf64>\n"
      "%t = math.sin %same : vector<16xf64>\n"
      "%d = arith.subf %s, %t : vector<16xf64>\n"
      "%r = arith.truncf %d : vector<16xf64> to !v");
  ASSERT_TRUE(difference);
  difference.run(singles, values);
  for (size_t i = 0; i < singles.size(); ++i)
    EXPECT_TRUE(values[i] == 0 || !std::isfinite(singles[i])) << singles[i];
}

// The sine of x is that of x - n pi. Here x is as close to n pi as an f64 can
// be, and the expected values were computed with 400 digits.
TEST(Math, TurnsByTheHardestAngle) {
  Compiled<double> sin(call("math.sin")), cos(call("math.cos"));
  ASSERT_TRUE(sin && cos);
  EXPECT_DOUBLE_EQ(sin(nearestTurn), 1.0);
  EXPECT_DOUBLE_EQ(cos(nearestTurn), -4.687165924254628e-19);
}

// What IEEE 754 and C say of the ends and of zeros.
TEST(Math, KeepsSpecialValues) {
  const float infinity = HUGE_VALF, nan = NAN;
  Compiled<float> exp(call("math.exp")), log(call("math.log"));
  Compiled<float> tanh(call("math.tanh")), erf(call("math.erf"));
  ASSERT_TRUE(exp && log && tanh && erf);
  EXPECT_EQ(exp(-infinity), 0);
  EXPECT_EQ(exp(infinity), infinity);
  EXPECT_TRUE(std::isnan(exp(nan)));
  EXPECT_EQ(exp(0), 1);
  EXPECT_EQ(log(0), -infinity);
  EXPECT_EQ(log(-0.0f), -infinity);
  EXPECT_EQ(log(infinity), infinity);
  EXPECT_TRUE(std::isnan(log(-1)));
  EXPECT_TRUE(std::isnan(log(nan)));
  EXPECT_EQ(log(1), 0);
  for (const auto *function : {&tanh, &erf}) {
    EXPECT_EQ((*function)(infinity), 1);
    EXPECT_EQ((*function)(-infinity), -1);
    EXPECT_TRUE(std::isnan((*function)(nan)));
    EXPECT_TRUE(std::signbit((*function)(-0.0f)));
  }
}

// Powers of and to zero, one, infinity and NaN follow C.
TEST(Math, RaisesAsCDoes) {
  const double values[] = {0.0, -0.0,  1.0,    -1.0, 2.0,      -2.0,
                           0.5, -0.5,  3.0,    -3.0, HUGE_VAL, -HUGE_VAL,
                           NAN, 1e300, 1e-300, 2.5};
  for (double exponent : values) {
    std::string text =
        std::isnan(exponent) || std::isinf(exponent)
            ? fmt::format("0x{:016X}", std::bit_cast<uint64_t>(exponent))
            : fmt::format("{:e}", exponent);
    Compiled<double> pow(fmt::format("%e = arith.constant dense<{}> : !v\n"
                                     "%r = math.powf %v, %e : !v",
                                     text));
    ASSERT_TRUE(pow);
    for (double base : values) {
      const double exact = std::pow(base, exponent), found = pow(base);
      if (std::isnan(exact))
        EXPECT_TRUE(std::isnan(found)) << base << " ^ " << exponent;
      else if (std::isinf(exact) || exact == 0)
        EXPECT_EQ(std::bit_cast<uint64_t>(found),
                  std::bit_cast<uint64_t>(exact))
            << base << " ^ " << exponent;
      else
        EXPECT_NEAR(found, exact, std::abs(exact) * 0x1p-52)
            << base << " ^ " << exponent;
    }
  }
}

// The remainder of f32 is exact, however large the quotient is.
TEST(Math, LeavesRemaindersAsCDoes) {
  const float values[] = {0.1f,  0.3f,  1.0f,    2.5f,    3.0f,    7.0f,
                          29.7f, 360,   1e7f,    1e15f,   4.6e15f, 9.1e15f,
                          1e18f, 1e20f, 3.3e30f, 3.4e38f, 1.2e-38f};
  for (float divisor : values)
    for (float sign : {1.0f, -1.0f}) {
      Compiled<float> rest(fmt::format("%d = arith.constant dense<{:e}> : !v\n"
                                       "%r = arith.remf %v, %d : !v",
                                       sign * divisor));
      ASSERT_TRUE(rest);
      for (float dividend : values) {
        EXPECT_EQ(rest(dividend), std::fmod(dividend, divisor))
            << dividend << " by " << sign * divisor;
        EXPECT_EQ(rest(-dividend), -std::fmod(dividend, divisor))
            << -dividend << " by " << sign * divisor;
      }
    }
}

// The same for f64: numbers of all sizes divided by each other.
TEST(Math, LeavesRemaindersOfDoublesAsCDoes) {
  std::vector<double> values = {
      0.0,         -0.0,        HUGE_VAL,     -HUGE_VAL, NAN,
      DBL_MAX,     DBL_MIN,     DBL_TRUE_MIN, -DBL_MAX,  3 * DBL_TRUE_MIN,
      1 - 0x1p-53, 1 + 0x1p-52, 0x1p53 - 1,   0x1p53,    0x1p54 + 4};
  for (int power = -1074; power < 1024; power += 41)
    values.push_back(
        std::ldexp(power % 2 == 0 ? 1.2345678901234567 : -1.75, power));
  std::vector<double> pairs;
  for (double dividend : values)
    for (double divisor : values)
      pairs.insert(pairs.end(), {dividend, divisor});
  pairs.resize((pairs.size() + 15) / 16 * 16);
  Compiled<double> rest(
      "%d = vector.shuffle %v, %v [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, "
      "12, 15, 14] : !v, !v\n"
      "%r = arith.remf %v, %d : !v");
  ASSERT_TRUE(rest);
  std::vector<double> found(pairs.size());
  rest.run(pairs, found);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const double exact = std::fmod(pairs[i], pairs[i ^ 1]);
    EXPECT_TRUE(std::isnan(exact) ? std::isnan(found[i])
                                  : std::bit_cast<uint64_t>(found[i]) ==
                                        std::bit_cast<uint64_t>(exact))
        << fmt::format("{:a} by {:a}: found {}, expected {}", pairs[i],
                       pairs[i ^ 1], found[i], exact);
  }
}

// Integer powers of integers are exact while an f64 can represent them.
TEST(Math, RaisesWholeNumbersExactly) {
  for (int exponent = 2; exponent <= 12; ++exponent) {
    Compiled<double> pow(fmt::format("%e = arith.constant dense<{:e}> : !v\n"
                                     "%r = math.powf %v, %e : !v",
                                     static_cast<double>(exponent)));
    ASSERT_TRUE(pow);
    double exact = 0;
    for (double base = 1; base <= 1000 && exact <= 0x1p53; ++base) {
      exact = 1;
      for (int i = 0; i < exponent; ++i)
        exact *= base;
      if (exact <= 0x1p53) {
        EXPECT_EQ(pow(base), exact) << base << " ^ " << exponent;
      }
    }
  }
}
