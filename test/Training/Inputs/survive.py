#!/usr/bin/env python3
"""Disturbs a training at random moments and resumes it, again and again. In
between, nothing is lost that the documentation promises, and at the end it has
the bits of a training that was left alone.

    survive.py MODEL FOLDER ROUNDS [SEED]

Each round is one of: SIGTERM, SIGHUP, SIGKILL, a full disk, data that is cut
off. 1,000 rounds take about ten minutes.
"""
import json
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import sys
import time

from write_data import write_data

# Steps of the whole training for each round, and between checkpoints.
STEPS_PER_ROUND = 1500
EVERY = 50
# What a process needs until its first step, in seconds.
START = 0.1


class Training:
    """A training in a folder of its own."""

    def __init__(self, model, folder, name, steps):
        self.checkpoints = folder / f"{name}-checkpoints"
        self.log = folder / f"{name}.jsonl"
        self.data = folder / f"{name}.npz"
        self.data.write_bytes((folder / "train.npz").read_bytes())
        self.command = [
            "graph-run", model, "--data",
            f"x={self.data}:x,y={self.data}:y", "--shuffle", "7", "--steps",
            str(steps), "--progress=none", "--log", str(self.log),
            "--checkpoint", str(self.checkpoints), "--checkpoint-every",
            str(EVERY), "--resume"]

    def start(self):
        return subprocess.Popen(self.command, stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True)

    def last_step(self):
        """The step of the newest checkpoint, each of which must be whole."""
        last = 0
        for path in self.checkpoints.glob("step-*.safetensors"):
            data = path.read_bytes()
            length = struct.unpack("<Q", data[:8])[0]
            header = json.loads(data[8:8 + length])
            end = max(entry["data_offsets"][1]
                      for name, entry in header.items()
                      if name != "__metadata__")
            assert len(data) == 8 + length + end, f"{path} is cut off"
            last = max(last, int(path.stem.split("-")[1]))
        return last

    def losses(self):
        """The loss of each step of the log, in which none is twice."""
        found, last = {}, 0
        for line in self.log.read_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                break
            record = json.loads(line)
            if "train" in record:
                step = record["step"]
                assert step > last, f"step {step} of the log"
                last = step
                found[step] = record["train"]["loss"]
        return found

    def bits(self):
        newest = max(self.checkpoints.glob("step-*.safetensors"))
        return newest.read_bytes()


def by_signal(number):
    def disturb(process, training):
        process.send_signal(number)
        text = process.communicate(timeout=60)[1]
        # A process that has not begun to train dies by the signal.
        codes = {0, -number} if number == signal.SIGKILL else {
            0, -number, 128 + number}
        assert process.returncode in codes, (process.returncode, text)
        if process.returncode == 128 + number:
            step = int(text.split(" after step ")[1].split(";")[0])
            assert step == training.last_step(), text
            assert step == max(training.losses()), text
    return disturb


def fill_disk(process, training):
    """Files cannot grow for a while. Training goes on without them."""
    try:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100, -1))
        time.sleep(0.1)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (-1, -1))
    except ProcessLookupError:
        pass
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    text = process.communicate(timeout=60)[1]
    codes = {0, -signal.SIGTERM, 128 + signal.SIGTERM, 1}
    assert process.returncode in codes, (process.returncode, text)
    # The last checkpoint had space again, unless nothing could begin.
    if process.returncode == 1:
        assert "cannot write" in text and "after step" not in text, text


def cut_data(process, training):
    """The file of the data shrinks, and is put back later."""
    whole = training.data.read_bytes()
    os.truncate(training.data, len(whole) // 2)
    try:
        text = process.communicate(timeout=60)[1]
        # It may have ended before, or have begun behind the cut.
        assert process.returncode in (0, 1), (process.returncode, text)
        if process.returncode == 1:
            assert str(training.data) in text, text
    finally:
        training.data.write_bytes(whole)


DISTURBANCES = {
    "SIGTERM": by_signal(signal.SIGTERM),
    "SIGHUP": by_signal(signal.SIGHUP),
    "SIGKILL": by_signal(signal.SIGKILL),
    "full disk": fill_disk,
    "cut off data": cut_data,
}


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3])
    draw = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 11)
    write_data(folder)
    steps = STEPS_PER_ROUND * rounds
    whole = Training(model, folder, "whole", steps)
    begin = time.monotonic()
    subprocess.run(whole.command, check=True, stderr=subprocess.DEVNULL)
    per_round = (time.monotonic() - begin) / rounds
    disturbed = Training(model, folder, "disturbed", steps)
    counts, last = {}, 0
    for number in range(rounds):
        name = list(DISTURBANCES)[number % len(DISTURBANCES)]
        process = disturbed.start()
        time.sleep(draw.uniform(0, START + per_round))
        DISTURBANCES[name](process, disturbed)
        step = disturbed.last_step()
        assert step >= last, f"{name}: step {step} is behind step {last}"
        counts[name] = counts.get(name, 0) + (step > last)
        last = step
        if last == steps:
            break
    subprocess.run(disturbed.command, check=True, stderr=subprocess.DEVNULL)
    print("rounds in which training went on:", counts, file=sys.stderr)
    same = whole.bits() == disturbed.bits()
    print("checkpoint:", "equal bits" if same else "NOT EQUAL")
    # A log lacks steps for which the disk had no space, and no others.
    expected, found = whole.losses(), disturbed.losses()
    same = all(found[step] == expected[step] for step in found)
    lacks = len(expected) - len(found)
    if not same or (lacks and "full disk" not in counts):
        sys.exit(f"the log differs, or lacks {lacks} steps")
    print("log: no step twice, equal losses")


if __name__ == "__main__":
    main()
