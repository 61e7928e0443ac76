"""The C++ of the graph builder's methods, one per op that computes."""
import re
import textwrap

CPP_TYPES = {
    "i64 array": "std::vector<int64_t>", "i64": "int64_t", "f64": "double",
    "bool": "bool", "string": "std::string", "element type": "DType",
}
# What every op has; the builder sets the device through Value::on.
PLACEMENT = {"device", "stage"}


def camel_case(name, starts_upper=False):
    """leaky_relu -> leakyRelu or LeakyRelu."""
    words = re.split("_", name)
    return "".join(word[:1].upper() + word[1:] if index or starts_upper
                   else word for index, word in enumerate(words))


def built_ops(ops):
    """The ops that a graph as written may hold."""
    return sorted((op for op in ops if op.is_computing and not op.is_internal),
                  key=lambda op: op.mnemonic)


def own_attributes(op):
    return [attribute for attribute in op.attributes
            if attribute.name not in PLACEMENT]


def required(op):
    return [a for a in own_attributes(op) if a.default is None]


def defaulted(op):
    return [a for a in own_attributes(op) if a.default is not None]


def options_name(op):
    return camel_case(op.mnemonic, True) + "Options"


def by_value(cpp_type):
    return cpp_type in ("int64_t", "double", "bool", "DType", "Value")


def parameter(cpp_type, name):
    name = camel_case(name)
    if by_value(cpp_type):
        return f"{cpp_type} {name}"
    return f"const {cpp_type} &{name}"


def parameters(op):
    """(declaration, default or None) of each parameter: what must be given
    comes first."""
    must = [(parameter("std::vector<Value>" if operand.is_variadic else "Value",
                       operand.name), None)
            for operand in op.operands if not operand.is_optional]
    must += [(parameter(CPP_TYPES[attribute.kind], attribute.name), None)
             for attribute in required(op)]
    may = [(parameter("Value", operand.name), "{}")
           for operand in op.operands if operand.is_optional]
    if defaulted(op):
        may.append((f"const {options_name(op)} &options", "{}"))
    return must + may + [("CallSite site", "CallSite::current()")]


def wrapped(head, items, tail):
    """`head(items)tail` in lines of 80 columns, broken behind commas only."""
    text = f"{head}({', '.join(items)}){tail}"
    text = re.sub(r"(?<!,) ", "~", text)
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    return "\n".join(textwrap.wrap(
        text, 80, subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False)).replace("~", " ")


def comment(text, indent=""):
    """`text` as documentation; prose is filled anew, for a record's lines may
    be too long behind the comment's mark."""
    mark = f"{indent}/// "
    paragraphs = [textwrap.indent(paragraph, mark) if "```" in paragraph
                  else textwrap.fill(" ".join(paragraph.split()), 80,
                                     initial_indent=mark,
                                     subsequent_indent=mark,
                                     break_on_hyphens=False)
                  for paragraph in text.split("\n\n")]
    return f"\n{indent}///\n".join(paragraphs) + "\n"


def options_struct(op):
    members = "".join(f"  {CPP_TYPES[a.kind]} {camel_case(a.name)} = "
                      f"{a.default};\n" for a in defaulted(op))
    return (comment(f"What GraphOps::{camel_case(op.mnemonic)} can be told.")
            + f"struct {options_name(op)} {{\n{members}}};\n")


def has_several_results(op):
    return len(op.results) > 1 or op.results[0].is_variadic


def result_type(op):
    return "Values" if has_several_results(op) else "Value"


def declaration(op):
    text = op.summary + (f"\n\n{op.description}" if op.description else "")
    items = [f"{declared} = {default}" if default else declared
             for declared, default in parameters(op)]
    head = f"  {result_type(op)} {camel_case(op.mnemonic)}"
    return comment(text, "  ") + wrapped(head, items, ";") + "\n"


def operand_list(op):
    """Operands as the base class takes them; only the last can be many."""
    entries = []
    for operand in op.operands:
        if operand.is_variadic:
            return f'manyOperands("{operand.name}", {camel_case(operand.name)})'
        loose = ", true" if operand.is_optional else ""
        entries.append(f'{{"{operand.name}", '
                       f"{camel_case(operand.name)}{loose}}}")
    return "{" + ", ".join(entries) + "}"


def definition(op):
    head = f"{result_type(op)} GraphOps::{camel_case(op.mnemonic)}"
    attributes = [f'{{"{a.name}", {camel_case(a.name)}}}' for a in required(op)]
    attributes += [f'{{"{a.name}", options.{camel_case(a.name)}}}'
                   for a in defaulted(op)]
    first = "" if has_several_results(op) else "[0]"
    signature = wrapped(head, [item for item, _ in parameters(op)], " {")
    call = wrapped("  return addOp", [f'"weir.{op.mnemonic}"', operand_list(op),
                                      "{" + ", ".join(attributes) + "}",
                                      "site"], f"{first};")
    return f"{signature}\n{call}\n}}\n"


def banner(name, purpose):
    return f"""\
//===- {name} - {purpose} -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Written by utils/gen-op-tables.py from the op records.
//
//===----------------------------------------------------------------------===//
"""


def header(ops):
    ops = built_ops(ops)
    structs = "\n".join(options_struct(op) for op in ops if defaulted(op))
    methods = "\n".join(declaration(op) for op in ops)
    return f"""\
{banner("GraphOps.h", "The graph builder's ops")}
#ifndef WEIR_BUILDER_GRAPHOPS_H
#define WEIR_BUILDER_GRAPHOPS_H

#include "weir/Builder/GraphBase.h"

#include <limits>

namespace weir {{

{structs}
/// One method per op. Each adds the op to the graph and returns its result.
class GraphOps : public GraphBase {{
public:
{methods}
protected:
  using GraphBase::GraphBase;
}};

}} // namespace weir

#endif // WEIR_BUILDER_GRAPHOPS_H
"""


def source(ops):
    methods = "\n".join(definition(op) for op in built_ops(ops))
    return f"""\
{banner("GraphOps.cpp", "The graph builder's ops")}
#include "weir/Builder/GraphOps.h"

using namespace weir;

{methods}"""
