//===- JsonText.h - Prints JSON with names of any bytes ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_JSONTEXT_H
#define WEIR_SUPPORT_JSONTEXT_H

#include <string>

namespace weir {

/// The text of `value`, a nlohmann::json of any kind, on one line unless
/// `indent` says otherwise. Names come from files and may contain bytes that
/// are not UTF-8. A plain `dump` throws on these; here they are written as
/// U+FFFD.
template <typename Json>
std::string toJsonText(const Json &value, int indent = -1) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false,
                    Json::error_handler_t::replace);
}

} // namespace weir

#endif // WEIR_SUPPORT_JSONTEXT_H
