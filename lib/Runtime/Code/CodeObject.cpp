//===- CodeObject.cpp - A shared object of generated kernels --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CodeObject.h"

#include "weir/Support/SystemError.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace weir;

static Status writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return systemError("cannot copy generated code to memory");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return Status::ok();
}

Status CodeObject::open(std::span<const std::byte> bytes) {
  file = memfd_create("weir-kernels", MFD_CLOEXEC);
  if (file < 0)
    return systemError("cannot create memory for generated code");
  WEIR_RETURN_IF_ERROR(writeAll(file, bytes));
  // The path contains the number of the process instead of "self": a debugger
  // that reads the path is another process.
  const std::string path = fmt::format("/proc/{}/fd/{}", getpid(), file);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  // The bytes were checked. So if the system cannot load them, memory or a
  // permission is lacking.
  if (!handle)
    return resourceExhausted(fmt::format(
        "the system cannot load generated code: {}; give the process more "
        "memory, and let it execute memory that it has written",
        dlerror()));
  table = static_cast<const WeirKernelTable *>(
      dlsym(handle, kernelTableName.data()));
  if (!table)
    return dataLoss("generated code exports no table of kernels; compile the "
                    "model again");
  if (table->abi != WEIR_KERNEL_ABI)
    return dataLoss(fmt::format(
        "generated code has ABI version {}, this runtime has ABI version {}; "
        "compile the model with the same version of Weir",
        table->abi, WEIR_KERNEL_ABI));
  return Status::ok();
}

StatusOr<std::unique_ptr<CodeObject>>
CodeObject::load(std::span<const std::byte> bytes) {
  WEIR_RETURN_IF_ERROR(checkSharedObject(bytes));
  std::unique_ptr<CodeObject> object(new CodeObject());
  WEIR_RETURN_IF_ERROR(object->open(bytes));
  return object;
}

CodeObject::~CodeObject() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}
