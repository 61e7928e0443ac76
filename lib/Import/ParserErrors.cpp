//===- ParserErrors.cpp - Errors of MLIR's parser in our words -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ParserErrors.h"

#include "ParserAttributes.h"
#include "ParserExpected.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Support/NearNames.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace weir;
using namespace weir::parsing;

//===----------------------------------------------------------------------===//
// The text at an error
//===----------------------------------------------------------------------===//

/// The place of `location` in the source text; nothing if `location` is not in
/// it.
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

//===----------------------------------------------------------------------===//
// Names of ops
//===----------------------------------------------------------------------===//

/// The page that lists and describes all ops.
static constexpr StringLiteral opsPage =
    "Ops.md (in build/docs, or share/doc/weir/docs of an installation)";

/// The op that the user probably meant by `name`. This is the op that other
/// systems call `name`, or else the op with the most similar name. Empty if
/// there is neither.
static std::string findSimilarOp(StringRef name, MLIRContext *context) {
  const StringRef behindDot = name.rsplit('.').second;
  const StringRef own = behindDot.empty() ? name : behindDot;
  std::vector<std::string> names, written;
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    StringRef known = op.getStringRef();
    if (!known.starts_with("weir.") && !known.starts_with("func."))
      continue;
    const auto *interface = op.getInterface<WeirOpInterface>();
    if (interface &&
        llvm::is_contained(interface->getRecord().getOtherNames(), own.lower()))
      return known.str();
    written.push_back(known.str());
    names.push_back(op.stripDialect().str());
  }
  const std::string_view nearest = findNearest(std::string_view(own), names);
  auto found = llvm::find(names, nearest);
  return found == names.end()
             ? std::string()
             : written[static_cast<size_t>(found - names.begin())];
}

/// Whether `name` is the name of a loop, a branch or a condition in another
/// dialect.
static bool isControlFlow(StringRef name) {
  const StringRef dialect = name.split('.').first;
  return dialect == "scf" || dialect == "cf" || dialect == "affine" ||
         name == "for" || name == "while" || name == "if";
}

/// The error that no op is called `name`, with a suggestion.
static std::string describeUnknownOp(StringRef name, const Place &place,
                                     MLIRContext *context) {
  StringRef behind = skipSpaces(
      place.rest.drop_front(place.rest.starts_with(name) ? name.size() : 0));
  if (std::string expected = describeBehindParameter(place); !expected.empty())
    return expected;
  std::string message = ("there is no op '" + name + "'").str();
  if (name == "on")
    return "a device stands in front of the ':', as in '%y = weir.relu %x on "
           "\"cpu:0\" : TYPE'";
  if (behind.starts_with("=") && !name.contains('.'))
    return (message + "; a result's name begins with '%', as in '%" + name +
            " = ...'")
        .str();
  const size_t derived = place.before.rfind("weir.derived");
  const size_t function = place.before.rfind("func.func");
  if (name == "return" && derived != StringRef::npos &&
      (function == StringRef::npos || function < derived))
    return "a derived parameter ends with 'weir.yield %y : TYPE', and not with "
           "'return'";
  if (name == "return")
    return "'return' stands outside of a function; its ops stand in braces, so "
           "write '{' behind the types of its results";
  if (isControlFlow(name))
    return message + "; a graph has no control flow: write the ops one after "
                     "the other";
  if (behind.starts_with("=") && isInDeclaration(place))
    return ("attributes of a function stand behind the word 'attributes', as "
            "in "
            "attributes {" +
            name + " = ...}")
        .str();
  std::string similar = findSimilarOp(name, context);
  if (!similar.empty())
    message += "; did you mean '" + similar + "'?";
  else
    message += ("; " + opsPage + " lists the ops").str();
  if (name.contains('.') && !name.starts_with("weir."))
    message += " (what later phases print is for graph-opt)";
  return message;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Rewords "use of value '%x' expects different type than prior uses: 'T' vs
/// 'U'".
static std::string describeOtherType(StringRef text) {
  SmallVector<StringRef> quoted;
  text.split(quoted, '\'');
  // If types contain quotes themselves, the message is not changed.
  if (quoted.size() != 7)
    return {};
  // quoted[3] is a function type "(T) -> U", as in the generic form.
  if (quoted[3].starts_with("("))
    return ("expected the types of the operands alone behind the ':', without "
            "brackets and '->', found '" +
            quoted[3] + "'")
        .str();
  return ("'" + quoted[1] + "' is a '" + quoted[5] + "', but '" + quoted[3] +
          "' is written here; make them equal")
      .str();
}

/// Rewords an error about parts of the text that do not fit together, such as a
/// wrong number of operands. Empty for other errors.
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
            getBetween(text, " requires attribute '", "'") + " = ...}; " +
            opsPage + " describes it")
        .str();
  if (text.contains(" or more operands, but found "))
    return (text + "; " + opsPage + " describes them").str();
  if (text.contains("expected builtin.tensor, but found '"))
    return ("expected a tensor type, such as tensor<f32> for one number, found "
            "'" +
            getBetween(text, "but found '", "'") + "'")
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
  return {};
}

