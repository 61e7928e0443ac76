//===- MeaningMapTest.cpp - Equal ops are looked at once ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/MeaningMap.h"

#include "weir/Compiler/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace weir;

namespace {

class MeaningMapTest : public ::testing::Test {
protected:
  MeaningMapTest() : context(makeRegistry()) {
    context.loadAllAvailableDialects();
  }

  /// How many of the ops of `text` are new to a map, in order.
  int countNew(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (!module)
      return -1;
    MeaningMap<int> map;
    int made = 0;
    module->walk([&](WeirOpInterface op) {
      const int before = made;
      const int known = map.get(op, [&](WeirOpInterface) { return ++made; });
      EXPECT_EQ(map.get(op, [](WeirOpInterface) { return -1; }), known);
      EXPECT_LE(known, before + 1);
    });
    return made;
  }

  mlir::MLIRContext context;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerWeirDialects(registry);
    return registry;
  }
};

// Neither operands, nor names, nor devices tell ops apart.
TEST_F(MeaningMapTest, OpsAreEqual) {
  EXPECT_EQ(countNew(R"(
    func.func @main(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>)
        -> tensor<4x8xf32> {
      %a = weir.softmax %x : tensor<4x8xf32>
      %b = weir.softmax %z on "cpu:1" : tensor<4x8xf32>
      %c = weir.softmax %b on "cpu:0" : tensor<4x8xf32>
      return %c : tensor<4x8xf32>
    })"),
            1);
}

// Attributes, element types, shapes and the number of operands do.
TEST_F(MeaningMapTest, OpsDiffer) {
  EXPECT_EQ(countNew(R"(
    func.func @main(%x: tensor<4x8xf32>, %h: tensor<4x8xbf16>,
                    %s: tensor<8x4xf32>) -> tensor<4x16xf32> {
      %a = weir.softmax %x : tensor<4x8xf32>
      %b = weir.softmax %x {axis = 0} : tensor<4x8xf32>
      %c = weir.softmax %h : tensor<4x8xbf16>
      %d = weir.softmax %s : tensor<8x4xf32>
      %e = weir.log_softmax %x : tensor<4x8xf32>
      %f = weir.concat %x, %x {axis = 1} : tensor<4x8xf32>, tensor<4x8xf32>
      %g = weir.concat %x {axis = 1} : tensor<4x8xf32>
      return %f : tensor<4x16xf32>
    })"),
            7);
}

// 1,000 equal composites are expanded as often as one: the second choice of a
// kernel is the first one's object.
TEST_F(MeaningMapTest, KernelsAreChosenOnce) {
  std::string text = "func.func @main(%v0: tensor<4x8xf32>) -> "
                     "tensor<4x8xf32> {\n";
  for (int op = 1; op <= 1000; ++op)
    text += "  %v" + std::to_string(op) + " = weir.gelu %v" +
            std::to_string(op - 1) + " : tensor<4x8xf32>\n";
  text += "  return %v1000 : tensor<4x8xf32>\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  const DeviceDesc first, second;
  KernelChooser kernels(/*allowReference=*/false);
  CostTable costs;
  std::set<const void *> choices, found;
  module->walk([&](WeirOpInterface op) {
    const KernelChoice &choice = kernels.choose(op, first);
    EXPECT_EQ(choice.kind, KernelChoice::Kind::Generated);
    choices.insert(&choice);
    choices.insert(&kernels.choose(op, second));
    found.insert(&costs.get(op));
  });
  EXPECT_EQ(choices.size(), 2U);
  EXPECT_EQ(found.size(), 1U);
}

} // namespace
