//===- ParserExpected.cpp - What the parser of a text expected ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ParserExpected.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/DType.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::parsing;

static constexpr llvm::StringLiteral exampleType = "tensor<2x3xf32>";

std::string parsing::listElementTypes(MLIRContext *context) {
  std::string list;
  llvm::raw_string_ostream os(list);
  for (int type = 0; type < numDTypes; ++type)
    os << (type ? ", " : "") << toMLIRType(static_cast<DType>(type), context);
  return list;
}

static StringRef lastLine(StringRef text) {
  return text.substr(text.rfind('\n') + 1);
}

bool parsing::isInDeclaration(const Place &place) {
  return lastLine(place.before).contains("func.func");
}

/// The arguments before `place`, if it is in the argument list of a function.
static std::optional<StringRef> findArguments(const Place &place) {
  const size_t at = place.before.rfind("func.func");
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef text = place.before.substr(at);
  if (text.contains("->") || text.count('(') <= text.count(')'))
    return std::nullopt;
  return text.split('(').second;
}

bool parsing::isInArguments(const Place &place) {
  return findArguments(place).has_value();
}

/// The error about a text in place of an argument.
static std::string describeArgument(const Place &place) {
  const StringRef word = takeWord(place.rest);
  const bool isName =
      skipSpaces(place.rest.drop_front(word.size())).starts_with(":");
  if (!word.empty() && isName)
    return ("expected the name of an argument, which begins with '%', as in %" +
            word + ": " + exampleType + describeFound(place))
        .str();
  return ("expected the name of an argument in front of its type, as in %x: " +
          exampleType + describeFound(place))
      .str();
}

static std::string describeMissingType(const Place &place,
                                       MLIRContext *context) {
  if (findArguments(place) &&
      (place.before.ends_with("(") || place.before.ends_with(",")))
    return describeArgument(place);
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
  if (isElement && token.contains('x') &&
      parseDType(std::string_view(token.split('x').first)))
    return "expected the element type behind the dims, as in " +
           exampleType.str() + describeFound(place);
  if (isElement && token.contains('x'))
    return "expected dims and an element type, as in " + exampleType.str() +
           describeFound(place) +
           "; a dim is a number, or '?' if it is not known";
  if (!isElement)
    return (message + " such as " + exampleType + describeFound(place) +
            (token.starts_with("%") && isInDeclaration(place)
                 ? "; a result has its name behind its type, as in {weir.name "
                   "= \"" +
                       token.drop_front() + "\"}"
                 : ""))
        .str();
  return "expected an element type" + describeFound(place) + "; there are " +
         listElementTypes(context);
}

/// The declaration of a parameter that ends at `place`, without its keyword.
/// Empty if no parameter is declared there.
static StringRef takeParameter(const Place &place) {
  constexpr StringLiteral keyword = "weir.parameter ";
  const size_t at = place.before.rfind(keyword);
  const StringRef text =
      at == StringRef::npos ? "" : place.before.substr(at + keyword.size());
  return text.contains('\n') || text.contains('{') ? "" : text;
}

/// The error about a text where the elements of a parameter should be. Empty if
/// `place` is not behind the `=` of a parameter.
static std::string describeElements(const Place &place) {
  StringRef declared = takeParameter(place);
  if (!declared.consume_back("="))
    return {};
  const std::string type = declared.split(':').second.trim().str();
  std::string message =
      "expected elements, such as dense<1.0> : " + type + describeFound(place);
  if (!takeWord(place.rest).empty())
    message += "; without the '=', uniform <seed = 1, low = -0.1, high = 0.1> "
               "or initial {name = \"he_normal\"} makes random ones";
  return message;
}

std::string parsing::describeBehindParameter(const Place &place) {
  const StringRef gap(
      place.before.end(),
      static_cast<size_t>(place.rest.begin() - place.before.end()));
  if (takeParameter(place).empty() || gap.contains('\n'))
    return {};
  return "expected from \"FILE\", = dense<1.0> : TYPE, uniform <seed = 1, low "
         "= -0.1, high = 0.1> or initial {name = \"he_normal\"} behind the "
         "type of a parameter" +
         describeFound(place);
}

/// The name of an op at the end of `text`.
static StringRef takeOpName(StringRef text) {
  return text.substr(text.find_last_of(" \n=") + 1);
}

