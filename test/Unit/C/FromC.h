//===- FromC.h - A C program that uses the C API -----------------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_C_FROMC_H
#define WEIR_TEST_UNIT_C_FROMC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs the model of CModel.h in all ways, with the folder `folder` for files.
/// Returns what was wrong, with its line, or null.
const char *use_from_c(const void *artifact, size_t size, const char *folder);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // WEIR_TEST_UNIT_C_FROMC_H
