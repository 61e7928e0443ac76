//===- CpuTopologyTest.cpp - Tests of how cores are found and split -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/CPU/CpuTopology.h"
#include "Runtime/Devices/CPU/ProcessorMask.h"
#include "weir/Support/CgroupLimits.h"

#include <algorithm>
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
  topology.cores = topology.processors = cores;
  topology.numBusyCores = cores.size();
  return topology;
}

std::vector<CoreShare> split(const CpuTopology &topology,
                             const std::vector<DeviceRequest> &requests) {
  auto shares = splitCores(topology, requests);
  EXPECT_TRUE(shares.isOk()) << shares.status().message();
  return shares.isOk() ? *shares : std::vector<CoreShare>(requests.size());
}

/// A device with one option.
DeviceRequest bound(const std::string &option, const std::string &value,
                    int threads = 0) {
  DeviceRequest request{"cpu:0", threads, false};
  request.options[option] = value;
  return request;
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
  const auto shares = split(cores, requests({0, 0}));
  EXPECT_EQ(shares[0].processors, (Processors{0, 2}));
  EXPECT_EQ(shares[1].processors, (Processors{4, 6}));
  EXPECT_EQ(shares[0].threads, 2);
  EXPECT_TRUE(shares[0].isPinned);
  EXPECT_EQ(shares[0].note, "");
}

// Explicit thread counts are kept.
TEST(SplitCores, KeepsExplicitCounts) {
  const CpuTopology cores = machineOf({0, 1, 2, 3});
  const auto shares = split(cores, requests({3, 1}));
  EXPECT_EQ(shares[0].processors, (Processors{0, 1, 2}));
  EXPECT_EQ(shares[1].processors, (Processors{3}));
}

// Where cores are left, no thread is pinned: another process that leaves cores
// too would sit on the same ones.
TEST(SplitCores, PinsOnlyWhatTakesAllCores) {
  const CpuTopology cores = machineOf({0, 2, 4, 6, 8});
  for (const CoreShare &share : split(cores, requests({2, 2}))) {
    EXPECT_FALSE(share.isPinned);
    EXPECT_FALSE(share.isCrowded);
    EXPECT_EQ(share.processors, (Processors{0, 2, 4, 6, 8}));
  }
  std::vector<DeviceRequest> loose = requests({5});
  loose[0].mayPin = false;
  EXPECT_FALSE(split(cores, loose)[0].isPinned);
}

// A quota limits the number of cores, not which ones: containers with equal
// quotas must not all use the first cores of the machine.
TEST(SplitCores, CountsCoresOfAQuota) {
  Processors all;
  for (int i = 0; i < 64; ++i)
    all.push_back(i);
  CpuTopology quota = machineOf(all);
  quota.numBusyCores = 2;
  const auto pair = split(quota, requests({0, 0}));
  for (const CoreShare &share : pair) {
    EXPECT_EQ(share.threads, 1);
    EXPECT_EQ(share.processors, all);
    EXPECT_FALSE(share.isPinned);
    EXPECT_FALSE(share.isCrowded);
    EXPECT_FALSE(share.leavesCores);
  }
  EXPECT_EQ(split(quota, requests({0}))[0].threads, 2);
  const CoreShare many = split(quota, requests({3}))[0];
  EXPECT_TRUE(many.isCrowded);
  EXPECT_EQ(many.note, "3 threads on 1 device share 2 cores");
}

// More threads than cores is allowed, unpinned, and said.
TEST(SplitCores, SaysWhenCoresAreShared) {
  const CpuTopology cores = machineOf({0, 1});
  const auto shares = split(cores, requests({0, 0, 0}));
  for (const CoreShare &share : shares) {
    EXPECT_EQ(share.threads, 1);
    EXPECT_FALSE(share.isPinned);
    EXPECT_TRUE(share.isCrowded);
    EXPECT_EQ(share.processors, (Processors{0, 1}));
    EXPECT_EQ(share.note, "3 threads on 3 devices share 2 cores");
  }
}

// A device with a list of cores has a thread on each of them. The others share
// the rest.
TEST(SplitCores, BindsDevicesToCores) {
  const CpuTopology machine = machineOf({0, 1, 2, 3, 4, 5});
  const auto shares =
      split(machine, {bound("cores", "1,4-5"), {"cpu:1"}, {"cpu:2", 2}});
  EXPECT_EQ(shares[0].processors, (Processors{1, 4, 5}));
  EXPECT_EQ(shares[0].threads, 3);
  EXPECT_TRUE(shares[0].isPinned);
  EXPECT_TRUE(shares[0].isBound);
  EXPECT_EQ(shares[1].threads, 1);
  EXPECT_EQ(shares[1].processors, (Processors{0}));
  EXPECT_EQ(shares[2].processors, (Processors{2, 3}));
  EXPECT_FALSE(shares[2].isBound);
  for (const CoreShare &share : shares) {
    EXPECT_FALSE(share.isCrowded);
    EXPECT_EQ(share.note, "");
  }
}

