//===- DevicePlugin.cpp - Device kinds from shared objects ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DevicePlugin.h"

#include "PluginFile.h"
#include "weir/Support/LibraryFile.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <mutex>
#include <thread>

using namespace weir;
namespace fs = std::filesystem;

namespace {

constexpr const char *pathVariable = "WEIR_PLUGIN_PATH";
constexpr const char *functionName = "weirDevicePlugin";
constexpr std::string_view filePrefix = "libweir-", fileSuffix = ".so";

/// The plug-ins of this process.
struct PluginTable {
  /// The mutex of the table. It is not held while a plug-in is loaded, because
  /// this may take long, and because the plug-in may itself need other kinds.
  std::mutex mutex;
  /// Notified after a plug-in is loaded or refused.
  std::condition_variable finished;
  std::map<std::string, const DevicePlugin *, std::less<>> byKind;
  /// The kinds whose plug-ins are being loaded, and the threads that load them.
  std::map<std::string, std::thread::id, std::less<>> loading;
  /// The kind for which each waiting thread waits. Only threads that are
  /// loading a plug-in themselves are listed.
  std::map<std::thread::id, std::string> waiting;
  /// The reasons why files were refused, by their paths. The library of a
  /// refused file stays loaded, so it must not be loaded again.
  std::map<std::string, Status> refused;
  /// The last kind that has no file, the folders at that time, and the error.
  /// Many ops of a graph may name this kind, and the folders are then searched
  /// only once.
  struct {
    std::string kind, folders;
    Status why;
  } missing;

