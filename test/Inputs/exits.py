#!/usr/bin/env python3
"""exits.py CODE COMMAND...: passes if COMMAND ends with CODE, within a minute.

What ends by a signal or hangs never passes, whatever it printed.
"""

import subprocess
import sys


def main():
    wanted, command = int(sys.argv[1]), sys.argv[2:]
    try:
        code = subprocess.run(command, timeout=60).returncode
    except subprocess.TimeoutExpired:
        sys.exit(f"{command[0]}: still running after a minute")
    if code != wanted:
        sys.exit(f"{command[0]}: expected exit code {wanted}, found {code}")


if __name__ == "__main__":
    main()
