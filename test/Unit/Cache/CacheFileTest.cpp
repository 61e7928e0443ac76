//===- CacheFileTest.cpp - A file of entries by key -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Cache/CacheFile.h"
#include "weir/Cache/UserCache.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace weir;
namespace fs = std::filesystem;

namespace {

/// A folder that is removed in the end.
class CacheFileTest : public ::testing::Test {
protected:
  CacheFileTest() {
    std::string name = fs::temp_directory_path() / "weir-cache-XXXXXX";
    root = ::mkdtemp(name.data());
  }
  ~CacheFileTest() override { fs::remove_all(root); }

  CacheFile open(const CacheLimits &limits = {},
                 std::string_view maker = "test") const {
    auto cache = CacheFile::open(folder(), maker, limits);
    EXPECT_TRUE(cache.isOk()) << cache.status().message();
    return *std::move(cache);
  }
  /// Why the cache cannot be opened.
  std::string refusal(const CacheLimits &limits = {}) const {
    auto cache = CacheFile::open(folder(), "test", limits);
    return std::string(cache.status().message());
  }

  std::string folder() const { return root / "made" / "cache"; }
  fs::path file() const { return fs::path(folder()) / "entries-1"; }
  std::string read() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const std::string &bytes) const {
    // Some systems sync a file that is truncated.
    fs::remove(file());
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }

  fs::path root;
};

mode_t modeOf(const fs::path &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

std::string bytesOf(int number, size_t size = 1000) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::string bytes(size, '\0');
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  return bytes;
}

std::string keyOf(const CacheFile &cache, int number) {
  return cache.keyOf({std::to_string(number)});
}

void addAndFlush(CacheFile &cache, int number, size_t size = 1000) {
  cache.add(keyOf(cache, number), bytesOf(number, size));
  cache.flush();
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What one object writes, others find, under their maker and key alone.
TEST_F(CacheFileTest, FindsWhatWasWritten) {
  CacheFile first = open(), second = open();
  const std::string key = first.keyOf({"a", "b"});
  EXPECT_EQ(first.find(key), std::nullopt);
  first.add(key, "code");
  first.add(keyOf(first, 1), "");
  first.flush();
  EXPECT_EQ(first.find(key), "code");
  EXPECT_EQ(second.find(key), "code");
  EXPECT_EQ(open().find(key), "code");
  EXPECT_EQ(open().find(keyOf(first, 1)), "");
  EXPECT_NE(open({}, "other").keyOf({"a", "b"}), key);
  EXPECT_NE(first.keyOf({"ab"}), key);
  EXPECT_NE(first.keyOf({"a", "b", ""}), key);
  EXPECT_TRUE(first.problem().isOk()) << first.problem().message();
  // Another process may have compiled the same.
  const std::string before = read();
  second.add(key, "code");
  second.flush();
  EXPECT_EQ(read(), before);
}

// Who adds an entry again adds no bytes, so there is room for others.
TEST_F(CacheFileTest, CountsAnEntryOnce) {
  CacheFile cache = open({.bytes = 64000});
  for (int i = 0; i < 100; ++i)
    cache.add(keyOf(cache, 1), bytesOf(1, 10000));
  cache.add(keyOf(cache, 2), bytesOf(2, 20000));
  // A smaller entry makes room, and a larger one takes it.
  cache.add(keyOf(cache, 1), bytesOf(1, 100));
  cache.add(keyOf(cache, 3), bytesOf(3, 10000));
  cache.add(keyOf(cache, 1), bytesOf(1, 10000));
  cache.flush();
  EXPECT_EQ(cache.find(keyOf(cache, 1)), bytesOf(1, 100));
  EXPECT_EQ(cache.find(keyOf(cache, 2)), bytesOf(2, 20000));
  EXPECT_EQ(cache.find(keyOf(cache, 3)), bytesOf(3, 10000));
}

// A file is known by where it is and when it was written.
TEST_F(CacheFileTest, IdentifiesFiles) {
  const std::string one = root / "one", two = root / "two";
  std::ofstream(one) << "code";
  fs::copy_file(one, two);
  const std::string identity = *identifyFile(one);
  EXPECT_EQ(*identifyFile(one), identity);
  EXPECT_NE(*identifyFile(two), identity);
  std::ofstream(one) << "other code";
  EXPECT_NE(*identifyFile(one), identity);
  EXPECT_TRUE(contains(identifyFile(root / "none").status().message(),
                       "cannot identify the file"));
}

// Nobody else reads the folders and the file.
TEST_F(CacheFileTest, IsPrivate) {
  const mode_t mask = ::umask(0);
  open();
  ::umask(mask);
  EXPECT_EQ(modeOf(root / "made"), 0700u);
  EXPECT_EQ(modeOf(folder()), 0700u);
  EXPECT_EQ(modeOf(file()), 0600u);
}

// A folder or a file that others can write to is not used.
TEST_F(CacheFileTest, RefusesForeignFiles) {
  open();
  for (const fs::path &path : {fs::path(folder()), file()}) {
    const mode_t before = modeOf(path);
    for (mode_t mode : {0720u, 0702u, 0777u}) {
      ASSERT_EQ(::chmod(path.c_str(), mode), 0);
      EXPECT_TRUE(contains(refusal(), "others can write to it")) << refusal();
    }
    ASSERT_EQ(::chmod(path.c_str(), before), 0);
    EXPECT_EQ(refusal(), "");
    if (::geteuid() != 0)
      continue;
    ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    EXPECT_TRUE(contains(refusal(), "belongs to the user 12345")) << refusal();
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  }
}

// In the place of the file may be anything, which stays as it is.
TEST_F(CacheFileTest, RefusesOddFiles) {
  fs::create_directories(folder());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal(), "not a regular file")) << refusal();
  fs::remove(file());
  fs::create_directory(file());
  EXPECT_FALSE(refusal().empty());
  fs::remove(file());
  fs::create_symlink(root / "other", file());
  EXPECT_TRUE(contains(refusal(), "it is a symbolic link; remove it"));
  EXPECT_FALSE(fs::exists(root / "other"));
  fs::remove(file());
  write("some text");
  ASSERT_EQ(::chmod(file().c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal(), "it is no cache of kernels")) << refusal();
  EXPECT_EQ(read(), "some text");
  fs::remove(file());
  open();
  EXPECT_TRUE(contains(refusal({1 << 20, 64}), "it is no cache of kernels"));
}