  /// The table is never destroyed, because kinds are used until the process
  /// ends.
  static PluginTable &get() {
    static PluginTable &table = *new PluginTable;
    return table;
  }
};

/// Whether `name` can be the name of a kind, and thus a part of a file's name.
bool isKindName(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
             name.npos;
}

/// The folder of the plug-ins that are installed with Weir.
std::string installedFolder() {
  Dl_info ownLibrary;
  if (!dladdr(reinterpret_cast<const void *>(&isKindName), &ownLibrary) ||
      !ownLibrary.dli_fname)
    return {};
  std::error_code error;
  const fs::path library = fs::canonical(ownLibrary.dli_fname, error);
  return error ? std::string()
               : (library.parent_path() / "weir" / "plugins").string();
}

/// The folders that the user lists in the environment. They are ignored if the
/// program has more rights than its user.
std::string_view listedFolders() {
  const char *path = secure_getenv(pathVariable);
  return path ? path : "";
}

/// The folder as a text for errors. If it cannot be read, the text says why.
std::string describeFolder(const std::string &folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return printable(folder) +
         (error ? fmt::format(" ({})", error.message()) : "");
}

Status noFile(std::string_view kind) {
  std::vector<std::string> folders;
  for (const std::string &folder : devicePluginFolders())
    folders.push_back(describeFolder(folder));
  return notFound(
      fmt::format("there is no {} in {}; {} lists the folders to search", //
                  devicePluginFile(kind),
                  folders.empty() ? "any folder"
                                  : fmt::format("{}", fmt::join(folders, ", ")),
                  pathVariable));
}

/// Checks that a plug-in for `kind` is valid.
Status check(const DevicePlugin &plugin, std::string_view kind) {
  const DeviceKindInfo &info = plugin.kind;
  if (!isKindName(info.name))
    return invalidArgument(
        fmt::format("it calls its kind '{}', but a kind has 1 to 64 lower-case "
                    "letters, digits and _; change DeviceKindInfo::name",
                    printable(info.name)));
  if (info.name != kind)
    return invalidArgument(
        fmt::format("it provides devices of kind '{}'; name the file {}",
                    printable(info.name), devicePluginFile(info.name)));
  if (!plugin.driver)
    return invalidArgument("it has no device driver; set DevicePlugin::driver");
  if (!info.codeGenerator.empty() && info.codeGenerator != cpuCodeGenerator &&
      !isForGpus(info.codeGenerator))
    return invalidArgument(fmt::format(
        "it asks for the code generator '{}'; there are '{}' and '{}'",
        printable(info.codeGenerator), cpuCodeGenerator, gpuCodeGenerator));
  const bool hasRates =
      std::ranges::all_of(info.rates.flopsPerSecond,
                          [](double rate) { return rate > 0; }) &&
      info.rates.bytesPerSecond > 0 && info.rates.launchSeconds > 0 &&
      info.link.bytesPerSecond > 0 && info.link.latencySeconds > 0;
  if (!hasRates)
    return invalidArgument("a rate of its devices or links is not above 0; set "
                           "all of DeviceKindInfo::rates and ::link");
  for (const OpKernelRow &brought : info.rows)
    if (brought.row.device != info.kernels)
      return invalidArgument(fmt::format(
          "its kernel row for '{}' is for devices called '{}', and its kernel "
          "rows are called '{}'; give both the same name",
          printable(brought.op), printable(brought.row.device),
          printable(info.kernels)));
  return Status::ok();
}

/// Calls the function of a plug-in that is at `symbol`.
StatusOr<const DevicePlugin *> ask(void *symbol) {
  const auto function = reinterpret_cast<DevicePluginFunction *>(symbol);
  const DevicePlugin *plugin = nullptr;
  try {
    plugin = function(devicePluginVersion);
  } catch (const std::exception &error) {
    return internalError(fmt::format("{} threw an exception: {}", functionName,
                                     printable(error.what())));
  } catch (...) {
    return internalError(fmt::format("{} threw an exception", functionName));
  }
  const std::string repair = fmt::format(
      "this Weir expects version {}; build the plug-in with its headers",
      devicePluginVersion);
  if (!plugin)
    return unavailable(fmt::format(
        "it refuses this version of the device interface; {}", repair));
  if (plugin->version != devicePluginVersion)
    return unavailable(fmt::format(
        "it was built for version {} of the device interface, and {}",
        plugin->version, repair));
  return plugin;
}

/// The last error of the loader, without the path at its beginning.
std::string loaderError(const std::string &path) {
  const char *why = dlerror();
  std::string_view text = why ? why : "unknown error of the loader";
  if (const std::string prefix = path + ": "; text.starts_with(prefix))
    text.remove_prefix(prefix.size());
  return printable(text);
}

/// Loads the plug-in for `kind` from the file at `path`. A library stays open
/// even if the plug-in is refused, because its destructors may not be ready to
/// run.
StatusOr<const DevicePlugin *> load(const std::string &path,
                                    std::string_view kind) {
  WEIR_RETURN_IF_ERROR(checkLibraryFile(path));
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unavailable(loaderError(path));
  void *symbol = dlsym(library, functionName);
  if (!symbol)
    return invalidArgument(fmt::format(
        "it is no plug-in: it exports no function {}", functionName));
  WEIR_ASSIGN_OR_RETURN(const DevicePlugin *plugin, ask(symbol));
  WEIR_RETURN_IF_ERROR(check(*plugin, kind));
  return plugin;
}

/// Whether the thread that loads the plug-in for `kind` waits, directly or
/// indirectly, for a plug-in that this thread loads.
bool waitsForThisThread(const PluginTable &table, std::string kind) {
  for (;;) {
    const auto loader = table.loading.find(kind);
    if (loader == table.loading.end())
      return false;
    if (loader->second == std::this_thread::get_id())
      return true;
    const auto next = table.waiting.find(loader->second);
    if (next == table.waiting.end())
      return false;
    kind = next->second;
  }
}

/// Waits while another thread loads the plug-in for `kind`. It is an error if
/// the other thread waits for this one.
Status waitForOthers(PluginTable &table, std::unique_lock<std::mutex> &lock,
                     std::string_view kind, const std::string &path) {
  while (table.loading.contains(kind)) {
    if (waitsForThisThread(table, std::string(kind)))
      return unavailable(fmt::format(
          "devices of kind '{}' are asked for while their plug-in {} is "
          "loaded; ask when its {} has returned",
          kind, printable(path), functionName));
    table.waiting[std::this_thread::get_id()] = kind;
    table.finished.wait(lock);
    table.waiting.erase(std::this_thread::get_id());
  }
  return Status::ok();
}

/// Records that this thread loads the plug-in for a kind. The constructor
/// releases the mutex. The destructor takes it again, even after an exception.
class LoadingMark {
public:
  LoadingMark(PluginTable &table, std::unique_lock<std::mutex> &lock,
              std::string_view kind)
      : table(table), lock(lock),
        mark(table.loading.emplace(kind, std::this_thread::get_id()).first) {
    lock.unlock();
  }
  LoadingMark(const LoadingMark &) = delete;
  LoadingMark &operator=(const LoadingMark &) = delete;
  ~LoadingMark() {
    lock.lock();
    table.loading.erase(mark);
    table.finished.notify_all();
  }

private:
  PluginTable &table;
  std::unique_lock<std::mutex> &lock;
  std::map<std::string, std::thread::id, std::less<>>::iterator mark;
};

StatusOr<const DevicePlugin *> loadUnlocked(PluginTable &table,
                                            std::unique_lock<std::mutex> &lock,
                                            const std::string &path,
                                            std::string_view kind) {
  const LoadingMark mark(table, lock, kind);
  return load(path, kind);
}

/// Loads the plug-in for `kind` and adds it to the table. `lock` holds the
/// mutex of the table, except while code of the plug-in runs.
StatusOr<const DevicePlugin *> loadInto(PluginTable &table,
                                        std::unique_lock<std::mutex> &lock,
                                        const std::string &path,
                                        std::string_view kind) {
  if (const auto known = table.refused.find(path); known != table.refused.end())
    return known->second;
  StatusOr<const DevicePlugin *> plugin = loadUnlocked(table, lock, path, kind);
  if (!plugin) {
    Status &why = table.refused[path];
    why = std::move(plugin).status().withContext(
        fmt::format("cannot load the plug-in {}", printable(path)));
    return why;
  }
  table.byKind.emplace(kind, *plugin);
  return plugin;
}

} // namespace

