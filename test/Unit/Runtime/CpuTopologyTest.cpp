//===- CpuTopologyTest.cpp - Tests of how cores are found and split -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/CPU/CpuTopology.h"
#include "Runtime/Devices/CPU/CgroupLimits.h"
#include "Runtime/Devices/CPU/ProcessorMask.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace weir;

namespace {

std::vector<DeviceRequest> requests(std::vector<int> threads) {
  std::vector<DeviceRequest> requests;
  for (int count : threads)
    requests.push_back({"cpu:0", count, false});
  return requests;
}

using Processors = std::vector<int>;

/// A machine with these cores, all of which can be busy.
CpuTopology machineOf(const Processors &cores) {
  CpuTopology topology;
  topology.cores = cores;
  topology.numBusyCores = cores.size();
  return topology;
}

// Processors beyond those of one cpu_set_t are kept apart, and those beyond all
// are left out.
TEST(ProcessorMask, HoldsManyProcessors) {
  ProcessorMask mask;
  for (int processor : {0, 1023, 1024, 4095, 4096, 100000})
    mask.add(processor);
  for (int processor : {0, 1023, 1024, 4095})
    EXPECT_TRUE(mask.contains(processor)) << processor;
  for (int processor : {1, 1022, 1025, 4094, 4096, 100000})
    EXPECT_FALSE(mask.contains(processor)) << processor;
  ProcessorMask own;
  ASSERT_TRUE(own.readFrom(0));
  EXPECT_TRUE(own.applyTo(0));
}

// Without thread counts all devices get the same number of neighbouring cores,
// so that equal work gets equal results.
TEST(SplitCores, IsEven) {
  const CpuTopology cores = machineOf({0, 2, 4, 6});
  const auto shares = splitCores(cores, requests({0, 0}));
  EXPECT_EQ(shares[0].processors, (Processors{0, 2}));
  EXPECT_EQ(shares[1].processors, (Processors{4, 6}));
  EXPECT_EQ(shares[0].threads, 2);
  EXPECT_TRUE(shares[0].isPinned);
  EXPECT_EQ(shares[0].note, "");
}

// Explicit thread counts are kept.
TEST(SplitCores, KeepsExplicitCounts) {
  const CpuTopology cores = machineOf({0, 1, 2, 3});
  const auto shares = splitCores(cores, requests({3, 1}));
  EXPECT_EQ(shares[0].processors, (Processors{0, 1, 2}));
  EXPECT_EQ(shares[1].processors, (Processors{3}));
}

// Where cores are left, no thread is pinned: another process that leaves cores
// too would sit on the same ones.
TEST(SplitCores, PinsOnlyWhatTakesAllCores) {
  const CpuTopology cores = machineOf({0, 2, 4, 6, 8});
  for (const CoreShare &share : splitCores(cores, requests({2, 2}))) {
    EXPECT_FALSE(share.isPinned);
    EXPECT_FALSE(share.isCrowded);
    EXPECT_EQ(share.processors, (Processors{0, 2, 4, 6, 8}));
  }
  std::vector<DeviceRequest> loose = requests({5});
  loose[0].mayPin = false;
  EXPECT_FALSE(splitCores(cores, loose)[0].isPinned);
}

// A quota limits the number of cores, not which ones: containers with equal
// quotas must not all use the first cores of the machine.
TEST(SplitCores, CountsCoresOfAQuota) {
  Processors all;
  for (int i = 0; i < 64; ++i)
    all.push_back(i);
  CpuTopology quota = machineOf(all);
  quota.numBusyCores = 2;
  const auto pair = splitCores(quota, requests({0, 0}));
  for (const CoreShare &share : pair) {
    EXPECT_EQ(share.threads, 1);
    EXPECT_EQ(share.processors, all);
    EXPECT_FALSE(share.isPinned);
    EXPECT_FALSE(share.isCrowded);
    EXPECT_FALSE(share.leavesCores);
  }
  EXPECT_EQ(splitCores(quota, requests({0}))[0].threads, 2);
  const CoreShare many = splitCores(quota, requests({3}))[0];
  EXPECT_TRUE(many.isCrowded);
  EXPECT_EQ(many.note, "3 threads on 1 device share 2 cores");
}

// More threads than cores is allowed, unpinned, and said.
TEST(SplitCores, SaysWhenCoresAreShared) {
  const CpuTopology cores = machineOf({0, 1});
  const auto shares = splitCores(cores, requests({0, 0, 0}));
  for (const CoreShare &share : shares) {
    EXPECT_EQ(share.threads, 1);
    EXPECT_FALSE(share.isPinned);
    EXPECT_TRUE(share.isCrowded);
    EXPECT_EQ(share.processors, (Processors{0, 1}));
    EXPECT_EQ(share.note, "3 threads on 3 devices share 2 cores");
  }
}

// This machine has at least a core and some memory.
TEST(CpuTopology, FindsThisMachine) {
  const CpuTopology topology = detectCpuTopology();
  EXPECT_FALSE(topology.cores.empty());
  EXPECT_GE(topology.numBusyCores, 1u);
  EXPECT_LE(topology.numBusyCores, topology.cores.size());
  EXPECT_GT(topology.memoryBytes, uint64_t(1) << 20);
}

// What OpenMP does to the main thread before main is no limit of the process.
TEST(CpuTopologyDeathTest, IgnoresThatOpenMPBindsTheMainThread) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  // The child starts afresh, with what is set here.
  const std::string here = std::to_string(detectCpuTopology().cores.size());
  setenv("WEIR_TEST_CORES", here.c_str(), /*overwrite=*/0);
  setenv("OMP_PROC_BIND", "true", 1);
  EXPECT_EXIT(
      {
        const std::string found =
            std::to_string(detectCpuTopology().cores.size());
        std::exit(found == std::getenv("WEIR_TEST_CORES") ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  unsetenv("OMP_PROC_BIND");
}

/// A file tree that looks like the kernel's.
class Cgroup : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "weir-cgroup-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root); }
  void write(const std::string &path, const std::string &text) const {
    std::filesystem::create_directories(
        std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  std::string root;
};

// Version 2: the tightest limit of a group and those above it counts.
TEST_F(Cgroup, ReadsVersion2) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/a/b/memory.max", "1048576\n");
  write("/sys/fs/cgroup/a/memory.max", "max\n");
  const CgroupLimits limits = readCgroupLimits(root);
  EXPECT_EQ(limits.processors, 1.5);
  EXPECT_EQ(limits.memoryBytes, 1048576u);
}

// Version 1: a hierarchy per controller, -1 for no limit.
TEST_F(Cgroup, ReadsVersion1) {
  write("/proc/self/cgroup", "5:memory:/m\n3:cpu,cpuacct:/c\n");
  write("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "400000\n");
  write("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "4096\n");
  const CgroupLimits limits = readCgroupLimits(root);
  EXPECT_EQ(limits.processors, 4);
  EXPECT_EQ(limits.memoryBytes, 4096u);
}

// Version 1 in nested groups: an outer group has a tighter limit than the
// process's own, and a container sees its own group at the mount.
TEST_F(Cgroup, ReadsNestedVersion1) {
  write("/proc/self/cgroup", "4:cpuacct,cpu:/pod/container\n");
  for (const auto &[group, quota] : {std::pair("", "500000"),
                                     {"/pod", "200000"},
                                     {"/pod/container", "300000"}}) {
    const std::string folder = std::string("/sys/fs/cgroup/cpu") + group;
    write(folder + "/cpu.cfs_quota_us", quota);
    write(folder + "/cpu.cfs_period_us", "100000");
  }
  EXPECT_EQ(readCgroupLimits(root).processors, 2);
  std::filesystem::remove_all(root + "/sys/fs/cgroup/cpu/pod");
  EXPECT_EQ(readCgroupLimits(root).processors, 5);
}

// The number of cores that can be busy is the quota, rounded down but at least
// one. The list of cores does not change.
TEST_F(Cgroup, LimitsTheNumberOfCores) {
  const CpuTopology free = detectCpuTopology(root);
  EXPECT_EQ(free.numBusyCores, free.cores.size());
  write("/proc/self/cgroup", "0::/\n");
  for (const auto &[quota, expected] : {std::pair("50000", size_t(1)),
                                        {"150000", 1},
                                        {"100000000", free.cores.size()}}) {
    write("/sys/fs/cgroup/cpu.max", std::string(quota) + " 100000\n");
    const CpuTopology limited = detectCpuTopology(root);
    EXPECT_EQ(limited.numBusyCores, expected);
    EXPECT_EQ(limited.cores, free.cores);
  }
}

// Without control groups nothing is limited.
TEST_F(Cgroup, LimitsNothingWhereThereIsNone) {
  const CgroupLimits limits = readCgroupLimits(root);
  EXPECT_EQ(limits.processors, 0);
  EXPECT_EQ(limits.memoryBytes, 0u);
}

} // namespace