TEST_F(CacheFileTest, RefusesFoldersThatCannotBeMade) {
  std::ofstream(root / "made") << "text";
  EXPECT_TRUE(contains(refusal(), "cannot open the folder")) << refusal();
}

// A file that can only be read serves what it has.
TEST_F(CacheFileTest, ReadsWhatItCannotWrite) {
  CacheFile writer = open();
  addAndFlush(writer, 1);
  ASSERT_EQ(::chmod(file().c_str(), 0400), 0);
  // Nothing keeps root from writing.
  const bool isRoot = ::geteuid() == 0;
  if (isRoot) {
    for (const fs::path &path :
         {root, root / "made", fs::path(folder()), file()})
      ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    ASSERT_EQ(::seteuid(12345), 0);
  }
  CacheFile cache = open();
  addAndFlush(cache, 2);
  if (isRoot) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(cache.find(keyOf(cache, 1)), bytesOf(1));
  EXPECT_EQ(cache.find(keyOf(cache, 2)), std::nullopt);
  EXPECT_TRUE(contains(cache.problem().message(), "cannot write to"));
}

// Where a write fails, nothing wrong is found later.
TEST_F(CacheFileTest, SurvivesFullDisks) {
  CacheFile cache = open();
  addAndFlush(cache, 1);
  auto *before = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  struct rlimit limit = {fs::file_size(file()) + 300, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  addAndFlush(cache, 2);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_TRUE(contains(cache.problem().message(), "cannot write to"));
  CacheFile later = open();
  EXPECT_EQ(later.find(keyOf(later, 2)), std::nullopt);
  EXPECT_EQ(later.find(keyOf(later, 1)), bytesOf(1));
  addAndFlush(later, 2);
  EXPECT_EQ(later.find(keyOf(later, 2)), bytesOf(2));
  EXPECT_TRUE(later.problem().isOk()) << later.problem().message();
}

/// The offsets of bytes that are not zero.
std::vector<size_t> listUsed(const std::string &bytes) {
  std::vector<size_t> used;
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != 0)
      used.push_back(i);
  return used;
}

