#!/usr/bin/env python3
"""Kills a training again and again, at random moments, and resumes it. It ends
with the bits of a training that was left alone, and in between no checkpoint is
damaged.

    resume.py MODEL FOLDER KILLS
"""
import json
import pathlib
import random
import signal
import struct
import subprocess
import sys
import time

from write_data import write_data

STEPS_PER_KILL = 2000
# What a process needs until its first step, in seconds.
START = 0.1


def command(model, folder, checkpoints, steps):
    return ["graph-run", model, "--data",
            f"x={folder}/train.npz:x,y={folder}/train.npz:y", "--shuffle", "7",
            "--steps", str(steps), "--progress=none", "--checkpoint",
            str(checkpoints), "--checkpoint-every", "50", "--resume"]


def latest(folder):
    return max(folder.glob("step-*.safetensors"), default=None)


def check_all(folder):
    """That each file is complete."""
    for path in folder.glob("*.safetensors"):
        data = path.read_bytes()
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + length])
        end = max(entry["data_offsets"][1] for name, entry in header.items()
                  if name != "__metadata__")
        assert len(data) == 8 + length + end, path


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    kills = int(sys.argv[3])
    steps_of_all = STEPS_PER_KILL * kills
    write_data(folder)
    whole, killed = folder / "whole", folder / "killed"
    begin = time.monotonic()
    subprocess.run(command(model, folder, whole, steps_of_all), check=True)
    lasts = time.monotonic() - begin
    draw = random.Random(11)
    steps, unfinished = set(), 0
    for _ in range(kills):
        process = subprocess.Popen(command(model, folder, killed, steps_of_all),
                                   stderr=subprocess.PIPE)
        time.sleep(draw.uniform(0, START + 2 * lasts / kills))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break
        unfinished += len(list(killed.glob(".weir-*")))
        check_all(killed)
        steps.add(latest(killed))
    subprocess.run(command(model, folder, killed, steps_of_all), check=True)
    same = latest(whole).read_bytes() == latest(killed).read_bytes()
    print(f"{len(steps)} different steps, {unfinished} files were not "
          "complete", file=sys.stderr)
    print("killed and resumed:", "equal bits" if same and len(steps) > 1
          else "NOT EQUAL")


if __name__ == "__main__":
    main()
