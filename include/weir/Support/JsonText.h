//===- JsonText.h - Writes JSON whatever names are in it -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_JSONTEXT_H
#define WEIR_SUPPORT_JSONTEXT_H

#include <string>

namespace weir {

/// The text of `value`, a nlohmann::json of any kind; on one line unless
/// `indent` says otherwise. Names come from files and may be no UTF-8, on which
/// a plain `dump` throws: such bytes are written as U+FFFD.
template <typename Json>
std::string toJsonText(const Json &value, int indent = -1) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false,
                    Json::error_handler_t::replace);
}

} // namespace weir

#endif // WEIR_SUPPORT_JSONTEXT_H
