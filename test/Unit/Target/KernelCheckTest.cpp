//===- KernelCheckTest.cpp - Wrong kernels are found ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../../OpCheck/Generated.h"
#include "Runtime/Code/CodeObject.h"
#include "Target/Check/CheckKernels.h"
#include "Target/Check/ClusterCheck.h"
#include "Target/Check/Faults.h"
#include "weir/Compiler/Registration.h"
#include "weir/Conversion/ClusterToLoops.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <csignal>
#include <gtest/gtest.h>
#include <thread>

using namespace weir;
using namespace weir::kernelcheck;

namespace {

class KernelCheck : public testing::Test {
protected:
  KernelCheck() : context(makeRegistry()) {
    context.disableMultithreading();
    context.loadAllAvailableDialects();
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerWeirDialects(registry);
    registerLoopDialects(registry);
    return registry;
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  /// Whether the code of `kernel`, a function on the memory of an operand and a
  /// result of 40 f32, is what `op` means.
  Status check(const std::string &op, const std::string &kernel);

  mlir::MLIRContext context;
};

Status KernelCheck::check(const std::string &op, const std::string &kernel) {
  auto ops =
      parse("func.func @k(%x: tensor<40xf32>) -> tensor<40xf32> {\n"
            "  %y = weir." +
            op + " %x : tensor<40xf32>\n  return %y : tensor<40xf32>\n}");
  auto kernels = parse(
      "module attributes {weir.target_cpu = \"native\"} {\n"
      "func.func @k(%x: memref<40xf32>, %y: memref<40xf32>, %begin: index, "
      "%end: index, %scratch: memref<0xi8>) attributes {weir.tasks = 40 : i64, "
      "weir.grain = 1 : i64, weir.scratch = 0 : i64, "
      "weir.overwritten_by = array<i64: 0>} {\n"
      "  %one = arith.constant 1 : index\n" +
      kernel + "  return\n}\n}");
  if (!ops || !kernels)
    return invalidArgument("the test has a wrong text");
  auto compiled = compileKernels(*kernels);
  if (mlir::failed(compiled))
    return invalidArgument("the kernel cannot be compiled");
  WEIR_ASSIGN_OR_RETURN(
      std::unique_ptr<CodeObject> object,
      CodeObject::load(std::as_bytes(std::span<const char>(compiled->object))));
  auto cluster = *ops->getOps<mlir::func::FuncOp>().begin();
  KernelFunction function;
  function.function = *kernels->getOps<mlir::func::FuncOp>().begin();
  function.reads.push_back({ClusterBuffer::Kind::Operand, 0});
  function.writes.push_back({ClusterBuffer::Kind::Result, 0});
  function.overwrittenBy = {0};
  ClusterCode code;
  code.clusters["k"].functions.push_back(function);
  code.kernels = std::move(compiled->kernels);
  code.run = [&](const CompiledKernel &compiledKernel, void *const *buffers,
                 unsigned numRanges) {
    return runInRanges(*object, compiledKernel, buffers, numRanges);
  };
  int64_t numCompared = 0;
  return ClusterCheck(cluster, code).run(numCompared);
}

constexpr const char *absKernel = R"(
  scf.for %i = %begin to %end step %one {
    %v = memref.load %x[%i] : memref<40xf32>
    %r = math.absf %v : f32
    memref.store %r, %y[%i] : memref<40xf32>
  }
)";

TEST_F(KernelCheck, RightCodePasses) {
  const Status status = check("abs", absKernel);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_F(KernelCheck, AnotherFunctionIsFound) {
  const Status status = check("relu", absKernel);
  EXPECT_NE(status.message().find("of result 0 should be 0, found"),
            std::string_view::npos)
      << status.message();
}

TEST_F(KernelCheck, StoresBesideABufferAreFound) {
  const Status status = check("abs", std::string(absKernel) + R"(
    %i40 = arith.constant 40 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %y[%i40] : memref<40xf32>
  )");
  EXPECT_NE(status.message().find("writes beside"), std::string_view::npos)
      << status.message();
}

TEST_F(KernelCheck, ReadsBesideABufferAreFound) {
  for (const char *place : {"-1", "40"}) {
    const Status status = check("abs", std::string(absKernel) + R"(
    %beside = arith.constant )" + place + R"( : index
    %i0 = arith.constant 0 : index
    %v = memref.load %x[%beside] : memref<40xf32>
    memref.store %v, %y[%i0] : memref<40xf32>
  )");
    EXPECT_NE(status.message().find("accesses memory beside an operand"),
              std::string_view::npos)
        << place << ": " << status.message();
  }
}

TEST_F(KernelCheck, StoresToOperandsAreFound) {
  const Status status = check("abs", std::string(absKernel) + R"(
    %i0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[%i0] : memref<40xf32>
  )");
  EXPECT_NE(status.message().find("writes to an operand"),
            std::string_view::npos)
      << status.message();
}

TEST_F(KernelCheck, ElementsThatARangeLeavesOutAreFound) {
  // The first task of a range is missing, but not that of all tasks.
  const Status status = check("abs", R"(
  %zero = arith.constant 0 : index
  %isFirst = arith.cmpi eq, %begin, %zero : index
  %next = arith.addi %begin, %one : index
  %from = arith.select %isFirst, %begin, %next : index
  scf.for %i = %from to %end step %one {
    %v = memref.load %x[%i] : memref<40xf32>
    %r = math.absf %v : f32
    memref.store %r, %y[%i] : memref<40xf32>
  }
)");
  EXPECT_NE(status.message().find("several ranges"), std::string_view::npos)
      << status.message();
}

TEST_F(KernelCheck, ReadsBehindStoresAreFoundInPlace) {
  // Correct unless the result lies where the operand does.
  const Status status = check("abs", R"(
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %one {
    memref.store %zero, %y[%i] : memref<40xf32>
    %v = memref.load %x[%i] : memref<40xf32>
    %r = math.absf %v : f32
    memref.store %r, %y[%i] : memref<40xf32>
  }
)");
  EXPECT_NE(status.message().find("overwrites an operand"),
            std::string_view::npos)
      << status.message();
}

/// Clusters of sums, products, overflow and padding.
const char *const numbers = R"mlir(

  func.func @softmax(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
    %y = weir.softmax %x {axis = 1} : tensor<3x37xf32>
    return %y : tensor<3x37xf32>
  }
  func.func @overflow(%x: tensor<300xf32>) -> tensor<300xf32> {
    %a = weir.mul %x, %x : tensor<300xf32>, tensor<300xf32>
    %b = weir.silu %a : tensor<300xf32>
    %p = weir.pow %b, %x : tensor<300xf32>, tensor<300xf32>
    %y = weir.tanh %p : tensor<300xf32>
    return %y : tensor<300xf32>
  }
  func.func @product(%x: tensor<4x900xf32>) -> tensor<4xf32> {
    %e = weir.exp %x : tensor<4x900xf32>
    %y = weir.reduce_prod %e {axes = [1], keepdims = false}
        : tensor<4x900xf32>
    return %y : tensor<4xf32>
  }
  !padded = tensor<1x2x3x3xf32>
  func.func @padded(%x: !padded, %w: tensor<2x2x3x3xf32>) -> !padded {
    %y = weir.conv %x, %w {pads = [1, 1, 1, 1]} : !padded, tensor<2x2x3x3xf32>
    return %y : !padded
  }
)mlir";

/// Clusters of casts, layouts and parts.
const char *const places = R"mlir(