/// Rewords an error about the arguments or results of a function; empty for
/// other errors.
static std::string describeSignature(StringRef text) {
  if (text.contains("expected builtin.function, but found '"))
    return ("expected the types of a call's operands in brackets, and those of "
            "its results behind a '->', as in (tensor<2x3xf32>) -> "
            "tensor<2x3xf32>, found '" +
            getBetween(text, "but found '", "'") + "'")
        .str();
  if (text.contains("may only have dialect attributes"))
    return "the attributes of arguments and results begin with 'weir.', such "
           "as weir.name and weir.space; write the one that is meant";
  if (text.contains("does not reference a valid function"))
    return ("calls '" + getBetween(text.split(" op ").second, "'", "'") +
            "', and no function of the file has this name")
        .str();
  if (text.starts_with("'func.return' op has "))
    return ("the number of values returned is " +
            getBetween(text, "has ", " ") +
            ", but the function is declared with " + text.rsplit(' ').second +
            (text.ends_with(" returns 0")
                 ? "; write '->' and their types behind the arguments"
                 : "; make them equal"))
        .str();
  if (text.starts_with("type of return operand "))
    return ("a '" + getBetween(text, "('", "')") +
            "' is returned, but the function is declared with '" +
            getBetween(text, "result type ('", "')") + "'; make them equal")
        .str();
  return {};
}

/// The first part of `text` that is in single quotes.
static StringRef getQuoted(StringRef text) {
  return getBetween(text, "'", "'");
}

/// Rewords an error about the name of a value, an argument or a function; empty
/// for other errors.
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

/// The first character of `text`, as "'$'" or "U+200B".
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

/// Rewords "elements hex data size is invalid for provided type:
/// 'tensor<8xf32>'", which is reported at a text such as dense<"0x...">.
static std::string describeBytes(StringRef text, const Place &place) {
  const StringRef digits = getBetween(place.rest, "\"0x", "\"");
  return llvm::formatv("found {0} bytes behind '0x', which are not those of a "
                       "'{1}'; give those of all elements, or of one for all",
                       digits.size() / 2, getQuoted(text))
      .str();
}

/// The end of MLIR's error about a number in place of a tensor.
static constexpr StringLiteral noTensor = " not valid for specified type";

/// Whether the line of `place` has a '{' that no '}' of the line closes.
static bool isInBraces(const Place &place) {
  const StringRef line = place.before.substr(place.before.rfind('\n') + 1);
  return line.count('{') > line.count('}') &&
         !place.rest.split('\n').first.contains('}');
}

/// Rewords the error that ends with `noTensor`. MLIR reports it before "5 :
/// tensor<f32>" or after "5.0 : tensor<f32>".
static std::string describeScalar(const Place &place) {
  StringRef number = place.rest.split(':').first;
  StringRef type = place.rest.split(':').second.split('\n').first;
  if (!beginsNumber(place.rest)) {
    std::tie(number, type) = place.before.rsplit(':');
    number = number.rtrim();
    number = number.substr(number.find_last_of(" =\n") + 1);
  }
  number = number.rtrim();
  const bool isWhole = llvm::all_of(number.ltrim("-"), llvm::isDigit);
  return ("a number is no tensor; write dense<" + number +
          (isWhole && type.substr(type.rfind('x') + 1).contains('f') ? ".0"
                                                                     : "") +
          "> for one with that number in all elements" +
          (isInBraces(place) ? ", or '}' in front of the ':' behind attributes"
                             : ""))
      .str();
}

/// Rewords an error about a character, a number or an attribute; empty for
/// other errors.
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
  if (text.ends_with(noTensor))
    return describeScalar(place);
  if (text.starts_with("@ identifier expected") && token.starts_with("\""))
    return ("expected 'on' in front of a device, found '@'; write on " + token)
        .str();
  if (text == "elements literal type must have static shape")
    return "the type of elements has a dim '?'; write the number in its place";
  if (text == "hexadecimal float literal should not have a leading minus")
    return "bits have no '-' in front; minus infinity is 0xFF800000 in f32";
  if (text == "cannot name an operation with no results")
    return "the op has no result; remove the name and the '='";
  if (text.starts_with("invalid block name"))
    return "a graph has no blocks" + describeFound(place);
  return {};
}