/// The float without a point at `place`, such as 1e-3; empty if there is none.
/// The parser has read the part before the 'e'.
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
/// A word or op that is followed by a value of a certain form.
struct ValueForm {
  StringLiteral before;
  StringLiteral form;
};
} // namespace

static constexpr ValueForm valueForms[] = {
    {"optimizer =", "an optimizer, such as {name = \"adam\", rate = 0.001}"},
    {" from", "a file in quotes, such as \"net.safetensors\""},
    {" key", "the name of a tensor in quotes, such as \"fc.weight\""},
    {" initial", "an initialiser, such as {name = \"he_normal\"}"},
    {"weir.assign", "a parameter, such as @w"},
    {"call", "a function, such as @net"},
    {"weir.constant", "elements, such as dense<1.0>"},
    {"weir.read", "a parameter, such as @w"}};

std::string parsing::describeMissingValue(const Place &place,
                                          MLIRContext *context) {
  if (std::string elements = describeElements(place); !elements.empty())
    return elements;
  for (const ValueForm &value : valueForms)
    if (place.before.ends_with(value.before))
      return ("expected " + value.form + describeFound(place)).str();
  const StringRef word = takeWord(place.rest);
  const std::string lower = word.lower();
  std::string message =
      "expected a value such as 1, 0.5, true, \"sum\", [0, 1] or f32" +
      describeFound(place);
  if (lower == "true" || lower == "false")
    return message + "; write " + lower;
  return word.empty()
             ? message
             : message + "; a text is in quotes, and element types are " +
                   listElementTypes(context);
}

/// Whether `text` begins with a sign that was meant as the '->' of a
/// declaration, or with the type that follows a '->'.
static bool beginsResults(StringRef text) {
  return text.starts_with(":") || text.starts_with("=>") ||
         text.starts_with("-") || takeWord(text) == "tensor";
}

/// The error that an op is expected.
static std::string describeMissingOp(const Place &place) {
  const std::string found = describeFound(place);
  if (place.rest.empty())
    return "expected an op or '}'" + found;
  if (place.rest.starts_with("/*") || place.rest.starts_with("#"))
    return "expected an op" + found + "; a comment begins with '//'";
  if (place.rest.starts_with("}"))
    return "expected an op" + found + ", which closes nothing; remove it";
  if (isInDeclaration(place) && beginsResults(place.rest))
    return "expected '->' and the types of the results" + found;
  if (place.rest.starts_with("=>"))
    return "expected '->' in front of the types of results" + found;
  if (place.rest.starts_with(",") && isInDeclaration(place))
    return ("expected several results in brackets, as in -> (" + exampleType +
            ", " + exampleType + ")" + found)
        .str();
  if (place.rest.starts_with("(") && place.before.ends_with("return"))
    return ("expected the returned values without brackets, as in 'return %y "
            ": " +
            exampleType + "'" + found)
        .str();
  if (place.rest.starts_with("@"))
    return ("expected an op" + found + "; a parameter is assigned with " +
            "'weir.assign " + takeToken(place.rest) + ", %x : " + exampleType +
            "'")
        .str();
  if (place.rest.starts_with("{"))
    return "expected the next op" + found +
           "; attributes of an op stand in front of its ':'";
  if (place.rest.starts_with(",") &&
      lastLine(place.before).contains("weir.parameter"))
    return "expected the next op" + found +
           "; the name of a tensor in a file stands behind the word 'key', as "
           "in from \"net.safetensors\" key \"fc.weight\"";
  return "expected an op such as '%y = weir.relu %x : tensor<2xf32>'" + found;
}

/// The error about the name of a parameter where a value is expected.
static std::string describeParameterRead(const Place &place) {
  return "expected a value, which begins with '%'" + describeFound(place) +
         "; a parameter is read first, as in '%w = weir.read " +
         takeToken(place.rest).str() + " : " + exampleType.str() + "'";
}

/// Whether `text` begins with the name of an attribute and a '='.
static bool beginsAttribute(StringRef text) {
  const StringRef word = takeWord(text);
  return !word.empty() &&
         skipSpaces(text.drop_front(word.size())).starts_with("=");
}