  func.func @limits(%x: tensor<40xf32>, %none: tensor<0xui64>)
      -> (tensor<40xui64>, tensor<40xi8>) {
    %u = weir.cast %x {to = ui64} : tensor<40xf32>
    %y = weir.concat %none, %u {axis = 0} : tensor<0xui64>, tensor<40xui64>
    %i = weir.cast %x {to = i8} : tensor<40xf32>
    return %y, %i : tensor<40xui64>, tensor<40xi8>
  }
  func.func @rounded(%x: tensor<400xf32>) -> tensor<400xbf16> {
    %y = weir.cast %x {to = bf16} : tensor<400xf32>
    return %y : tensor<400xbf16>
  }
  !last = tensor<1x3x2x2xf32, #weir.layout<[0, 2, 3, 1]>>
  func.func @layout(%g: !last, %x: !last, %c: tensor<3xf32>)
      -> (!last, tensor<3xf32>, tensor<3xf32>) {
    %d, %s, %b = weir.batch_norm_gradient %g, %x, %c, %c, %c
        : !last, !last, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
        -> (!last, tensor<3xf32>, tensor<3xf32>)
    return %d, %s, %b : !last, tensor<3xf32>, tensor<3xf32>
  }
  func.func @parts(%x: tensor<5x3xbf16>, %i: tensor<4xi64>)
      -> (tensor<5x6xbf16>, tensor<4x3xf32>, tensor<5xbf16>) {
    %a = weir.gelu %x : tensor<5x3xbf16>
    %y = weir.concat %x, %a {axis = 1} : tensor<5x3xbf16>, tensor<5x3xbf16>
    %c = weir.cast %x {to = f32} : tensor<5x3xbf16>
    %t = weir.take %c, %i {axis = 0} : tensor<5x3xf32>, tensor<4xi64>
    %m = weir.reduce_max %a {axes = [1], keepdims = false} : tensor<5x3xbf16>
    return %y, %t, %m : tensor<5x6xbf16>, tensor<4x3xf32>, tensor<5xbf16>
  }
)mlir";

