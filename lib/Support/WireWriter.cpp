//===- WireWriter.cpp - Writes the wire format of protocol buffers --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/WireWriter.h"

#include "weir/Support/ProtoWire.h"

#include <bit>

using namespace weir;

static void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

static void appendTag(std::string &out, uint32_t field, WireType type) {
  appendVarint(out, uint64_t(field) << 3 | static_cast<uint64_t>(type));
}

void weir::appendFixed(std::string &out, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i)
    out += static_cast<char>(value >> (8 * i));
}

void WireWriter::addVarint(uint32_t field, uint64_t value) {
  appendTag(out, field, WireType::Varint);
  appendVarint(out, value);
}

void WireWriter::addDouble(uint32_t field, double value) {
  appendTag(out, field, WireType::Fixed64);
  appendFixed(out, std::bit_cast<uint64_t>(value), sizeof(value));
}

void WireWriter::addFloat(uint32_t field, float value) {
  appendTag(out, field, WireType::Fixed32);
  appendFixed(out, std::bit_cast<uint32_t>(value), sizeof(value));
}

void WireWriter::addBytes(uint32_t field, std::string_view bytes) {
  appendTag(out, field, WireType::Bytes);
  appendVarint(out, bytes.size());
  out += bytes;
}
