#!/usr/bin/env python3
"""run-all.py MODEL DIR: runs MODEL on DIR/x_*.npy, expecting DIR/y_*.npy."""
import pathlib
import subprocess
import sys


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    command = ["graph-run", model]
    for flag, prefix in (("--input", "x_"), ("--expect", "y_")):
        for path in sorted(folder.glob(prefix + "*.npy")):
            command += [flag, f"{path.stem}={path}"]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
