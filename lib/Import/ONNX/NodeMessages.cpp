//===- NodeMessages.cpp - Messages of ops in the words of ONNX ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

/// Replaces each "operand 1" of `text` by what `nameOf` makes of the number,
/// unless that is empty.
static void replaceOperands(std::string &text,
                            llvm::function_ref<std::string(size_t)> nameOf) {
  constexpr StringRef word = "operand ";
  size_t at = text.find(word);
  while (at != text.npos) {
    const StringRef digits =
        StringRef(text).substr(at + word.size()).take_while(llvm::isDigit);
    size_t number = 0;
    std::string name;
    if (!digits.getAsInteger(10, number))
      name = nameOf(number);
    if (!name.empty())
      text.replace(at, word.size() + digits.size(), name);
    // An input may have the word in its name, which stays.
    at = text.find(word, at + (name.empty() ? word.size() : name.size()));
  }
}

/// The message of an op on `operands` in the words of the node: inputs by their
/// names, and attributes that are none of the node's without that word.
std::string NodeBuilder::inWordsOfNode(std::string message,
                                       ArrayRef<Tensor> operands) const {
  replaceOperands(message, [&](size_t number) -> std::string {
    const auto input = number < operands.size()
                           ? llvm::find(inputs, Value(operands[number]))
                           : inputs.end();
    return input == inputs.end()
               ? ""
               : inputName(static_cast<size_t>(input - inputs.begin()));
  });
  constexpr StringRef word = "attribute '";
  if (StringRef(message).starts_with(word)) {
    const StringRef rest = StringRef(message).substr(word.size());
    if (!attributes.count(rest.take_until([](char c) { return c == '\''; })))
      message.erase(0, word.size() - 1);
  }
  return message;
}
