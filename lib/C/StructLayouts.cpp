//===- StructLayouts.cpp - Where the members of C structs lie ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Programs that were compiled with an older weir.h rely on these numbers. The
// numbers are those of 64-bit machines. A struct that may grow gets a new
// member behind the others, or in place of reserved bytes. Nothing else in this
// file may change while the first two numbers of the version stay the same.
//
//===----------------------------------------------------------------------===//

#include "weir/C/weir.h"

#include <cstddef>

#define WEIR_AT(type, member, offset)                                          \
  static_assert(offsetof(type, member) == (offset))

static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(bool) == 1);

// Structs that never change.

static_assert(sizeof(weir_device_option) == 24);
WEIR_AT(weir_device_option, device, 0);
WEIR_AT(weir_device_option, name, 8);
WEIR_AT(weir_device_option, value, 16);

static_assert(sizeof(weir_tensor) == 40);
WEIR_AT(weir_tensor, dtype, 0);
WEIR_AT(weir_tensor, rank, 4);
WEIR_AT(weir_tensor, dims, 8);
WEIR_AT(weir_tensor, data, 16);
WEIR_AT(weir_tensor, bytes, 24);
WEIR_AT(weir_tensor, space, 32);

static_assert(sizeof(weir_named_tensor) == 48);
WEIR_AT(weir_named_tensor, name, 0);
WEIR_AT(weir_named_tensor, tensor, 8);

// Structs that may grow.

WEIR_AT(weir_session_options, size, 0);
WEIR_AT(weir_session_options, entry, 8);
WEIR_AT(weir_session_options, threads, 16);
WEIR_AT(weir_session_options, in_flight, 20);
WEIR_AT(weir_session_options, no_pinning, 24);
WEIR_AT(weir_session_options, no_caller_threads, 25);
WEIR_AT(weir_session_options, refuse_code, 26);
WEIR_AT(weir_session_options, check_numerics, 27);
WEIR_AT(weir_session_options, tune, 28);
WEIR_AT(weir_session_options, device_options, 32);
WEIR_AT(weir_session_options, num_device_options, 40);
WEIR_AT(weir_session_options, trace, 48);

WEIR_AT(weir_device, size, 0);
WEIR_AT(weir_device, name, 8);
WEIR_AT(weir_device, kind, 16);
WEIR_AT(weir_device, description, 24);
WEIR_AT(weir_device, note, 32);
WEIR_AT(weir_device, memory_bytes, 40);
WEIR_AT(weir_device, processors, 48);
WEIR_AT(weir_device, num_processors, 56);
WEIR_AT(weir_device, threads, 64);

WEIR_AT(weir_run_options, size, 0);
WEIR_AT(weir_run_options, timeout_ns, 8);
WEIR_AT(weir_run_options, token, 16);

WEIR_AT(weir_port, size, 0);
WEIR_AT(weir_port, name, 8);
WEIR_AT(weir_port, dtype, 16);
WEIR_AT(weir_port, rank, 20);
WEIR_AT(weir_port, dims, 24);
WEIR_AT(weir_port, bytes, 32);
WEIR_AT(weir_port, space, 40);
WEIR_AT(weir_port, device, 48);
WEIR_AT(weir_port, is_read, 56);

WEIR_AT(weir_variable, size, 0);
WEIR_AT(weir_variable, name, 8);
WEIR_AT(weir_variable, dtype, 16);
WEIR_AT(weir_variable, rank, 20);
WEIR_AT(weir_variable, dims, 24);
WEIR_AT(weir_variable, bytes, 32);
WEIR_AT(weir_variable, is_valid, 40);
