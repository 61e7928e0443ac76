//===- ParserAttributes.cpp - Errors about values of attributes -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ParserAttributes.h"

#include "ParserExpected.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::parsing;

/// Describes the value that the constraint of an attribute expects.
static std::string describeConstraint(StringRef constraint,
                                      MLIRContext *context) {
  bool isList = constraint.contains("array");
  if (constraint.contains("dictionar"))
    return isList ? "a list of names and values in braces, as in [{...}, {...}]"
                  : "names and values in braces, as in {name = \"...\"}";
  if (constraint.contains("type attribute"))
    return "an element type without quotes (" + listElementTypes(context) + ")";
  if (constraint.contains("ranked tensor of 32-bit float"))
    return "a tensor of an element type that Weir has";
  if (auto [kind, of] = constraint.split(" attribute of "); !of.empty())
    return of.str();
  if (constraint.contains("integer") && !isList &&
      constraint.contains("non-negative"))
    return "an integer from 0 up";
  if (constraint.contains("integer"))
    return isList ? "a list of integers such as [0, 1]" : "an integer";
  if (constraint.contains("float"))
    return isList ? "a list of floats such as [0.5, 1.0]"
                  : "a float such as 0.5";
  if (constraint.contains("bool"))
    return "true or false";
  if (constraint.contains("string"))
    return isList ? "a list of texts such as [\"*.weight\"]"
                  : "a text in double quotes";
  return constraint.str();
}

/// The value at the beginning of `text`. It ends before a comma or bracket that
/// does not belong to it, or at the end of the line.
static StringRef takeValue(StringRef text) {
  int depth = 0;
  bool isQuoted = false;
  return text
      .take_while([&](char c) {
        isQuoted ^= c == '"';
        if (c == '\n' || isQuoted)
          return c != '\n';
        const bool closes = StringRef(")]}>").contains(c);
        if (depth == 0 && (closes || c == ','))
          return false;
        depth += StringRef("([{<").contains(c) - closes;
        return true;
      })
      .rtrim();
}

/// The value of attribute `name` in `text`; empty if `text` does not have the
/// attribute. `text` begins at attributes, or at an op with attributes.
static StringRef findValue(StringRef text, StringRef name) {
  auto isOfWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    StringRef behind = text.substr(at + name.size());
    const bool isWord = (at == 0 || !isOfWord(text[at - 1])) &&
                        (behind.empty() || !isOfWord(behind.front()));
    behind = behind.ltrim(" ");
    behind.consume_front("=");
    if (isWord)
      return takeValue(behind.ltrim(" "));
  }
  return {};
}

/// Whether `constraint` is about lists, and `value` looks like an element of
/// such a list.
static bool isElement(StringRef value, StringRef constraint) {
  if (!constraint.contains("array") || value.empty())
    return false;
  if (constraint.contains("dictionar"))
    return value.starts_with("{");
  if (constraint.contains("string"))
    return value.starts_with("\"");
  StringRef digits = value;
  digits.consume_front("-");
  return constraint.contains("integer") && llvm::all_of(digits, llvm::isDigit);
}

std::string parsing::describeAttribute(StringRef text, const Place &place,
                                       MLIRContext *context) {
  StringRef name = getBetween(text, "attribute '", "'");
  StringRef constraint = text.split("constraint: ").second;
  std::string message = ("attribute '" + name + "' expects " +
                         describeConstraint(constraint, context))
                            .str();
  StringRef value = findValue(place.rest, name);
  if (value.empty())
    return message;
  message += ", found " + value.str();
  if (constraint.contains("dictionar") && !constraint.contains("array") &&
      value.starts_with("\""))
    return message + "; write {name = " + value.str() +
           ", ...}, with its numbers inside";
  if (!isElement(value, constraint))
    return message;
  // The dots stand for further integers, because such a list often has one for
  // each dim.
  return message + (constraint.contains("integer")
                        ? "; a list is in brackets: [" + value.str() + ", ...]"
                        : "; write [" + value.str() + "]");
}