TEST_F(KernelCheck, GeneratedCodeIsWhatItsOpsMean) {
  auto clusters = parse(std::string(numbers) + places);
  ASSERT_TRUE(clusters);
  auto all = llvm::to_vector(clusters->getOps<mlir::func::FuncOp>());
  auto code = opcheck::generateCode(all, opcheck::Machine::Cpu,
                                    /*isAssembled=*/false);
  ASSERT_TRUE(code.isOk()) << code.status().message();
  auto checks = checkClusters(all, *code);
  ASSERT_TRUE(mlir::succeeded(checks));
  EXPECT_EQ(checks->kernels, 8);
  EXPECT_EQ(checks->elements,
            2 * (3 * 37 + 300 + 4 + 18 + 80 + 400 + 18 + 5 * 6 + 4 * 3 + 5));
  EXPECT_TRUE(checks->leftOut.empty());
}

/// A product with an epilogue, and the launch that computes both.
std::string makeLaunch(const std::string &postOps) {
  return R"mlir(
  func.func @product(%x: tensor<5x64xf32>, %w: tensor<64x34xf32>,
                     %b: tensor<34xf32>) -> tensor<5x34xf32>
      attributes {weir.launch = {kernel = "matmul", config = {}, copies = [],
                                 post_ops = [)mlir" +
         postOps + R"mlir(]}} {
    %m = weir.matmul %x, %w : tensor<5x64xf32>, tensor<64x34xf32>
    %a = weir.sub %m, %b : tensor<5x34xf32>, tensor<34xf32>
    %y = weir.relu %a : tensor<5x34xf32>
    return %y : tensor<5x34xf32>
  }
)mlir";
}

constexpr const char *subtraction =
    "#weir.post_op<algorithm = \"binary_sub\", alpha = 0.0 : f64, "
    "beta = 0.0 : f64, operand = 2>";
constexpr const char *relu =
    "#weir.post_op<algorithm = \"eltwise_relu\", alpha = 0.0 : f64, "
    "beta = 0.0 : f64, operand = -1>";

TEST_F(KernelCheck, LibraryLaunchesAreWhatTheirOpsMean) {
  auto launches = parse(makeLaunch(std::string(subtraction) + ", " + relu));
  ASSERT_TRUE(launches);
  auto checks =
      checkLaunches(llvm::to_vector(launches->getOps<mlir::func::FuncOp>()));
  ASSERT_TRUE(mlir::succeeded(checks));
  EXPECT_EQ(checks->kernels, 1);
  // On one thread and on two.
  EXPECT_EQ(checks->elements, 2 * 5 * 34);
}

TEST_F(KernelCheck, MissingPostOpsAreFound) {
  auto launches = parse(makeLaunch(subtraction));
  ASSERT_TRUE(launches);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  auto checks =
      checkLaunches(llvm::to_vector(launches->getOps<mlir::func::FuncOp>()));
  EXPECT_TRUE(mlir::failed(checks));
  EXPECT_NE(message.find("kernel 'product' of matmul, sub, relu: element"),
            std::string::npos)
      << message;
}

/// Calls itself until the stack is used up.
int callWithoutEnd(volatile int *outer) {
  static volatile bool goesOn = true;
  volatile int inner[1024];
  inner[0] = outer ? *outer + 1 : 0;
  return goesOn ? callWithoutEnd(inner) + inner[0] : 0;
}

// The handler of the signal has memory of its own. Afterwards the thread goes
// on as before.
TEST(FindFault, SurvivesAStackOverflow) {
  for (int i = 0; i < 2; ++i) {
    const std::optional<Fault> fault =
        findFault([] { callWithoutEnd(nullptr); });
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->signal, SIGSEGV);
    EXPECT_NE(fault->address, nullptr);
  }
  EXPECT_FALSE(findFault([] {}));
}

// A thread of a team cannot be left, so the process ends with what was checked.
TEST(FindFaultDeathTest, SaysWhatWasCheckedWhenAnotherThreadFaults) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto faultOnAThread = [] {
    std::thread([] {
      int *volatile nowhere = nullptr;
      *nowhere = 1;
    }).join();
  };
  EXPECT_EXIT(findFault(faultOnAThread, "kernel 'conv'"),
              testing::ExitedWithCode(1), "kernel 'conv'");
#ifndef __SANITIZE_ADDRESS__
  EXPECT_EXIT(findFault(faultOnAThread), testing::KilledBySignal(SIGSEGV), "");
#endif
}

} // namespace