/// The error that another operand is expected.
static std::string describeMissingOperand(const Place &place) {
  if (place.rest.starts_with("@"))
    return describeParameterRead(place);
  if (beginsAttribute(place.rest))
    return "expected attributes in braces and without a ',' before them, as in "
           "%x {axis = 1}" +
           describeFound(place);
  const StringRef number = takeToken(place.rest);
  const std::string message =
      "expected a value such as %x" + describeFound(place);
  if (!beginsNumber(number))
    return message;
  const bool isWhole = llvm::all_of(number.ltrim("-"), llvm::isDigit);
  return message +
         "; a number is a constant first, as in '%c = weir.constant "
         "dense<" +
         number.str() + (isWhole ? ".0" : "") + "> : tensor<f32>'";
}

/// The error about a missing type of elements, of a call or of a parameter.
/// Empty if the text before `place` ends with none of these.
static std::string describeMissingOwnType(const Place &place) {
  const StringRef line = lastLine(place.before);
  const StringRef elements = place.before.substr(
      std::min(place.before.size(), place.before.rfind("dense<")));
  if (elements.ends_with(">") && !elements.contains(':'))
    return ("expected ':' and the type of the elements, as in dense<1.0> : " +
            exampleType)
        .str();
  if (line.contains("call @"))
    return ("expected ':' and the types of the call, as in 'func.call @net(%x) "
            ": (" +
            exampleType + ") -> " + exampleType + "'")
        .str();
  const StringRef name = line.substr(line.rfind(' ') + 1);
  if (name.starts_with("@"))
    return ("expected ':' and the type of the parameter, as in " + name +
            " : " + exampleType)
        .str();
  return {};
}

/// The error that a ':' is expected before types.
static std::string describeMissingColon(const Place &place) {
  const std::string found = describeFound(place);
  const StringRef word = takeWord(place.rest);
  if (findArguments(place) || isInDeclaration(place))
    return ("expected ':' and a type behind an argument, as in %x: " +
            exampleType + found)
        .str();
  if (place.rest.starts_with("%") && lastLine(place.before).contains(" on \""))
    return "expected ':' and types" + found +
           "; operands stand in front of the device";
  if (place.rest.starts_with("@"))
    return describeParameterRead(place);
  if (std::string expected = describeMissingOwnType(place); !expected.empty())
    return expected + found +
           (word != "on" ? ""
            : lastLine(place.before).contains("call @")
                ? "; a call has no device: place the ops of the function that "
                  "it calls"
                : "; a parameter has no device: place the ops that use it");
  if (place.rest.starts_with("%"))
    return "expected ',' between operands" + found;
  if (place.rest.starts_with("(") &&
      beginsAttribute(skipSpaces(place.rest.drop_front())))
    return "expected attributes in braces, as in {axis = 1}" + found;
  if (place.rest.starts_with("("))
    return "expected operands without brackets, as in 'weir.relu %x'" + found;
  if (takeToken(place.rest) == "on")
    return "expected ':' and types" + found +
           (place.before.contains("weir.assign")
                ? "; an assignment has no device: place the op that computes "
                  "the value"
                : "; a device stands in front of the attributes");
  if (beginsAttribute(place.rest) || place.rest.starts_with("<"))
    return "expected attributes in braces, as in {axis = 1}" + found;
  if (place.rest.starts_with("weir."))
    return "expected a value, which begins with '%'" + found +
           "; give that op a line and a result of its own, and name the result "
           "here";
  if (!word.empty() && takeOpName(place.before).starts_with("weir."))
    return ("expected a value, which begins with '%', as in %" + word + found)
        .str();
  return ("expected ':' and types, as in '%y = weir.relu %x : " + exampleType +
          "'" + found)
      .str();
}

namespace {
/// A message of the parser, and its replacement: the texts before and after the
/// description of what was found.
struct Rewording {
  StringLiteral text;
  StringLiteral expected;
  StringLiteral repair;
};
} // namespace

static constexpr Rewording rewordings[] = {
    {"expected '->' in function type",
     "expected '->' and the types of the results behind those of the operands",
     ", as in (tensor<2x3xf32>) -> tensor<2x3xf32>"},
    {"expected 'x' in dimension list",
     "expected an 'x' behind each dim and an element type at the end, as in "
     "tensor<2x3xf32>",
     ""},
    {"expected '=' after SSA name", "expected '=' behind the name of a result",
     "; a name that begins with a digit is a number, as in %1"},
    {"expected integer number of results",
     "expected the number of results, as in %y:2",
     "; types stand behind the ':' at the end of an op"},
    {"expected '=' in attribute alias definition",
     "a word with a '#' in front names an attribute and needs a '='",
     "; a comment begins with '//'"},
    {"expected element literal of primitive type",
     "expected a number, true or false",
     "; infinities and NaN are written as their bits, such as 0x7F800000"},
    {"expected integer or floating point literal",
     "expected a number behind the '-'",
     "; minus infinity is written as its bits, in f32 0xFF800000"}};

