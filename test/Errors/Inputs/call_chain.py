#!/usr/bin/env python3
"""Prints functions of which each calls the next one several times, and the last
one has an op.

usage: call_chain.py FUNCTIONS CALLS
"""
import sys

TYPE = "tensor<2xf32>"


def main():
    functions, calls = map(int, sys.argv[1:])
    for number in range(functions):
        visibility = "private " if number else ""
        print(f"func.func {visibility}@f{number}(%x: {TYPE}) -> {TYPE} {{")
        print(f"  %y = weir.relu %x : {TYPE}")
        value = "y"
        if number + 1 < functions:
            for call in range(calls):
                print(f"  %c{call} = func.call @f{number + 1}(%{value})"
                      f" : ({TYPE}) -> {TYPE}")
                value = f"c{call}"
        print(f"  return %{value} : {TYPE}\n}}")


if __name__ == "__main__":
    main()
