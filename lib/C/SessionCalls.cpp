//===- SessionCalls.cpp - The C API's functions for sessions ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GrowingStructs.h"
#include "Handles.h"
#include "TensorStructs.h"

#include <algorithm>
#include <span>
#include <string_view>

using namespace weir;
using namespace weir::c;

/// Refuses the empty name, because in C++ it means the session's own entry.
static Status checkEntryName(const char *name) {
  if (!name || *name)
    return Status::ok();
  return notFound("no entry has the empty name; pass a name, or null for the "
                  "session's own entry");
}

static Status checkDeviceOption(const weir_device_option &option) {
  WEIR_RETURN_IF_ERROR(checkNotNull(option.device, "device"));
  WEIR_RETURN_IF_ERROR(checkNotNull(option.name, "name"));
  return checkNotNull(option.value, "value");
}

static Status readOptions(const weir_session_options *given,
                          SessionOptions &options) {
  weir_session_options read;
  WEIR_RETURN_IF_ERROR(readStruct(given, "weir_session_options", read));
  WEIR_RETURN_IF_ERROR(checkEntryName(read.entry));
  if (read.entry)
    options.entry = read.entry;
  options.threads = read.threads;
  options.inFlight = read.in_flight;
  options.pinThreads = !read.no_pinning;
  options.runOnCaller = !read.no_caller_threads;
  options.allowCode = !read.refuse_code;
  options.checkNumerics = read.check_numerics;
  options.tune = read.tune;
  options.trace = read.trace ? &read.trace->trace : nullptr;
  WEIR_RETURN_IF_ERROR(checkArray(read.device_options, read.num_device_options,
                                  "device option"));
  for (size_t i = 0; i < read.num_device_options; ++i) {
    const weir_device_option &option = read.device_options[i];
    WEIR_RETURN_IF_ERROR(checkDeviceOption(option).withContext(
        fmt::format("device option {}", i)));
    options.deviceOptions.push_back({option.device, option.name, option.value});
  }
  return Status::ok();
}

/// Calls `load` with the options, and makes a handle for the session that it
/// returns.
template <typename Load>
static Status makeSession(const weir_session_options *given,
                          weir_session **session, Load load) {
  WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
  SessionOptions options;
  WEIR_RETURN_IF_ERROR(readOptions(given, options));
  auto handle = std::make_unique<weir_session>();
  WEIR_ASSIGN_OR_RETURN(handle->session, load(options));
  for (std::string &name : handle->session->entryNames()) {
    WEIR_ASSIGN_OR_RETURN(const SessionEntry entry,
                          handle->session->entry(name));
    handle->entries.push_back({handle->session.get(), entry, std::move(name)});
  }
  handle->devices = handle->session->devices();
  *session = handle.release();
  return Status::ok();
}

weir_status weir_session_load_file(const char *path,
                                   const weir_session_options *options,
                                   weir_session **session) {
  return runCall("weir_session_load_file", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(path, "path"));
    return makeSession(options, session, [&](const SessionOptions &with) {
      return Session::load(std::string(path), with);
    });
  });
}

weir_status weir_session_load_memory(const void *bytes, size_t size,
                                     const weir_session_options *options,
                                     weir_session **session) {
  return runCall("weir_session_load_memory", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(bytes, "bytes"));
    const std::span<const std::byte> artifact(
        static_cast<const std::byte *>(bytes), size);
    return makeSession(options, session, [&](const SessionOptions &with) {
      return Session::load(artifact, with);
    });
  });
}

weir_status weir_session_stop(weir_session *session) {
  return runCall("weir_session_stop", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    session->session->stop();
    return Status::ok();
  });
}

weir_status weir_session_order_behind(weir_session *session, const char *device,
                                      void *stream) {
  return runCall("weir_session_order_behind", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(device, "device"));
    return session->session->orderBehind(device, stream);
  });
}

void weir_session_free(weir_session *session) { delete session; }

size_t weir_session_num_metadata(const weir_session *session) {
  return session ? session->session->metadata().size() : 0;
}

weir_status weir_session_metadata_at(const weir_session *session, size_t index,
                                     const char **key, const char **value) {
  return runCall("weir_session_metadata_at", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(key, "key"));
    WEIR_RETURN_IF_ERROR(checkNotNull(value, "value"));
    const auto &pairs = session->session->metadata();
    WEIR_RETURN_IF_ERROR(
        checkNumber(index, pairs.size(), "metadata", "session"));
    *key = pairs[index].first.c_str();
    *value = pairs[index].second.c_str();
    return Status::ok();
  });
}

size_t weir_session_num_devices(const weir_session *session) {
  return session ? session->devices.size() : 0;
}

weir_status weir_session_device_at(const weir_session *session, size_t index,
                                   weir_device *device) {
  return runCall("weir_session_device_at", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(device, "device"));
    WEIR_RETURN_IF_ERROR(
        checkNumber(index, session->devices.size(), "device", "session"));
    const DeviceInfo &info = session->devices[index];
    weir_device found = {};
    found.name = info.name.c_str();
    found.kind = info.kind.c_str();
    found.description = info.description.c_str();
    found.note = info.note.c_str();
    found.memory_bytes = info.memoryBytes;
    found.processors = info.processors.data();
    found.num_processors = info.processors.size();
    found.threads = info.threads;
    return writeStruct(found, "weir_device", device);
  });
}

size_t weir_session_num_entries(const weir_session *session) {
  return session ? session->entries.size() : 0;
}

weir_status weir_session_entry_at(const weir_session *session, size_t index,
                                  const weir_entry **entry) {
  return runCall("weir_session_entry_at", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(entry, "entry"));
    WEIR_RETURN_IF_ERROR(
        checkNumber(index, session->entries.size(), "entry", "session"));
    *entry = &session->entries[index];
    return Status::ok();
  });
}

weir_status weir_session_entry(const weir_session *session, const char *name,
                               const weir_entry **entry) {
  return runCall("weir_session_entry", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(session, "session"));
    WEIR_RETURN_IF_ERROR(checkNotNull(entry, "entry"));
    WEIR_RETURN_IF_ERROR(checkEntryName(name));
    WEIR_ASSIGN_OR_RETURN(const SessionEntry found,
                          session->session->entry(name ? name : ""));
    *entry = &*std::ranges::lower_bound(
        session->entries, found.name(), {},
        [](const weir_entry &known) { return std::string_view(known.name); });
    return Status::ok();
  });
}
