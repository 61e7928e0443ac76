#!/usr/bin/env python3
"""Writes the calls of the builder that make the graphs of test/Ops.

A case of test/Ops/<op>.mlir is a function with one op, and a CHECK line with
the op as it is printed. For each this script writes the same in C++, through
the op's typed method, with the CHECK line as what must come out.

usage: gen-op-cases.py ROOT LLVM OUT.inc
"""
import pathlib
import re
import sys

ARGUMENT = re.compile(r"%(\w+): tensor<([^>]*)>")
OP = re.compile(r"%\w+(?::\d+)? = weir\.(\w+)\s([^{:]*?)\s*"
                r"(\{(?:\"[^\"]*\"|[^\"}])*\})?\s*:", re.S)
ATTRIBUTE = re.compile(r"(\w+) = (\[[^\]]*\]|\"[^\"]*\"|[^,}]+)")
DTYPES = {"ui8": "U8", "ui16": "U16", "ui32": "U32", "ui64": "U64"}


def dtype(text):
    return "DType::" + DTYPES.get(text, text.upper())


def cpp_value(kind, text):
    """An attribute as it is written in C++."""
    text = re.sub(r" : \w+$", "", text.strip())
    if kind == "i64 array":
        return "{" + re.sub(r"^array<i64: |[\[\]>]", "", text) + "}"
    if kind == "element type":
        return dtype(text)
    if kind == "f64" and text.startswith("0x"):
        return f"std::bit_cast<double>(uint64_t({text}))"
    return text


def inputs(signature):
    for name, type_text in ARGUMENT.findall(signature):
        *dims, element = type_text.split("x")
        sizes = ", ".join(dim.replace("?", "-1") for dim in dims)
        yield (f'    Value {name}In = graph.input("{name}", {dtype(element)}, '
               f"{{{sizes}}});\n")


def call(code, op, operands, attributes):
    """The call of the op's method; operands that are left out are `{}` where
    options follow."""
    names = [f"{name}In" for name in re.findall(r"%(\w+)", operands)]
    if op.operands[-1].is_variadic:
        names = ["{" + ", ".join(names) + "}"]
    must = sum(not operand.is_optional for operand in op.operands)
    optional = names[must:] + ["{}"] * (len(op.operands) - len(names))
    arguments = names[:must] + [cpp_value(a.kind, attributes[a.name])
                                for a in code.required(op)] + optional
    options = [f".{code.camel_case(a.name)} = "
               f"{cpp_value(a.kind, attributes[a.name])}"
               for a in code.defaulted(op) if a.name in attributes]
    if options:
        arguments.append("{" + ", ".join(options) + "}")
    first = "[0]" if code.has_several_results(op) else ""
    return (f"    return graph.{code.camel_case(op.mnemonic)}("
            f"{', '.join(arguments)}){first};\n")


def case(code, op, text):
    """The row of the function `text`, whose CHECK lines come last in it."""
    name, signature = re.match(r"func\.func @(\w+)\((.*?)\)\s*->", text,
                               re.S).groups()
    expected = re.search(r"CHECK: (%y.*)", text)
    found = OP.search(re.sub(r"//.*", "", text))
    assert found and found[1] == op.mnemonic, f"{op.mnemonic}: @{name}"
    assert expected, f"{op.mnemonic}: @{name} has no CHECK line of its op"
    body = "".join(inputs(signature))
    body += call(code, op, found[2], dict(ATTRIBUTE.findall(found[3] or "")))
    return (f'  {{"{op.mnemonic}: {name}",\n   R"text({expected[1]})text",\n'
            f"   [](Graph &graph) -> Value {{\n{body}  }}}},\n")


def cases(code, op, root):
    path = root / "test" / "Ops" / f"{op.mnemonic}.mlir"
    if not path.exists():
        sys.exit(f"weir.{op.mnemonic} has no test; write {path}")
    text = path.read_text(encoding="utf-8").split("//--- cases.mlir\n")[1]
    functions = re.split(r"// CHECK-LABEL: [^\n]*\n", text.split("//--- ")[0])
    for function in functions[1:]:
        # Layouts are the compiler's; graphs as they are built have none.
        if "#weir.layout" in function:
            continue
        comments, body = function.split("func.func", 1)
        yield case(code, op, "func.func" + body + comments)


def main():
    root, llvm, out = map(pathlib.Path, sys.argv[1:])
    sys.path.insert(0, str(root / "utils"))
    import op_builder_code as code
    from op_records import read_records
    rows = [row for op in code.built_ops(read_records(root, llvm))
            for row in cases(code, op, root)]
    out.write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
