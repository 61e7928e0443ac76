//===- NameKernel.cpp - Names the symbols of a kernel's object --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The cache has one object for equal kernels of two graphs, although the
// kernels have different names. So an object gets its name after it is taken
// from the cache.
//
//===----------------------------------------------------------------------===//

#include "KernelEntries.h"
#include "Machine.h"

#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace llvm;
using namespace weir;

static Status toStatus(Error error) {
  return internalError(
      fmt::format("the symbols of a kernel cannot be named: {}",
                  toString(std::move(error))));
}

StatusOr<std::string> weir::nameKernel(const std::string &object,
                                       const std::string &name) {
  auto file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(object, "kernel"));
  if (!file)
    return toStatus(file.takeError());
  const std::string oldBody = (kernelSymbol + bodyEnding).str();
  const std::string newBody = name + bodyEnding.str();
  objcopy::ConfigManager config;
  config.Common.SymbolsToRename[kernelSymbol] = name;
  config.Common.SymbolsToRename[oldBody] = newBody;
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  if (Error error = objcopy::executeObjcopyOnBinary(config, **file, stream))
    return toStatus(std::move(error));
  return std::string(bytes.data(), bytes.size());
}
