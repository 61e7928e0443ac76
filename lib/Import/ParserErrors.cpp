//===- ParserErrors.cpp - Errors of MLIR's parser in our words -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ParserErrors.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/DType.h"
#include "weir/Support/NearNames.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace weir;

static constexpr llvm::StringLiteral exampleType = "tensor<2x3xf32>";

//===----------------------------------------------------------------------===//
// The text at an error
//===----------------------------------------------------------------------===//

namespace {
/// The text around the place of an error.
struct Place {
  /// From the place on, after spaces and comments.
  StringRef rest;
  /// In front of the place.
  StringRef before;
};
} // namespace

static StringRef skipSpaces(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      return text;
    text = text.drop_until([](char c) { return c == '\n'; });
  }
}

/// Nothing if the place is not in the source text.
static std::optional<Place> findPlace(Location location,
                                      const llvm::SourceMgr &sources) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place || sources.getNumBuffers() == 0)
    return std::nullopt;
  llvm::SMLoc at =
      const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(
          sources.getMainFileID(), place.getLine(), place.getColumn());
  if (!at.isValid())
    return std::nullopt;
  StringRef text =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  size_t offset = static_cast<size_t>(at.getPointer() - text.begin());
  return Place{skipSpaces(text.substr(offset)),
               text.take_front(offset).rtrim()};
}

/// The first word, string or sign of `text`, with what stands in its angle
/// brackets: "tensor<2xf32>".
static StringRef takeToken(StringRef text) {
  constexpr size_t longest = 60;
  text = text.take_front(longest);
  if (text.starts_with("\""))
    return text.take_front(text.find_first_of("\"\n", 1) + 1);
  if (text.starts_with("->"))
    return text.take_front(2);
  int depth = 0;
  StringRef word = text.take_while([&](char c) {
    if (depth == 0 && (llvm::isSpace(c) || StringRef("(){}[],=>").contains(c)))
      return false;
    depth += (c == '<') - (c == '>');
    return c != '\n';
  });
  return word.size() < 2 ? text.take_front(1) : word.rtrim(':');
}

/// ", found 'x'", or a text for the end of the input.
static std::string describeFound(const Place &place) {
  StringRef token = takeToken(place.rest);
  if (token.empty())
    return ", found the end of the text";
  return (", found '" + token + "'").str();
}

//===----------------------------------------------------------------------===//
// Names of ops
//===----------------------------------------------------------------------===//

/// The op that graphs have with the name that is most similar to `name`; empty
/// if none is similar.
static std::string findSimilarOp(StringRef name, MLIRContext *context) {
  std::vector<std::string> names, written;
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    StringRef known = op.getStringRef();
    if (!known.starts_with("weir.") && !known.starts_with("func."))
      continue;
    written.push_back(known.str());
    names.push_back(op.stripDialect().str());
  }
  StringRef own = name.rsplit('.').second;
  const std::string_view nearest =
      findNearest(std::string_view(own.empty() ? name : own), names);
  auto found = llvm::find(names, nearest);
  return found == names.end()
             ? std::string()
             : written[static_cast<size_t>(found - names.begin())];
}

/// Whether `name` is that of a loop, a branch or a condition in other dialects.
static bool isControlFlow(StringRef name) {
  const StringRef dialect = name.split('.').first;
  return dialect == "scf" || dialect == "cf" || dialect == "affine" ||
         name == "for" || name == "while" || name == "if";
}

