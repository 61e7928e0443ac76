//===- SystemErrorTest.cpp - Tests of errno as a Status ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/SystemError.h"
#include "gtest/gtest.h"

using namespace weir;

TEST(SystemError, NamesWhatFailedAndWhy) {
  const Status status = systemError("cannot read 'a.weir'", ENOENT);
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_EQ(status.message(),
            "cannot read 'a.weir': no such file or directory");
}

TEST(SystemError, TooManyOpenFilesHasARepair) {
  const Status status = systemError("cannot read 'a.weir'", EMFILE);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(status.message(),
            "cannot read 'a.weir': too many open files; close files, or raise "
            "the limit of open files (ulimit -n)");
}
