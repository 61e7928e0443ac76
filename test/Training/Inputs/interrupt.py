#!/usr/bin/env python3
"""Interrupts a training as Ctrl-C does. It ends behind its step, with a
checkpoint of it.

    interrupt.py MODEL FOLDER
"""
import pathlib
import re
import signal
import subprocess
import sys
import time

from write_data import write_data


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    write_data(folder)
    checkpoints = folder / "checkpoints"
    process = subprocess.Popen(
        ["graph-run", model, "--data",
         f"x={folder}/train.npz:x,y={folder}/train.npz:y", "--epochs",
         "1000000", "--progress=none", "--checkpoint", str(checkpoints),
         "--checkpoint-every", "100"], stderr=subprocess.PIPE, text=True)
    while not list(checkpoints.glob("step-*")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=60)
    found = re.search(r"interrupted after step (\d+); go on with --resume",
                      text)
    step = max(int(re.search(r"\d+", path.name)[0])
               for path in checkpoints.glob("step-*"))
    if process.returncode != 1 or not found or int(found[1]) != step:
        sys.exit(f"exit code {process.returncode}, last checkpoint {step}: "
                 f"{text}")
    print("interrupted: the last step has a checkpoint")


if __name__ == "__main__":
    main()