// No damage gives wrong bytes, and what is damaged is replaced.
TEST_F(CacheFileTest, DetectsDamages) {
  constexpr CacheLimits limits{1 << 16, 64};
  constexpr int numEntries = 12;
  {
    CacheFile cache = open(limits);
    for (int i = 0; i < numEntries; ++i)
      cache.add(keyOf(cache, i), bytesOf(i, static_cast<size_t>(i) * 50));
    cache.flush();
  }
  const std::string whole = read();
  const std::vector<size_t> used = listUsed(whole);
  std::mt19937 random(1);
  auto draw = [&](size_t size) { return random() % size; };
  int numLost = 0, numReported = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = whole;
    const size_t at = used[draw(used.size())];
    switch (draw(3)) {
    case 0:
      damaged[at] ^= static_cast<char>(1 << draw(8));
      break;
    case 1:
      damaged.resize(at);
      break;
    case 2:
      for (size_t i = at; i < std::min(at + 64, damaged.size()); ++i)
        damaged[i] = static_cast<char>(random());
      break;
    }
    write(damaged);
    auto cache = CacheFile::open(folder(), "test", limits);
    if (!cache.isOk())
      continue;
    for (int i = 0; i < numEntries; ++i) {
      const std::string bytes = bytesOf(i, static_cast<size_t>(i) * 50);
      auto found = cache->find(keyOf(*cache, i));
      EXPECT_EQ(found.value_or(bytes), bytes) << "damage " << round;
      numLost += !found;
      if (!found)
        cache->add(keyOf(*cache, i), bytes);
    }
    numReported += !cache->problem().isOk();
    cache->flush();
    for (int i = 0; i < numEntries; ++i)
      EXPECT_TRUE(cache->find(keyOf(*cache, i))) << "damage " << round;
  }
  EXPECT_GT(numLost, 1000);
  EXPECT_GT(numReported, 500);
}

// The ring overwrites what was written first, but not what is used.
TEST_F(CacheFileTest, KeepsWhatIsUsed) {
  // No number of entries fills the ring exactly.
  constexpr CacheLimits limits{16300, 1024};
  for (int i = 0; i < 400; ++i) {
    CacheFile cache = open(limits);
    addAndFlush(cache, i);
    EXPECT_EQ(cache.find(keyOf(cache, i)), bytesOf(i)) << i;
    EXPECT_EQ(cache.find(keyOf(cache, 0)), bytesOf(0)) << i;
    cache.flush();
    EXPECT_TRUE(cache.problem().isOk()) << cache.problem().message();
  }
  CacheFile cache = open(limits);
  EXPECT_EQ(cache.find(keyOf(cache, 380)), std::nullopt);
  EXPECT_EQ(cache.find(keyOf(cache, 390)), bytesOf(390));
  EXPECT_LE(fs::file_size(file()), limits.bytes + limits.entries * 64);
}

// The table is limited, too: here eight keys share all its slots.
TEST_F(CacheFileTest, LimitsEntries) {
  constexpr CacheLimits limits{1 << 20, 8};
  CacheFile cache = open(limits);
  for (int i = 0; i < 100; ++i)
    addAndFlush(cache, i);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(cache.find(keyOf(cache, i)).has_value(), i >= 92) << i;
}

// Keys that share their first digits share slots. The first entry of all gives
// its slot to no other one while there are empty ones.
TEST_F(CacheFileTest, KeepsTheFirstEntry) {
  CacheFile cache = open();
  const std::string digits = "0000abcd";
  for (char last : {'1', '2', '3'}) {
    cache.add(digits + std::string(23, '0') + last, {last});
    cache.flush();
  }
  for (char last : {'1', '2', '3'})
    EXPECT_EQ(cache.find(digits + std::string(23, '0') + last),
              std::string(1, last));
}

// What is too large for the ring is not kept.
TEST_F(CacheFileTest, LimitsWhatIsWrittenAtOnce) {
  CacheFile cache = open({1000, 64});
  cache.add(keyOf(cache, 1), bytesOf(1, 501));
  cache.add(keyOf(cache, 2), bytesOf(2, 300));
  cache.add(keyOf(cache, 3), bytesOf(3, 300));
  cache.flush();
  EXPECT_EQ(cache.find(keyOf(cache, 1)), std::nullopt);
  EXPECT_EQ(cache.find(keyOf(cache, 2)), bytesOf(2, 300));
  EXPECT_EQ(cache.find(keyOf(cache, 3)), std::nullopt);
  EXPECT_TRUE(cache.problem().isOk()) << cache.problem().message();
}

