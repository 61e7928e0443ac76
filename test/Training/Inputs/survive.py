#!/usr/bin/env python3
"""Disturbs a training at random moments and resumes it, again and again. In
between, nothing is lost that the documentation promises, and at the end it has
the bits of a training that was left alone.

    survive.py MODEL FOLDER ROUNDS [SEED]

Each round is one of: SIGTERM, SIGHUP, SIGKILL, a full disk, data that is cut
off. It comes while steps are running, whatever the speed of the machine; some
more come while the training begins. 1,000 rounds take ten to twenty minutes.
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

# Steps between checkpoints.
EVERY = 50
# More steps than a training will have.
ENDLESS = 1_000_000_000
# How long steps run at most before they are disturbed, in seconds.
RUNNING = 0.04
# How often a round is tried until it disturbs a step that runs.
TRIES = 5


class Training:
    """A training in a folder of its own."""

    def __init__(self, model, folder, name):
        self.checkpoints = folder / f"{name}-checkpoints"
        self.log = folder / f"{name}.jsonl"
        self.data = folder / f"{name}.npz"
        self.data.write_bytes((folder / "train.npz").read_bytes())
        self.command = [
            "graph-run", model, "--data",
            f"x={self.data}:x,y={self.data}:y", "--shuffle", "7",
            "--progress=none", "--log", str(self.log),
            "--checkpoint", str(self.checkpoints), "--checkpoint-every",
            str(EVERY), "--resume"]

    def start(self):
        return subprocess.Popen(
            self.command + ["--steps", str(ENDLESS)], stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL, text=True)

    def finish(self, steps):
        subprocess.run(self.command + ["--steps", str(steps)], check=True,
                       stderr=subprocess.DEVNULL)

    def newest(self):
        """The newest checkpoint; None if there is none."""
        return max(self.checkpoints.glob("step-*.safetensors"), default=None,
                   key=step_of)

    def last_step(self):
        """The step of the newest checkpoint, each of which must be whole."""
        for path in self.checkpoints.glob("step-*.safetensors"):
            data = path.read_bytes()
            length = struct.unpack("<Q", data[:8])[0]
            header = json.loads(data[8:8 + length])
            end = max(entry["data_offsets"][1]
                      for name, entry in header.items()
                      if name != "__metadata__")
            assert len(data) == 8 + length + end, f"{path} is cut off"
        return step_of(self.newest())

    def last_logged(self):
        """The last step of the log."""
        with open(self.log, "rb") as log:
            log.seek(max(0, os.stat(self.log).st_size - 1000))
            lines = log.read().split(b"\n")[:-1]
        return json.loads(lines[-1])["step"]

    def losses(self):
        """The loss of each step of the log, in which none is twice."""
        found, last = {}, 0
        with open(self.log) as log:
            for line in log:
                if not line.endswith("\n"):
                    break
                record = json.loads(line)
                if "train" in record:
                    step = record["step"]
                    assert step > last, f"step {step} of the log"
                    last = step
                    found[step] = record["train"]["loss"]
        return found


def step_of(path):
    return int(path.stem.split("-")[1]) if path else 0


def by_signal(number):
    def disturb(process, training, last):
        """Whether a step was running."""
        process.send_signal(number)
        text = process.communicate(timeout=60)[1]
        # A process that has not begun to train dies by the signal.
        codes = {-number} if number == signal.SIGKILL else {
            -number, 128 + number}
        assert process.returncode in codes, (process.returncode, text)
        if process.returncode == 128 + number:
            step = int(text.split(" after step ")[1].split(";")[0])
            assert step == training.last_step(), text
            assert step == training.last_logged(), text
            return step > last
        return number == signal.SIGKILL and training.last_step() > last
    return disturb


def fill_disk(process, training, last):
    """Files cannot grow for a while. Training goes on without them."""
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100, -1))
    time.sleep(0.1)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (-1, -1))
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    text = process.communicate(timeout=60)[1]
    codes = {-signal.SIGTERM, 128 + signal.SIGTERM, 1}
    assert process.returncode in codes, (process.returncode, text)
    # The last checkpoint had space again, unless nothing could begin.
    if process.returncode == 1:
        assert "file too large" in text and "after step" not in text, text
    return "training goes on" in text and training.last_step() > last


def cut_data(process, training, last):
    """The file of the data shrinks, and is put back later."""
    whole = training.data.read_bytes()
    os.truncate(training.data, len(whole) // 2)
    try:
        text = process.communicate(timeout=60)[1]
        assert process.returncode == 1, (process.returncode, text)
        assert str(training.data) in text, text
        return "step" in text and training.last_step() > last
    finally:
        training.data.write_bytes(whole)


DISTURBANCES = {
    "SIGTERM": by_signal(signal.SIGTERM),
    "SIGHUP": by_signal(signal.SIGHUP),
    "SIGKILL": by_signal(signal.SIGKILL),
    "full disk": fill_disk,
    "cut off data": cut_data,
}


def wait_for_step(process, training):
    """Waits until the training has gone on by a checkpoint."""
    before = training.newest()
    while training.newest() == before and process.poll() is None:
        time.sleep(0.002)
    assert process.poll() is None, process.communicate()[1]


def disturb(name, training, draw, last):
    """Whether a step that was running was disturbed."""
    for _ in range(TRIES):
        process = training.start()
        # One in five comes at any time from the beginning on.
        if draw.random() < 0.2:
            time.sleep(draw.uniform(0, 0.1))
            DISTURBANCES[name](process, training, last)
        else:
            wait_for_step(process, training)
            time.sleep(draw.uniform(0, RUNNING))
            if DISTURBANCES[name](process, training, last):
                return True
        step = training.last_step()
        assert step >= last, f"{name}: step {step} is behind step {last}"
        last = step
    return False


def compare(whole, disturbed):
    """Whether a training ends as one that was left alone."""
    same = whole.newest().read_bytes() == disturbed.newest().read_bytes()
    print("checkpoint:", "equal bits" if same else "NOT EQUAL")
    # A log lacks steps for which the disk had no space, and no others.
    expected, found = whole.losses(), disturbed.losses()
    if any(found[step] != expected[step] for step in found):
        sys.exit("the log differs")
    print(f"steps of the log: {len(found)} of {len(expected)}", file=sys.stderr)
    print("log: no step twice, equal losses")


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3])
    draw = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 11)
    write_data(folder)
    whole = Training(model, folder, "whole")
    disturbed = Training(model, folder, "disturbed")
    counts = dict.fromkeys(DISTURBANCES, 0)
    for number in range(rounds):
        name = list(DISTURBANCES)[number % len(DISTURBANCES)]
        last = disturbed.last_step()
        counts[name] += disturb(name, disturbed, draw, last)
        step = disturbed.last_step()
        assert step >= last, f"{name}: step {step} is behind step {last}"
    print("steps that were disturbed:", counts, file=sys.stderr)
    if min(counts.values()) == 0:
        sys.exit(f"some disturbance has met no step that ran: {counts}")
    # One more, so that the end is that of neither.
    steps = disturbed.last_step() + EVERY
    disturbed.finish(steps)
    whole.finish(steps)
    compare(whole, disturbed)


if __name__ == "__main__":
    main()
