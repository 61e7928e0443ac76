//===- WireWriter.h - Writes the wire format of protocol buffers ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// ProtoWire.h describes the format and reads it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_WIREWRITER_H
#define WEIR_SUPPORT_WIREWRITER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// Appends the fields of one message to a text. A nested message is written
/// into a text of its own, and added as bytes.
class WireWriter {
public:
  /// `out` must outlive the writer.
  explicit WireWriter(std::string &out) : out(out) {}

  void addVarint(uint32_t field, uint64_t value);
  void addDouble(uint32_t field, double value);
  void addFloat(uint32_t field, float value);
  void addBytes(uint32_t field, std::string_view bytes);

private:
  std::string &out;
};

/// Appends the `size` low bytes of `value`, the lowest first.
void appendFixed(std::string &out, uint64_t value, size_t size);

} // namespace weir

#endif // WEIR_SUPPORT_WIREWRITER_H