std::vector<std::string> weir::devicePluginFolders() {
  std::vector<std::string> folders;
  std::string_view rest = listedFolders();
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty())
      folders.emplace_back(folder);
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  static const std::string installed = installedFolder();
  if (!installed.empty())
    folders.push_back(installed);
  return folders;
}

std::string weir::devicePluginFile(std::string_view kind) {
  return fmt::format("{}{}{}", filePrefix, printable(kind), fileSuffix);
}

std::vector<std::string> weir::listDevicePlugins() {
  std::vector<std::string> kinds;
  for (const std::string &folder : devicePluginFolders()) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (!name.starts_with(filePrefix) || !name.ends_with(fileSuffix))
        continue;
      const std::string kind = name.substr(
          filePrefix.size(),
          name.size() -
              std::min(name.size(), filePrefix.size() + fileSuffix.size()));
      if (isKindName(kind))
        kinds.push_back(kind);
    }
  }
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

StatusOr<const DevicePlugin *> weir::findDevicePlugin(std::string_view kind) {
  if (!isKindName(kind))
    return noFile(kind);
  PluginTable &table = PluginTable::get();
  std::unique_lock lock(table.mutex);
  const std::string_view folders = listedFolders();
  if (const auto known = table.byKind.find(kind); known != table.byKind.end())
    return known->second;
  if (table.missing.kind == kind && table.missing.folders == folders)
    return table.missing.why;
  const std::string path = findPluginFile(kind);
  if (path.empty()) {
    table.missing = {std::string(kind), std::string(folders), noFile(kind)};
    return table.missing.why;
  }
  // The function of a plug-in is called only once.
  WEIR_RETURN_IF_ERROR(waitForOthers(table, lock, kind, path));
  if (const auto known = table.byKind.find(kind); known != table.byKind.end())
    return known->second;
  return loadInto(table, lock, path, kind);
}

std::vector<const DevicePlugin *> weir::loadedDevicePlugins() {
  PluginTable &table = PluginTable::get();
  const std::lock_guard lock(table.mutex);
  std::vector<const DevicePlugin *> plugins;
  for (const auto &[kind, plugin] : table.byKind)
    plugins.push_back(plugin);
  return plugins;
}