/// The error about a text after an attribute, or after the name of an
/// attribute.
static std::string describeDictionary(const Place &place) {
  const std::string found = describeFound(place);
  const StringRef last =
      place.before.substr(place.before.find_last_of("{,") + 1).trim();
  const bool isName = !last.empty() && takeWord(last) == last;
  if (place.rest.starts_with(":"))
    return isName ? "expected '=' behind the name of an attribute, as in " +
                        last.str() + " = 1" + found
           : last.empty() ? "expected an attribute such as axis = 1" + found
                          : "expected '}' behind attributes" + found;
  return place.rest.empty() ? "expected '}' behind attributes" + found
                            : "expected ',' or '}' behind an attribute" + found;
}

/// Explains an error in the middle of an op or a declaration. Empty if the
/// error is already clear.
static std::string describeForm(StringRef text, const Place &place) {
  const std::string token = takeToken(place.rest).str();
  const std::string found = describeFound(place);
  if (text == "expected string" &&
      (place.before.ends_with(" on") || place.before.ends_with(")on"))) {
    StringRef behind = place.rest.drop_front(token.size());
    const bool isCall = behind.consume_front("(\"");
    return "expected a device in quotes" + found + "; write \"" +
           (isCall ? behind.split('"').first.str() : token) + "\"";
  }
  if (text.starts_with("expected valid '@'-identifier"))
    return lastLine(place.before).contains("weir.parameter")
               ? "expected the name of a parameter, which begins with '@', as "
                 "in 'weir.parameter @w : " +
                     exampleType.str() + "'" + found +
                     "; a function reads it with '%w = weir.read @w : " +
                     exampleType.str() + "'"
               : "expected a name that begins with '@', as in @main" + found;
  if (text == "expected location instance")
    return "expected a name in quotes" + found + "; write loc(\"" + token +
           "\")";
  const std::optional<StringRef> arguments = findArguments(place);
  if (text == "expected ')'" && place.rest.starts_with("%") && arguments)
    return arguments->contains('%')
               ? "expected ',' or ')'" + found
               : "expected the name of an argument in front of its type, as "
                 "in " +
                     token + ": " + arguments->trim().str() + found;
  if (text == "expected SSA identifier" && arguments)
    return describeArgument(place);
  if (text == "expected '('" && lastLine(place.before).contains("call @"))
    return "expected the operands of a call in brackets, as in func.call "
           "@net(%x)" +
           found;
  if ((text == "expected ','" || text == "expected '<'") &&
      lastLine(place.before).contains(" uniform"))
    return text.str() + found +
           "; the form is uniform <seed = 1, low = -0.1, high = 0.1>";
  if (text.starts_with("expected '}' in attribute dictionary"))
    return describeDictionary(place);
  return {};
}

std::string parsing::describeExpected(StringRef text, const Place &place,
                                      MLIRContext *context) {
  if (std::string number = takePointless(place); !number.empty())
    return "expected a float with a point, as in 1.0e-3, found '" + number +
           "'";
  if (text == "expected operation name in quotes")
    return describeMissingOp(place);
  if (text == "expected ':'")
    return describeMissingColon(place);
  if (text == "expected SSA operand")
    return describeMissingOperand(place);
  if (text == "expected non-function type")
    return describeMissingType(place, context);
  if (text == "expected attribute value")
    return describeMissingValue(place, context);
  if (text == "expected '\"' in string literal")
    return "expected '\"' at the end of a text, which ends with its line";
  if (text == "expected three consecutive dots for an ellipsis")
    return "expected a float with a digit in front of the point, as in 0.5";
  if (std::string form = describeForm(text, place); !form.empty())
    return form;
  for (const Rewording &row : rewordings)
    if (text == row.text)
      return (row.expected + describeFound(place) + row.repair).str();
  return text.str() + describeFound(place);
}
