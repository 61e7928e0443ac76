//===- DevicePluginTest.cpp - Device kinds from shared objects ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DevicePlugin.h"

#include "TestPaths.h"
#include "weir/Support/DeviceName.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

using namespace weir;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

/// Two folders of plug-ins, which WEIR_PLUGIN_PATH names.
class DevicePluginTest : public testing::Test {
protected:
  void SetUp() override {
    fs::remove_all(root);
    fs::create_directories(root / "a");
    fs::create_directories(root / "b");
    setPath((root / "a").string() + "::" + (root / "b").string() + ":");
  }
  void TearDown() override {
    unsetenv("WEIR_PLUGIN_PATH");
    fs::remove_all(root);
  }

  static void setPath(const std::string &path) {
    setenv("WEIR_PLUGIN_PATH", path.c_str(), 1);
  }
  /// The test plug-in as the one for `kind`.
  fs::path provide(const std::string &kind, const char *folder = "a",
                   const char *library = paths::plugin) {
    const fs::path path = root / folder / devicePluginFile(kind);
    fs::copy_file(library, path);
    return path;
  }
  static std::string errorOf(std::string_view kind) {
    const auto found = findDevicePlugin(kind);
    return found ? "found" : std::string(found.status().message());
  }

  /// A variable that the test plug-in in the file `path` exports. Null if the
  /// plug-in is not loaded.
  template <typename T>
  static const T *findVariable(const fs::path &path, const char *name) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    return library ? static_cast<const T *>(dlsym(library, name)) : nullptr;
  }
  /// How often the test plug-in was asked for what it provides.
  static int callsOf(const fs::path &path) {
    const auto *calls = findVariable<std::atomic<int>>(path, "weirTestCalls");
    return calls ? calls->load() : 0;
  }
  static std::string answerTo(const fs::path &path) {
    const auto *answer = findVariable<std::string>(path, "weirTestAnswer");
    return answer ? *answer : "not loaded";
  }

  const fs::path root =
      fs::temp_directory_path() / ("weir-plugins-" + std::to_string(getpid()));
};

} // namespace

// A plug-in is found in each folder, loaded once, and its kind is one of
// device names and of reports from then on.
TEST_F(DevicePluginTest, LoadsAKindWhenItIsNamed) {
  provide("good1");
  provide("good2", "b");
  const size_t before = loadedDevicePlugins().size();
  EXPECT_THAT(listDevicePlugins(), testing::IsSupersetOf({"good1", "good2"}));
  ASSERT_TRUE(parseDeviceName("cpu:0").isOk());
  ASSERT_TRUE(parseDeviceName("null:1").isOk());
  EXPECT_EQ(loadedDevicePlugins().size(), before);

  const auto name = parseDeviceName("host:1/good2:3");
  ASSERT_TRUE(name.isOk()) << name.status().message();
  EXPECT_EQ(name->toString(), "host:1/good2:3");
  EXPECT_EQ(name->kind->rates.launchSeconds, 1e-6);
  EXPECT_EQ(loadedDevicePlugins().size(), before + 1);
  const auto nameOf = [](DeviceKind kind) { return kind->name; };
  EXPECT_EQ(std::ranges::count(deviceKinds(), "good2", nameOf), 1);
  EXPECT_EQ(std::ranges::count(deviceKinds(), "good1", nameOf), 0);
  // It stays when its file is gone.
  fs::remove(root / "b" / "libweir-good2.so");
  EXPECT_EQ(*findDevicePlugin("good2"), *findDevicePlugin("good2"));
}

// The folder of the installation comes last.
TEST_F(DevicePluginTest, SearchesTheInstalledFolder) {
  const std::vector<std::string> folders = devicePluginFolders();
  ASSERT_EQ(folders.size(), 3u);
  EXPECT_EQ(folders[0], root / "a");
  EXPECT_EQ(folders[1], root / "b");
  EXPECT_TRUE(folders[2].ends_with("/weir/plugins")) << folders[2];
  unsetenv("WEIR_PLUGIN_PATH");
  EXPECT_EQ(devicePluginFolders(), std::vector{folders[2]});
}

// The error for a kind that there is not says which there are, the file's name
// and where it was looked for.
TEST_F(DevicePluginTest, SaysWhereItLookedFor) {
  provide("good3");
  const auto name = parseDeviceName("warp:0");
  ASSERT_FALSE(name.isOk());
  EXPECT_THAT(
      std::string(name.status().message()),
      AllOf(HasSubstr("unknown device kind 'warp'"), HasSubstr("cpu, null"),
            HasSubstr("good3"), HasSubstr("libweir-warp.so"),
            HasSubstr((root / "a").string() + ", " + (root / "b").string())));
  // A kind that would lead to another folder is not looked for.
  EXPECT_EQ(findDevicePlugin("../a/libweir-good3").status().code(),
            StatusCode::NotFound);
}

// A kind that has no plug-in is not looked for again in the same folders.
TEST_F(DevicePluginTest, RemembersMissingFiles) {
  EXPECT_THAT(errorOf("late"), HasSubstr("there is no libweir-late.so"));
  provide("late");
  EXPECT_THAT(errorOf("late"), HasSubstr("there is no libweir-late.so"));
  EXPECT_EQ(findDevicePlugin("late").status().code(), StatusCode::NotFound);
  setPath((root / "a").string());
  EXPECT_EQ(errorOf("late"), "found");
}

