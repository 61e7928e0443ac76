//===- BoundSpecsTest.cpp - Specs are those of ops that change ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Registration.h"
#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <array>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace weir;

namespace {

class BoundSpecsTest : public ::testing::Test {
protected:
  BoundSpecsTest() : context(makeRegistry()) {
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      func.func @main(%x: tensor<1x2x9x9xf32>, %y: tensor<1x2x9x9xf32>,
                      %z: tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32> {
        %a = weir.sum_pool %x {kernel_shape = [3, 3], strides = [3, 3]}
          : tensor<1x2x9x9xf32>
        %b = weir.sum_pool %y {kernel_shape = [3, 3], strides = [3, 3],
                               device = "cpu:0"} : tensor<1x2x9x9xf32>
        %c = weir.sum_pool %z {kernel_shape = [2, 2], strides = [2, 2]}
          : tensor<1x2x6x6xf32>
        %ab = weir.add %a, %b : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
        %abc = weir.add %ab, %c : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
        return %abc : tensor<1x2x3x3xf32>
      })",
                                                     &context);
    if (module)
      module->walk([&](WeirOpInterface op) { ops.push_back(op); });
  }

  void SetUp() override { ASSERT_EQ(ops.size(), 5u); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<WeirOpInterface> ops;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerWeirDialects(registry);
    return registry;
  }
};

/// The coefficient of the loop over windows along the first spatial dim.
int64_t strideOf(const BoundSpec &spec) {
  const AffineIndex &index = spec.operands[0][2];
  return index.terms.empty() ? -1 : index.terms[0].coefficient;
}

// Ops of one record that differ in types or attributes have specs of their own.
TEST_F(BoundSpecsTest, AttributesAndTypesTellOpsApart) {
  EXPECT_EQ(strideOf(bindSpec(ops[0])), 3);
  EXPECT_EQ(strideOf(bindSpec(ops[1])), 3);
  EXPECT_EQ(strideOf(bindSpec(ops[2])), 2);
}

// An op that changes is bound anew.
TEST_F(BoundSpecsTest, ChangedOpsAreBoundAgain) {
  const BoundSpec before = bindSpec(ops[0]);
  const mlir::Attribute strides = ops[0]->getAttr("strides");
  ops[0]->setAttr("strides", mlir::Builder(&context).getI64ArrayAttr({2, 2}));
  const BoundSpec changed = bindSpec(ops[0]);
  EXPECT_EQ(strideOf(changed), 2);
  EXPECT_EQ(changed.resultDims, (std::vector<int64_t>{1, 2, 4, 4}));
  EXPECT_EQ(before.resultDims, (std::vector<int64_t>{1, 2, 3, 3}));
  ops[0]->setAttr("strides", strides);
  EXPECT_EQ(strideOf(bindSpec(ops[0])), 3);
}

// Threads may ask at once.
TEST_F(BoundSpecsTest, ThreadsShareSpecs) {
  std::array<BoundSpec, 8> found;
  std::vector<std::thread> threads;
  for (BoundSpec &place : found)
    threads.emplace_back([&] { place = bindSpec(ops[0]); });
  for (std::thread &thread : threads)
    thread.join();
  for (const BoundSpec &each : found)
    EXPECT_EQ(strideOf(each), 3);
}

} // namespace