// Fewer threads than cores may move among them. Several may share one, which is
// said.
TEST(SplitCores, BindsAnyNumberOfThreads) {
  const CpuTopology machine = machineOf({0, 1, 2, 3});
  const CoreShare few = split(machine, {bound("cores", "1-3", 2)})[0];
  EXPECT_EQ(few.threads, 2);
  EXPECT_EQ(few.processors, (Processors{1, 2, 3}));
  EXPECT_FALSE(few.isPinned);
  EXPECT_TRUE(few.leavesCores);
  const CoreShare many = split(machine, {bound("cores", "3", 2)})[0];
  EXPECT_TRUE(many.isCrowded);
  EXPECT_EQ(many.note, "2 threads share 1 core");
  const auto both =
      split(machine, {bound("cores", "0-1"), bound("cores", "1-2")});
  for (const CoreShare &share : both) {
    EXPECT_TRUE(share.isCrowded);
    EXPECT_EQ(share.note, "another device has some of its cores, too");
  }
  DeviceRequest loose = bound("cores", "0-1");
  loose.mayPin = false;
  EXPECT_FALSE(split(machine, {loose})[0].isPinned);
}

// Devices that are not bound share all cores if the others take all.
TEST(SplitCores, SharesBoundCoresIfNoneIsLeft) {
  const auto shares =
      split(machineOf({0, 1}), {bound("cores", "0-1"), {"cpu:1"}});
  EXPECT_EQ(shares[1].processors, (Processors{0, 1}));
  EXPECT_GE(shares[1].threads, 1);
  EXPECT_TRUE(shares[0].isCrowded && shares[1].isCrowded);
  EXPECT_EQ(shares[0].note, "another device has some of its cores, too");
  EXPECT_EQ(shares[1].note, "devices that are bound have its cores, too");
}

TEST(SplitCores, BindsDevicesToNodes) {
  CpuTopology machine = machineOf({0, 1, 2, 3});
  machine.nodes = {{0, {0, 1}}, {3, {2, 3}}};
  const CoreShare share = split(machine, {bound("numa_node", "3")})[0];
  EXPECT_EQ(share.processors, (Processors{2, 3}));
  EXPECT_EQ(share.threads, 2);
  EXPECT_EQ(share.node, 3);
  EXPECT_EQ(split(machine, {bound("cores", "0-1")})[0].node, 0);
  EXPECT_EQ(split(machine, {bound("cores", "1-2")})[0].node, -1);
  EXPECT_EQ(split(machine, {{"cpu:0"}})[0].node, -1);
  EXPECT_EQ(splitCores(machine, std::vector{bound("numa_node", "1")})
                .status()
                .message(),
            "cpu:0: expected a NUMA node that this process may use (0, 3), "
            "found 1");
}

// Processors beside the first of a core can be named, but only those that the
// process may use.
TEST(SplitCores, RefusesProcessorsThatAreNotThere) {
  CpuTopology machine = machineOf({0, 2});
  machine.processors = {0, 1, 2, 3};
  EXPECT_EQ(split(machine, {bound("cores", "3")})[0].processors,
            (Processors{3}));
  EXPECT_EQ(
      splitCores(machine, std::vector{bound("cores", "3-4")})
          .status()
          .message(),
      "cpu:0: expected processors that this process may use (0, 1, 2, 3), "
      "found 4");
  DeviceRequest both = bound("cores", "0");
  both.options["numa_node"] = "0";
  EXPECT_EQ(splitCores(machine, std::vector{both}).status().message(),
            "cpu:0: expected only one of cores and numa_node");
}

// This machine has at least a core and some memory.
TEST(CpuTopology, FindsThisMachine) {
  const CpuTopology topology = detectCpuTopology();
  EXPECT_FALSE(topology.cores.empty());
  EXPECT_GE(topology.numBusyCores, 1u);
  EXPECT_LE(topology.numBusyCores, topology.cores.size());
  for (const int core : topology.cores)
    EXPECT_TRUE(std::ranges::binary_search(topology.processors, core));
  // Each core is in a node, unless the system tells of none.
  size_t inNodes = 0;
  for (const auto &[number, cores] : topology.nodes)
    inNodes += cores.size();
  EXPECT_TRUE(inNodes == 0 || inNodes == topology.cores.size()) << inNodes;
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
