#!/usr/bin/env python3
"""wide-concats.py COUNT: textual IR of COUNT concats of 1,000 inputs each."""
import sys

WIDTH = 1000


def main():
    count = int(sys.argv[1])
    column, row = "tensor<8x1xf32>", f"tensor<8x{WIDTH}xf32>"
    inputs = ", ".join(f"%x{i}: {column}" for i in range(WIDTH))
    results = ", ".join([row] * count)
    print(f"func.func @main({inputs}) -> ({results}) {{")
    for k in range(count):
        read = ", ".join(f"%x{(7 * i + k) % WIDTH}" for i in range(WIDTH))
        types = ", ".join([column] * WIDTH)
        print(f"  %y{k} = weir.concat {read} {{axis = 1}} : {types}")
    returned = ", ".join(f"%y{k}" for k in range(count))
    print(f"  return {returned} : {results}\n}}")


if __name__ == "__main__":
    main()
