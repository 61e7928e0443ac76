//===- ParameterFiles.cpp - The files that parameters are read from -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"

#include <filesystem>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;
namespace fs = std::filesystem;

std::string weir::getParameterPath(ParameterOp parameter) {
  auto module = parameter->getParentOfType<ModuleOp>();
  auto folder = module->getAttrOfType<StringAttr>(attrs::sourceDir);
  // If the file has an absolute path, the folder is ignored.
  return fs::path(folder ? folder.str() : "") / parameter.getFile()->str();
}

void weir::addParameterFiles(ModuleOp module, FileUses &uses) {
  llvm::StringSet<> files;
  for (auto parameter : module.getOps<ParameterOp>())
    if (parameter.getFile() && files.insert(getParameterPath(parameter)).second)
      uses.reads("parameters", getParameterPath(parameter));
}

/// The folder of `path` with links resolved, so that ".." has the same meaning
/// as for the system; empty after an error.
static fs::path getFolder(const fs::path &path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  return error ? fs::path()
               : fs::weakly_canonical(absolute.parent_path(), error);
}

/// Whether a text that is written to `output` is in a known folder.
static bool hasPlace(const std::string &output) {
  std::error_code error;
  return !output.empty() && output != "-" &&
         (!fs::exists(output, error) || fs::is_regular_file(output, error));
}

void weir::nameFilesFrom(const std::string &output, ModuleOp module) {
  const fs::path folder = hasPlace(output) ? getFolder(output) : fs::path();
  for (auto parameter : module.getOps<ParameterOp>()) {
    if (!parameter.getFile() ||
        fs::path(parameter.getFile()->str()).is_absolute())
      continue;
    const fs::path path = getParameterPath(parameter);
    const fs::path fromRoot = getFolder(path) / path.filename();
    parameter.setFile(
        (folder.empty() ? fromRoot : fromRoot.lexically_relative(folder))
            .string());
  }
}

std::string weir::hashContent(std::span<const std::byte> bytes) {
  ArrayRef data(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  return fmt::format("xxh3:{:016x}", llvm::xxh3_64bits(data));
}
