#!/usr/bin/env python3
"""Writes C++ that defines each function of a library, and does nothing.

usage: gen-driver.py NM LIBRARY OUTPUT

cuDNN opens the driver to make plans, also where there is no GPU, and asks for
most of its functions by name. PlanDriver.cpp defines the few that must answer.
"""

import subprocess
import sys

EXPORTED = 'extern "C" __attribute__((weak, visibility("default")))'


def main():
    nm, library, output = sys.argv[1:]
    listed = subprocess.run([nm, "-D", "--defined-only", library],
                            capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in listed.splitlines()
             if line.split()[-2] == "T"]
    with open(output, "w", encoding="utf-8") as file:
        for name in sorted(names):
            file.write(f"{EXPORTED} int {name}() {{ return 0; }}\n")


if __name__ == "__main__":
    main()
