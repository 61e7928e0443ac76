//===- CgroupLimits.cpp - The limits of a container -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/CgroupLimits.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace weir;

namespace {

/// The first two words of a file; empty if there is no such file.
struct Words {
  explicit Words(const std::string &path) {
    std::ifstream file(path);
    file >> first >> second;
  }
  std::string first, second;
};

/// The number in a limit file. It is 0 for "max", for -1, and for a text that
/// is not a number.
double toNumber(const std::string &word) {
  std::istringstream stream(word);
  double number = 0;
  return stream >> number && number > 0 ? number : 0;
}

template <typename T> void tighten(T &limit, T other) {
  if (other > 0 && (limit == 0 || other < limit))
    limit = other;
}

class LimitReader {
public:
  explicit LimitReader(const std::string &root)
      : mount(root + "/sys/fs/cgroup") {
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);)
      readGroup(line);
  }
  CgroupLimits limits;

private:
  /// Reads the limits of one group. `line` has the form
  /// "number:controllers:path".
  void readGroup(const std::string &line) {
    const size_t one = line.find(':');
    const size_t two = one == line.npos ? one : line.find(':', one + 1);
    if (two == line.npos)
      return;
    const std::string controllers = line.substr(one + 1, two - one - 1);
    const std::string path = line.substr(two + 1);
    if (controllers.empty())
      forEachAncestor(mount, path, &LimitReader::readVersion2);
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');) {
      if (name == "cpu")
        forEachAncestor(mount + "/cpu", path, &LimitReader::readProcessors);
      if (name == "memory")
        forEachAncestor(mount + "/memory", path, &LimitReader::readMemory);
    }
  }

  /// Calls `read` for the group `path` and all groups above it. Inside of a
  /// container, the path may not exist. The group of the mount itself is always
  /// read.
  void forEachAncestor(const std::string &base, std::string path,
                       void (LimitReader::*read)(const std::string &)) {
    while (!path.empty() && path != "/") {
      (this->*read)(base + path);
      path.resize(path.rfind('/') == path.npos ? 0 : path.rfind('/'));
    }
    (this->*read)(base);
  }

  void readVersion2(const std::string &group) {
    const Words quota(group + "/cpu.max");
    if (toNumber(quota.second) > 0)
      tighten(limits.processors,
              toNumber(quota.first) / toNumber(quota.second));
    tighten(limits.memoryBytes, static_cast<uint64_t>(toNumber(
                                    Words(group + "/memory.max").first)));
  }
  void readProcessors(const std::string &group) {
    const double period = toNumber(Words(group + "/cpu.cfs_period_us").first);
    const double quota = toNumber(Words(group + "/cpu.cfs_quota_us").first);
    if (period > 0)
      tighten(limits.processors, quota / period);
  }
  void readMemory(const std::string &group) {
    tighten(limits.memoryBytes,
            static_cast<uint64_t>(
                toNumber(Words(group + "/memory.limit_in_bytes").first)));
  }

  std::string mount;
};

} // namespace

CgroupLimits weir::readCgroupLimits(const std::string &root) {
  return LimitReader(root).limits;
}

uint64_t weir::usableMemory(const CgroupLimits &limits) {
  const uint64_t machine = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                           static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return limits.memoryBytes ? std::min(machine, limits.memoryBytes) : machine;
}
