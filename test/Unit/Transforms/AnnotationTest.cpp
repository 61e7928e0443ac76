//===- AnnotationTest.cpp - Which ops may be in one group -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Annotation.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace weir;

// A device and a stage are asked for one by one: an op that names one of them
// joins the group that has it, whatever the other one is there.
TEST(Annotation, ComparesDevicesAndStagesApart) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  const mlir::StringAttr cpu = builder.getStringAttr("cpu:0");
  const mlir::IntegerAttr five = builder.getI64IntegerAttr(5);
  const mlir::IntegerAttr six = builder.getI64IntegerAttr(6);
  const Annotation group{cpu, five};
  EXPECT_TRUE((Annotation{cpu, {}}).joins(group));
  EXPECT_TRUE((Annotation{{}, five}).joins(group));
  EXPECT_TRUE(Annotation().joins(group));
  EXPECT_FALSE((Annotation{cpu, six}).joins(group));
  EXPECT_FALSE(group.joins(Annotation{cpu, {}}));
  EXPECT_FALSE(group.joins(Annotation()));
}