/// Rewords the error `text` at `place`; empty if the error need not be changed.
static std::string reword(StringRef text, const Place &place,
                          MLIRContext *context) {
  if (text.contains("' requires attribute '") && place.rest.starts_with("["))
    return "expected operands without brackets, as in 'weir.relu %x'" +
           describeFound(place);
  for (std::string said :
       {describeName(text, place), describeLiteral(text, place),
        describeSignature(text), describeMisfit(text)})
    if (!said.empty())
      return said;
  if (text.starts_with("unregistered operation '") ||
      (text.starts_with("custom op '") && text.contains("is unknown")))
    return describeUnknownOp(getQuoted(text), place, context);
  // The error is "'weir.constant' op result #0 must be ranked tensor of 32-bit
  // float or ..., but got 'tensor<2xi4>'".
  if (text.contains("must be ranked tensor of 32-bit float"))
    return (text.split(" must be ").first +
            " expects an element type of Weir (" + listElementTypes(context) +
            "), found " + text.split("but got ").second)
        .str();
  // The text before the place ends with the name of the op: "arith.addf".
  if (text.starts_with("operation being parsed with an unregistered dialect"))
    return describeUnknownOp(place.before.rtrim('"').rsplit('"').second, place,
                             context);
  // The error is "Dialect `arith' not found for custom op 'arith.addf' ".
  if (text.starts_with("Dialect `"))
    return describeUnknownOp(getQuoted(text.split("custom op ").second), place,
                             context);
  // The error is "custom op 'weir.relu' expected string".
  StringRef named;
  if (text.consume_front("custom op "))
    std::tie(named, text) = text.split("' ");
  text.consume_front("op ");
  if (text.contains("failed to satisfy constraint: "))
    return describeAttribute(text, place, context);
  if (std::string misfit = describeMisfit(text); !misfit.empty())
    return misfit;
  if (text == "invalid kind of attribute specified")
    return describeMissingValue(place, context);
  if (text.starts_with("expected ") && !text.contains("found"))
    return describeExpected(text, place, context);
  return named.empty() ? std::string() : (named + "' " + text).str();
}

/// Returns the note about the use of a value that is defined nowhere. MLIR
/// reports such a value as an error about an argument of the same name in a
/// later function. Null for other errors.
static Diagnostic *findUndefined(StringRef text, Diagnostic &diagnostic,
                                 const llvm::SourceMgr &sources) {
  if (!text.starts_with("region entry argument '"))
    return nullptr;
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::optional<Place> use = findPlace(note.getLocation(), sources);
    if (note.str() == "previously referenced here" && use &&
        !isInArguments(*use))
      return &note;
  }
  return nullptr;
}

/// Rewords a note that MLIR adds to an error.
static StringRef rewordNote(StringRef text) {
  if (text == "prior use here")
    return "its type is given here";
  if (text == "previously defined here" || text == "previously referenced here")
    return "the first one is here";
  if (text == "see existing symbol definition here")
    return "the other one is here";
  return text;
}

/// Whether a note is advice for authors of dialects, or repeats the error.
static bool isForMLIR(StringRef text) {
  return text.starts_with("Available dialects") ||
         text.starts_with("add a trailing dot");
}

/// Whether `text` only repeats the preceding error about inferred types.
static bool isRepetition(StringRef text, bool wasInferred) {
  return wasInferred && text.contains("op failed to infer returned types");
}

/// The place of an error about a text where an op should be. MLIR reports such
/// an error at the end of the previous line.
static Location findOp(const Place &place, Location reported,
                       const llvm::SourceMgr &sources) {
  auto file = reported->findInstanceOf<FileLineColLoc>();
  auto [line, column] = sources.getLineAndColumn(
      llvm::SMLoc::getFromPointer(place.rest.data()), sources.getMainFileID());
  return FileLineColLoc::get(file.getFilename(), line, column);
}

/// The place of an error that MLIR reports after the faulty text, sometimes on
/// a later line.
static Location findBefore(const Place &place, Location reported,
                           const llvm::SourceMgr &sources) {
  const char *begin =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferStart();
  const char *at = place.rest.data();
  StringRef before(begin, static_cast<size_t>(at - begin));
  before = before.rtrim();
  if (before.empty())
    return reported;
  auto file = reported->findInstanceOf<FileLineColLoc>();
  auto [line, column] = sources.getLineAndColumn(
      llvm::SMLoc::getFromPointer(before.end() - 1), sources.getMainFileID());
  return FileLineColLoc::get(file.getFilename(), line, column);
}

ParserErrors::ParserErrors(const llvm::SourceMgr &sources, MLIRContext *context)
    : handler(context, [&sources, context,
                        wasInferred = false](Diagnostic &diagnostic) mutable {
        std::optional<Place> place =
            findPlace(diagnostic.getLocation(), sources);
        const std::string said = diagnostic.str();
        if (const Diagnostic *use = findUndefined(said, diagnostic, sources)) {
          Diagnostic undefined(use->getLocation(), diagnostic.getSeverity());
          undefined << "'" << getQuoted(said)
                    << "' is not defined; define it above, or correct the "
                       "name: the argument of another function is not seen";
          diagnostic = std::move(undefined);
          return failure();
        }
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
        if (StringRef(said).ends_with(noTensor) && !beginsNumber(place->rest))
          location = findBefore(*place, location, sources);
        Diagnostic reworded(location, diagnostic.getSeverity());
        reworded << text;
        for (const Diagnostic &note : diagnostic.getNotes())
          if (!isForMLIR(note.str()))
            reworded.attachNote(note.getLocation()) << rewordNote(note.str());
        diagnostic = std::move(reworded);
        return failure();
      }) {}
