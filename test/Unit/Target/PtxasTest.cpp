//===- PtxasTest.cpp - Assemblers that hang -------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Target/NVPTX/Ptxas.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace weir;

// An assembler that does not end is ended.
TEST(PtxasTest, endsAtTheLimit) {
  namespace fs = std::filesystem;
  const fs::path home = fs::path(testing::TempDir()) / "weir-hanging-ptxas";
  fs::create_directories(home / "bin");
  const fs::path program = home / "bin" / "ptxas";
  std::ofstream(program) << "#!/bin/sh\n"
                            "[ \"$1\" = --version ] || exec sleep 100\n"
                            "echo release 13.0\n";
  fs::permissions(program, fs::perms::owner_all);
  const char *before = std::getenv("CUDA_HOME");
  const std::string kept = before ? before : "";
  setenv("CUDA_HOME", home.c_str(), 1);
  auto found = Ptxas::find(std::chrono::seconds(1));
  setenv("CUDA_HOME", kept.c_str(), 1);
  ASSERT_TRUE(found.isOk()) << found.status().message();
  EXPECT_EQ(found->getVersion(), "release 13.0");
  const auto codes = found->assemble({{*parseTargetGpu("sm_90"), "// PTX"}});
  ASSERT_EQ(codes.size(), 1u);
  EXPECT_EQ(codes[0].status().message(),
            program.string() + " did not end within 1 s; check the toolkit, or "
                               "set CUDA_HOME to that of another one");
  fs::remove_all(home);
}