/// An error that no op is called `name`, with what may be meant.
static std::string describeUnknownOp(StringRef name, const Place &place,
                                     MLIRContext *context) {
  StringRef behind = skipSpaces(
      place.rest.drop_front(place.rest.starts_with(name) ? name.size() : 0));
  std::string message = ("there is no op '" + name + "'").str();
  if (name == "on")
    return "a device stands in front of the ':', as in '%y = weir.relu %x on "
           "\"cpu:0\" : TYPE'";
  if (behind.starts_with("=") && !name.contains('.'))
    return (message + "; a result's name begins with '%', as in '%" + name +
            " = ...'")
        .str();
  if (isControlFlow(name))
    return message + "; a graph has no control flow: write the ops one after "
                     "the other";
  std::string similar = findSimilarOp(name, context);
  if (!similar.empty())
    message += "; did you mean '" + similar + "'?";
  else
    message += "; Ops.md of the docs lists the ops";
  if (name.contains('.') && !name.starts_with("weir."))
    message += " (what later phases print is for graph-opt)";
  return message;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string listElementTypes(MLIRContext *context) {
  std::string list;
  llvm::raw_string_ostream os(list);
  for (int type = 0; type < numDTypes; ++type)
    os << (type ? ", " : "") << toMLIRType(static_cast<DType>(type), context);
  return list;
}

static std::string describeMissingType(const Place &place,
                                       MLIRContext *context) {
  StringRef token = takeToken(place.rest);
  std::string message = "expected a type";
  if (token.starts_with("-"))
    return message + describeFound(place) +
           "; a dim is a number from 0 up, or '?' if it is not known";
  StringRef before = place.before;
  if (before.consume_back("(") && before.rtrim().ends_with("="))
    return "expected a value, found '('; a list is written in brackets, as in "
           "[0, 1]";
  bool isElement = place.before.ends_with("x") || place.before.ends_with("<");
  if (isElement && token.contains('x'))
    return "expected dims and an element type, as in " + exampleType.str() +
           describeFound(place) +
           "; a dim is a number, or '?' if it is not known";
  if (!isElement)
    return (message + " such as " + exampleType + describeFound(place)).str();
  return "expected an element type" + describeFound(place) + "; there are " +
         listElementTypes(context);
}

/// "use of value '%x' expects different type than prior uses: 'T' vs 'U'".
static std::string describeOtherType(StringRef text) {
  SmallVector<StringRef> quoted;
  text.split(quoted, '\'');
  // Types may have quotes of their own; then the sentence stays.
  if (quoted.size() != 7)
    return {};
  return ("'" + quoted[1] + "' is a '" + quoted[5] + "', but '" + quoted[3] +
          "' is written here; make them equal")
      .str();
}

/// The part of `text` behind `begin`, up to `end`.
static StringRef getBetween(StringRef text, StringRef begin, StringRef end) {
  return text.split(begin).second.split(end).first;
}

/// What an attribute expects, for a constraint of its record.
static StringRef describeConstraint(StringRef constraint) {
  bool isList = constraint.contains("array");
  if (constraint.contains("dictionar"))
    return isList ? "a list of names and values in braces, as in [{...}, {...}]"
                  : "names and values in braces, as in {name = \"...\"}";
  if (constraint.contains("type attribute"))
    return "an element type such as bf16, without quotes";
  if (constraint.contains("ranked tensor of 32-bit float"))
    return "a tensor of an element type that Weir has";
  if (auto [kind, of] = constraint.split(" attribute of "); !of.empty())
    return of;
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
  return constraint;
}

/// The value at the beginning of `text`: up to a comma or bracket that is not
/// inside of it, or to the end of the line.
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

/// What stands behind the word `name` in `text`, which begins at attributes or
/// at an op that has them; empty if that is not found.
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

/// "attribute 'axis' failed to satisfy constraint: ...", at the attributes.
static std::string describeAttribute(StringRef text, const Place &place) {
  StringRef name = getBetween(text, "attribute '", "'");
  StringRef constraint = text.split("constraint: ").second;
  std::string message =
      ("attribute '" + name + "' expects " + describeConstraint(constraint))
          .str();
  StringRef value = findValue(place.rest, name);
  return value.empty() ? message : message + ", found " + value.str();
}

/// An error about things that do not fit together, rather than about the
/// grammar; empty for others.
static std::string describeMisfit(StringRef text) {
  if (text.starts_with("operation defines "))
    return (getBetween(text, "provided ", " ") +
            " names stand in front of the '=', but the number of results is " +
            getBetween(text, "defines ", " "))
        .str();
  if (text.starts_with("number of operands and types do not match"))
    return ("the number of operands is " + getBetween(text, "got ", " ") +
            ", but that of the types behind the ':' is " +
            getBetween(text, "operands and ", " types").rsplit(' ').second +
            "; give each operand its type")
        .str();
  if (text.starts_with("inferred shape of elements literal"))
    return ("the elements have the shape " + getBetween(text, "(", ")") +
            ", but the type has " + getBetween(text, "type (", ")") +
            "; make them equal")
        .str();
  if (text.starts_with("tensor literal is invalid; ranks are not consistent"))
    return "the lists of elements differ in length or depth; give each row as "
           "many elements as the others";
  text.consume_front("custom op ");
  if (text.contains(" requires attribute '"))
    return (text + "; give it in braces, as in {" +
            getBetween(text, " requires attribute '", "'") +
            " = ...}; Ops.md of the docs describes it")
        .str();
  if (text.contains("does not reference a valid function"))
    return ("calls '" + getBetween(text.split(" op ").second, "'", "'") +
            "'; calls are not supported: write its ops here")
        .str();
  if (text.contains(" op inferred type(s) "))
    return ("the result of " + text.split(" op ").first + " is a " +
            getBetween(text, "inferred type(s) ", " are incompatible") +
            ", but " + text.split("of operation ").second +
            " is written behind the '->'; make them equal, or leave it out")
        .str();
  if (text.contains("symbol's parent must have the SymbolTable trait"))
    return "declare parameters outside of functions";
  if (text.starts_with("block with no terminator"))
    return "expected 'return %y : TYPE' at the end of a function, or "
           "'weir.yield %y : TYPE' at the end of a group";
  if (text.starts_with("'func.return' op has "))
    return ("the number of values returned is " +
            getBetween(text, "has ", " ") +
            ", but the function is declared "
            "with " +
            text.rsplit(' ').second + "; make them equal")
        .str();
  if (text.starts_with("type of return operand "))
    return ("a '" + getBetween(text, "('", "')") +
            "' is returned, but the function is declared with '" +
            getBetween(text, "result type ('", "')") + "'; make them equal")
        .str();
  return {};
}

/// The letters, digits and '_' at the beginning of `text`, if it begins with a
/// letter.
static StringRef takeWord(StringRef text) {
  if (text.empty() || !llvm::isAlpha(text.front()))
    return {};
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The name of an op at the end of `text`.
static StringRef takeOpName(StringRef text) {
  return text.substr(text.find_last_of(" \n=") + 1);
}

/// A float without a point, such as 1e-3, of which the parser has read the part
/// in front of the 'e'; empty if there is none at `place`.
static std::string takePointless(const Place &place) {
  const StringRef digits =
      place.before.substr(place.before.find_last_not_of("0123456789") + 1);
  const StringRef exponent = takeToken(place.rest);
  const StringRef number = exponent.substr(1).ltrim("+-");
  const bool isExponent = exponent.starts_with_insensitive("e") &&
                          !number.empty() && llvm::isDigit(number.front());
  return digits.empty() || !isExponent ? std::string()
                                       : (digits + exponent).str();
}

namespace {
/// A word or op behind which a value of one form stands.
struct ValueForm {
  StringLiteral before;
  StringLiteral form;
};
} // namespace

static constexpr ValueForm valueForms[] = {
    {" from", "a file in quotes, such as \"net.safetensors\""},
    {" key", "the name of a tensor in quotes, such as \"fc.weight\""},
    {" initial", "an initialiser, such as {name = \"he_normal\"}"},
    {"weir.assign", "a parameter, such as @w"},
    {"weir.constant", "elements, such as dense<1.0>"},
    {"weir.read", "a parameter, such as @w"}};

/// An error about something that is no value, or none of the form that is
/// needed there.
static std::string describeMissingValue(const Place &place) {
  for (const ValueForm &value : valueForms)
    if (place.before.ends_with(value.before))
      return ("expected " + value.form + describeFound(place)).str();
  const std::string lower = takeWord(place.rest).lower();
  std::string message =
      "expected a value such as 1, 0.5, true, \"sum\", [0, 1] or f32" +
      describeFound(place);
  return lower == "true" || lower == "false" ? message + "; write " + lower
                                             : message;
}

static StringRef lastLine(StringRef text) {
  return text.substr(text.rfind('\n') + 1);
}

/// What the parser expects, in our words, if its own are not clear.
static std::string describeExpected(StringRef text, const Place &place,
                                    MLIRContext *context) {
  bool isAtEnd = place.rest.empty();
  std::string found = describeFound(place);
  if (std::string number = takePointless(place); !number.empty())
    return "expected a float with a point, as in 1.0e-3, found '" + number +
           "'";
  if (text == "expected operation name in quotes") {
    if (isAtEnd)
      return "expected an op or '}'" + found;
    if (place.rest.starts_with("/*"))
      return "expected an op" + found + "; a comment begins with '//'";
    if (place.rest.starts_with("}"))
      return "expected an op" + found + ", which closes nothing; remove it";
    if (place.rest.starts_with(":") &&
        lastLine(place.before).contains("func.func"))
      return "expected '->' and the types of the results" + found;
    if (place.rest.starts_with(",") &&
        lastLine(place.before).contains("func.func"))
      return ("expected several results in brackets, as in -> (" + exampleType +
              ", " + exampleType + ")" + found)
          .str();
    return "expected an op such as '%y = weir.relu %x : tensor<2xf32>'" + found;
  }
  if (text == "expected non-function type")
    return describeMissingType(place, context);
  if (text == "expected SSA operand")
    return "expected a value such as %x" + found;
  if (text == "expected 'x' in dimension list")
    return ("expected an 'x' behind each dim and an element type at the end, "
            "as in " +
            exampleType + found)
        .str();
  if (text == "expected string" &&
      (place.before.ends_with(" on") || place.before.ends_with(")on")))
    return ("expected a device in quotes" + found + "; write \"" +
            takeToken(place.rest) + "\"")
        .str();
  const bool isInFunction = lastLine(place.before).contains("func.func");
  if (text == "expected ':'" && isInFunction)
    return ("expected ':' and a type behind an argument, as in %x: " +
            exampleType + found)
        .str();
  if (text == "expected ')'" && isInFunction && place.rest.starts_with("%"))
    return "expected ',' or ')'" + found;
  if (text == "expected ':'" && place.rest.starts_with("%") &&
      lastLine(place.before).contains(" on \""))
    return "expected ':' and types" + found +
           "; operands stand in front of the device";
  if (lastLine(place.before).contains(" uniform") &&
      (text == "expected ','" || text == "expected '<'"))
    return text.str() + found +
           "; the form is uniform <seed = 1, low = -0.1, high = 0.1>";
  if (text == "expected location instance")
    return ("expected a name in quotes" + found + "; write loc(\"" +
            takeToken(place.rest) + "\")")
        .str();
  if (text == "expected ':'" && place.rest.starts_with("("))
    return "expected operands without brackets, as in 'weir.relu %x'" + found;
  if (text == "expected ':'" && takeToken(place.rest) == "on" &&
      place.before.contains("weir.assign"))
    return "expected ':' and types" + found +
           "; an assignment has no device: place the op that computes the "
           "value";
  if (text == "expected ':'" && takeToken(place.rest) == "on")
    return "expected ':' and types" + found +
           "; a device stands in front of the attributes";
  if (text == "expected ':'" &&
      skipSpaces(place.rest.drop_front(takeWord(place.rest).size()))
          .starts_with("="))
    return "expected attributes in braces, as in {axis = 1}" + found;
  if (text == "expected ':'" && !takeWord(place.rest).empty() &&
      takeOpName(place.before).starts_with("weir."))
    return ("expected a value, which begins with '%', as in %" +
            takeWord(place.rest) + found)
        .str();
  if (text.starts_with("expected '}' in attribute dictionary") &&
      place.rest.starts_with(":"))
    return "expected an attribute such as axis = 1" + found;
  if (text == "expected attribute value")
    return describeMissingValue(place);
  if (text == "expected '=' after SSA name")
    return "expected '=' behind the name of a result" + found +
           "; a name that begins with a digit is a number, as in %1";
  if (text == "expected '\"' in string literal")
    return "expected '\"' at the end of a text, which ends with its line";
  if (text == "expected three consecutive dots for an ellipsis")
    return "expected a float with a digit in front of the point, as in 0.5";
  if (text == "expected element literal of primitive type")
    return "expected a number, true or false" + found +
           "; infinities and NaN are written as their bits, such as 0x7F800000";
  if (text == "expected ':'")
    return ("expected ':' and types, as in '%y = weir.relu %x : " +
            exampleType + "'" + found)
        .str();
  return text.str() + found;
}

/// The first part of `text` that is in single quotes.
static StringRef getQuoted(StringRef text) {
  return getBetween(text, "'", "'");
}

/// An error about the name of a value, an argument or a function; empty for
/// others.
static std::string describeName(StringRef text, const Place &place) {
  StringRef token = takeToken(place.rest);
  if (text == "use of undeclared SSA value name")
    return ("'" + token +
            "' is not defined; define it above, or correct the name")
        .str();
  if (text.starts_with("use of value '"))
    return describeOtherType(text);
  if (text.starts_with("redefinition of SSA value '"))
    return ("'" + getQuoted(text) +
            "' is defined twice; give one of the two another name")
        .str();
  if (text.starts_with("region entry argument '"))
    return ("two arguments are called '" + getQuoted(text) +
            "'; give one of them another name")
        .str();
  if (text.starts_with("redefinition of symbol named '"))
    return ("there are two '@" + getQuoted(text) +
            "'; give one of the two another name")
        .str();
  if (text == "reference to invalid result number")
    return ("'" + token + "' does not exist: the op has fewer results").str();
  return {};
}

/// "U+200B", or "'$'" of the first character of `text`.
static std::string describeCharacter(StringRef text) {
  if (!text.empty() && llvm::isPrint(text.front()))
    return ("'" + text.take_front() + "'").str();
  const llvm::UTF8 *begin = text.bytes_begin();
  llvm::UTF32 point = 0;
  if (llvm::convertUTF8Sequence(&begin, text.bytes_end(), &point,
                                llvm::strictConversion) != llvm::conversionOK)
    return "that is not UTF-8";
  return llvm::formatv("U+{0:X-4}", point).str();
}

/// "elements hex data size is invalid for provided type: 'tensor<8xf32>'", in
/// front of a text such as dense<"0x...">.
static std::string describeBytes(StringRef text, const Place &place) {
  const StringRef digits = getBetween(place.rest, "\"0x", "\"");
  return llvm::formatv("found {0} bytes behind '0x', which are not those of a "
                       "'{1}'; give those of all elements, or of one for all",
                       digits.size() / 2, getQuoted(text))
      .str();
}

/// An error about a character, a number or an attribute; empty for others.
static std::string describeLiteral(StringRef text, const Place &place) {
  StringRef token = takeToken(place.rest);
  if (text == "invalid dimension")
    return ("expected a dim of at most 2^47, found '" +
            token.take_while(llvm::isDigit) + "'")
        .str();
  if (text == "invalid attribute name" && token.starts_with("#"))
    return "unexpected '#'; a comment begins with '//'";
  if (text == "unexpected character" && place.rest.starts_with(";"))
    return "unexpected ';'; an op ends with its line";
  if (text == "unexpected character" && place.rest.starts_with("'"))
    return "unexpected single quote; a text is in double quotes";
  if (text == "unexpected character")
    return "unexpected character " + describeCharacter(place.rest) +
           "; names consist of ASCII letters, digits and '_'";
  if (text.starts_with("duplicate key '"))
    return ("attribute '" + getQuoted(text) + "' is given twice; give it once")
        .str();
  if (text == "integer constant out of range for type")
    return "expected a number that the element type has" +
           describeFound(place) + "; correct it, or take a wider type";
  if (text.starts_with("integer constant out of range"))
    return "expected an integer of 64 bits" + describeFound(place);
  if (text.starts_with("elements hex data size is invalid"))
    return describeBytes(text, place);
  if (text.starts_with("unexpected decimal integer literal"))
    return "expected a float, such as 1.0" + describeFound(place);
  if (text.ends_with(" not valid for specified type"))
    return "a number is no tensor; write dense<1.0> for one with that number "
           "in all elements";
  if (text == "cannot name an operation with no results")
    return "the op has no result; remove the name and the '='";
  if (text.starts_with("invalid block name"))
    return "a graph has no blocks" + describeFound(place);
  return {};
}

/// The error `text` at `place` in our words; empty if its own are fine.
static std::string reword(StringRef text, const Place &place,
                          MLIRContext *context) {
  for (std::string said : {describeName(text, place),
                           describeLiteral(text, place), describeMisfit(text)})
    if (!said.empty())
      return said;
  if (text.starts_with("unregistered operation '") ||
      (text.starts_with("custom op '") && text.contains("is unknown")))
    return describeUnknownOp(getQuoted(text), place, context);
  // "'weir.constant' op result #0 must be ranked tensor of 32-bit float or ...,
  // but got 'tensor<2xi4>'".
  if (text.contains("must be ranked tensor of 32-bit float"))
    return (text.split(" must be ").first +
            " expects an element type of Weir (" + listElementTypes(context) +
            "), found " + text.split("but got ").second)
        .str();
  // "Dialect `arith' not found for custom op 'arith.addf' ".
  if (text.starts_with("Dialect `"))
    return describeUnknownOp(getQuoted(text.split("custom op ").second), place,
                             context);
  // "custom op 'weir.relu' expected string".
  StringRef named;
  if (text.consume_front("custom op "))
    std::tie(named, text) = text.split("' ");
  text.consume_front("op ");
  if (text.contains("failed to satisfy constraint: "))
    return describeAttribute(text, place);
  if (std::string misfit = describeMisfit(text); !misfit.empty())
    return misfit;
  if (text == "invalid kind of attribute specified")
    return describeMissingValue(place);
  if (text.starts_with("expected ") && !text.contains("found"))
    return describeExpected(text, place, context);
  return named.empty() ? std::string() : (named + "' " + text).str();
}

/// The notes beside the errors above.
static StringRef rewordNote(StringRef text) {
  if (text == "prior use here")
    return "its type is given here";
  if (text == "previously defined here" || text == "previously referenced here")
    return "the first one is here";
  if (text == "see existing symbol definition here")
    return "the other one is here";
  return text;
}

/// Whether a note has advice for those who write dialects, or repeats the
/// error.
static bool isForMLIR(StringRef text) {
  return text.starts_with("Available dialects") ||
         text.starts_with("add a trailing dot");
}

/// Whether `text` only repeats the error about inferred types in front of it.
static bool isRepetition(StringRef text, bool wasInferred) {
  return wasInferred && text.contains("op failed to infer returned types");
}

/// The place of an error about what should be an op. MLIR reports it at the end
/// of the line before.
static Location findOp(const Place &place, Location reported,
                       const llvm::SourceMgr &sources) {
  auto file = reported->findInstanceOf<FileLineColLoc>();
  auto [line, column] = sources.getLineAndColumn(
      llvm::SMLoc::getFromPointer(place.rest.data()), sources.getMainFileID());
  return FileLineColLoc::get(file.getFilename(), line, column);
}

ParserErrors::ParserErrors(const llvm::SourceMgr &sources, MLIRContext *context)
    : handler(context, [&sources, context,
                        wasInferred = false](Diagnostic &diagnostic) mutable {
        std::optional<Place> place =
            findPlace(diagnostic.getLocation(), sources);
        const std::string said = diagnostic.str();
        if (isRepetition(said, wasInferred))
          return success();
        wasInferred = StringRef(said).contains(" op inferred type(s) ");
        std::string text =
            place ? reword(said, *place, context) : std::string();
        if (text.empty())
          return failure();
        Location location = diagnostic.getLocation();
        if (said == "expected operation name in quotes" && !place->rest.empty())
          location = findOp(*place, location, sources);
        Diagnostic reworded(location, diagnostic.getSeverity());
        reworded << text;
        for (const Diagnostic &note : diagnostic.getNotes())
          if (!isForMLIR(note.str()))
            reworded.attachNote(note.getLocation()) << rewordNote(note.str());
        diagnostic = std::move(reworded);
        return failure();
      }) {}
