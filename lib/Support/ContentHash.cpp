//===- ContentHash.cpp - Hashes that identify contents -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ContentHash.h"

#include "weir/Support/MappedFile.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace weir;

std::string weir::contentHash(std::span<const std::byte> bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

StatusOr<std::string> weir::fileContentHash(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  return contentHash(file.bytes());
}

struct Checksum::State {
  XXH3_state_t xxh;
};

Checksum::Checksum() : state(std::make_unique<State>()) {
  XXH3_64bits_reset(&state->xxh);
}
Checksum::~Checksum() = default;

void Checksum::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state->xxh, bytes.data(), bytes.size());
}

uint64_t Checksum::value() const { return XXH3_64bits_digest(&state->xxh); }