// Each way in which a plug-in can be unfit, with the file and the reason.
TEST_F(DevicePluginTest, SaysWhyAPlugInIsUnfit) {
  const struct {
    const char *kind, *reason;
  } cases[] = {
      {"old", "it was built for version 999 of the device interface, and this "
              "Weir expects version 7"},
      {"refusing", "it refuses this version"},
      {"throwing", "weirDevicePlugin threw an exception"},
      {"alias", "it provides devices of kind 'other'; name the file "
                "libweir-other.so"},
      {"shouting", "it calls its kind 'Shouting', but a kind has 1 to 64 "
                   "lower-case letters, digits and _"},
      {"slow", "a rate of its devices or links is not above 0"},
      {"quantum", "the code generator 'quantum'; there are 'cpu' and 'nvptx'"},
      {"mixed", "its kernel row for 'add' is for devices called 'others'"},
      {"driverless", "it has no device driver"},
  };
  for (const auto &[kind, reason] : cases) {
    const fs::path path = provide(kind);
    EXPECT_THAT(errorOf(kind),
                AllOf(HasSubstr("cannot load the plug-in " + path.string()),
                      HasSubstr(reason)));
    // The name of a device has the same error.
    const auto name = parseDeviceName(std::string(kind) + ":0");
    ASSERT_FALSE(name.isOk());
    EXPECT_THAT(std::string(name.status().message()), HasSubstr(reason));
    // The plug-in was not asked again.
    EXPECT_EQ(callsOf(path), 1) << kind;
  }
}

// Files that the system's loader refuses, and objects that are no plug-ins.
TEST_F(DevicePluginTest, RefusesOtherFiles) {
  std::ofstream(root / "a" / "libweir-text.so") << "no shared object";
  EXPECT_THAT(errorOf("text"), HasSubstr("libweir-text.so"));
  EXPECT_THAT(errorOf("text"), HasSubstr("cannot load the plug-in"));
  EXPECT_THAT(errorOf("text"),
              HasSubstr("it has 16 bytes, so it is no shared"));
  std::ofstream(root / "a" / "libweir-prose.so") << std::string(100, 'a');
  EXPECT_THAT(errorOf("prose"), HasSubstr("it has no ELF header"));
  fs::create_directory(root / "a" / "libweir-folder.so");
  EXPECT_THAT(errorOf("folder"), HasSubstr("it is not a regular file"));
  ASSERT_EQ(mkfifo((root / "a" / "libweir-pipe.so").c_str(), 0600), 0);
  EXPECT_THAT(errorOf("pipe"), HasSubstr("it is a pipe"));
  fs::create_symlink(root / "nowhere", root / "a" / "libweir-astray.so");
  EXPECT_THAT(errorOf("astray"), HasSubstr("no such file or directory"));
  provide("foreign", "a", paths::noPlugin);
  EXPECT_THAT(errorOf("foreign"),
              HasSubstr("it exports no function weirDevicePlugin"));
  // The first file counts, and no other stands in for it.
  provide("text", "b");
  EXPECT_THAT(errorOf("text"), HasSubstr("cannot load the plug-in"));
}

// The system's loader would crash on a file that is cut off.
TEST_F(DevicePluginTest, RefusesPartsOfFiles) {
  const uint64_t whole = fs::file_size(paths::plugin);
  int number = 0;
  for (const uint64_t bytes : {uint64_t(63), uint64_t(64), uint64_t(200),
                               uint64_t(1000), uint64_t(5000), whole / 2}) {
    const std::string kind = "part" + std::to_string(number++);
    fs::resize_file(provide(kind), bytes);
    EXPECT_THAT(errorOf(kind),
                testing::AnyOf(HasSubstr("it is cut off: it has " +
                                         std::to_string(bytes) + " bytes"),
                               HasSubstr("it has 63 bytes")));
  }
}

// Folders that cannot be listed are named with the reason.
TEST_F(DevicePluginTest, SaysWhyAFolderHasNoPlugIns) {
  const fs::path file = provide("good4");
  setPath(file.string() + ":" + (root / "nowhere").string());
  EXPECT_THAT(errorOf("warp2"),
              AllOf(HasSubstr(file.string() + " (Not a directory)"),
                    HasSubstr("nowhere (No such file or directory)")));
}

// A plug-in may name devices of another kind while it is loaded, which loads
// that one, but not of its own.
TEST_F(DevicePluginTest, PlugInsMayNameDevices) {
  const fs::path asking = provide("asking"), selfish = provide("selfish");
  provide("asked", "b");
  EXPECT_EQ(errorOf("asking"), "found");
  EXPECT_EQ(answerTo(asking), "");
  const auto nameOf = [](const DevicePlugin *plugin) {
    return plugin->kind.name;
  };
  EXPECT_EQ(std::ranges::count(loadedDevicePlugins(), "asked", nameOf), 1);
  EXPECT_EQ(errorOf("selfish"), "found");
  EXPECT_THAT(answerTo(selfish),
              HasSubstr("devices of kind 'selfish' are asked for while their "
                        "plug-in " +
                        selfish.string() +
                        " is loaded; ask when its "
                        "weirDevicePlugin has returned"));
}

// Any number of threads may ask for a kind at once. The plug-in, which takes
// long to answer, is asked once.
TEST_F(DevicePluginTest, LoadsOnceForAllThreads) {
  const fs::path path = provide("tardy");
  std::vector<const DevicePlugin *> found(8);
  std::vector<std::thread> threads;
  for (const DevicePlugin *&each : found)
    threads.emplace_back([&each] {
      if (const auto plugin = findDevicePlugin("tardy"))
        each = *plugin;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_NE(found[0], nullptr);
  EXPECT_EQ(std::ranges::count(found, found[0]), 8);
  EXPECT_EQ(callsOf(path), 1);
}