// A process that ends while it is writing has said before what it overwrites.
TEST_F(CacheFileTest, SurvivesUnfinishedWrites) {
  constexpr CacheLimits limits{4000, 64};
  CacheFile before = open(limits);
  for (int i = 0; i < 4; ++i)
    addAndFlush(before, i);
  // Only the end of the ring has moved, behind the header.
  std::string bytes = read();
  uint64_t end = 0;
  std::memcpy(&end, bytes.data() + 24, sizeof(end));
  ASSERT_EQ(end, 4000u);
  end += 1500;
  std::memcpy(bytes.data() + 24, &end, sizeof(end));
  const size_t ring = bytes.size() - limits.bytes;
  bytes.replace(ring, 700, std::string(700, 'x'));
  write(bytes);
  CacheFile cache = open(limits);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(cache.find(keyOf(cache, i)).has_value(), i >= 2) << i;
  EXPECT_TRUE(cache.problem().isOk()) << cache.problem().message();
}

// A process that was stopped while it had the lock stops no others.
TEST_F(CacheFileTest, WaitsNotForever) {
  CacheFile cache = open(), second = open();
  addAndFlush(cache, 1);
  const int other = ::open(file().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_EQ(cache.find(keyOf(cache, 1)), std::nullopt);
  EXPECT_TRUE(contains(cache.problem().message(), "cannot lock"));
  addAndFlush(second, 2);
  EXPECT_TRUE(contains(second.problem().message(), "cannot lock"));
  ::close(other);
  CacheFile later = open();
  EXPECT_EQ(later.find(keyOf(later, 1)), bytesOf(1));
  EXPECT_EQ(later.find(keyOf(later, 2)), std::nullopt);
}

/// Adds and finds at random. Returns the exit code of a process.
int useCache(const std::string &folder, unsigned seed) {
  constexpr CacheLimits limits{64000, 64};
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    auto cache = CacheFile::open(folder, "test", limits);
    if (!cache.isOk())
      return 2;
    for (int i = 0; i < 40; ++i) {
      const auto number = static_cast<int>(random() % 100);
      const std::string key = keyOf(*cache, number);
      if (auto found = cache->find(key); found && *found != bytesOf(number))
        return 3;
      cache->add(key, bytesOf(number));
    }
    cache->flush();
    if (!cache->problem().isOk()) {
      fmt::print(stderr, "{}\n", cache->problem().message());
      return 4;
    }
  }
  return 0;
}

// Processes that write, find and overwrite the same entries see whole ones.
TEST_F(CacheFileTest, ServesProcesses) {
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      ::_exit(useCache(folder(), seed));
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

/// Sets or unsets a variable until the end of the test.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    set(value);
  }
  ~Variable() { set(before ? before->c_str() : nullptr); }

private:
  void set(const char *value) const {
    if (value)
      ::setenv(name, value, 1);
    else
      ::unsetenv(name);
  }

  const char *name;
  std::optional<std::string> before;
};

// The folder follows from the environment, where relative paths count nothing.
TEST(UserCache, FollowsTheEnvironment) {
  Variable home("HOME", "/home/someone"), cache("XDG_CACHE_HOME", "/caches");
  EXPECT_EQ(*findUserCache(), "/caches/weir/kernels");
  {
    Variable relative("XDG_CACHE_HOME", "caches");
    EXPECT_EQ(*findUserCache(), "/home/someone/.cache/weir/kernels");
  }
  Variable none("XDG_CACHE_HOME", nullptr), homeless("HOME", nullptr);
  EXPECT_FALSE(findUserCache().isOk());
}

// A build has one identity, which has the build IDs of all libraries.
TEST(UserCache, IdentifiesTheBuild) {
  auto identity = identifyBuild();
  ASSERT_TRUE(identity.isOk()) << identity.status().message();
  EXPECT_EQ(*identity, *identifyBuild());
  // This program, Weir's runtime and the C library at least.
  EXPECT_GE(std::count(identity->begin(), identity->end(), ';'), 3);
}

} // namespace
