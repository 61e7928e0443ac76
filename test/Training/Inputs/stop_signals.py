#!/usr/bin/env python3
"""Stops trainings by signals. They end behind their step, with a checkpoint of
it and the exit code 128 + signal.

    stop_signals.py MODEL FOLDER
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from write_data import write_data


def start_signals(ignored):
    """Who started this test may ignore signals."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN if each in ignored
                      else signal.SIG_DFL)


def last_step(checkpoints):
    return max((int(re.search(r"\d+", path.name)[0])
                for path in checkpoints.glob("step-*")), default=0)


def wait_for_steps(process, checkpoints, count):
    """Waits until the training has gone on by so many steps."""
    goal = last_step(checkpoints) + count
    while last_step(checkpoints) < goal and process.poll() is None:
        time.sleep(0.01)


def stop(name, model, folder, signals, closes=False, ignored=()):
    checkpoints = folder / f"checkpoints{name}"
    log = folder / f"{name}.jsonl"
    process = subprocess.Popen(
        ["graph-run", model, "--data",
         f"x={folder}/train.npz:x,y={folder}/train.npz:y", "--epochs",
         "1000000", "--progress=lines", "--progress-every=1", "--log", log,
         "--checkpoint", checkpoints, "--checkpoint-every", "100"],
        stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: start_signals(ignored))
    text = ""
    if closes:
        process.stderr.readline()
        process.stderr.close()
        wait_for_steps(process, checkpoints, 200)
    else:
        # Somebody has to read, or the training waits.
        while last_step(checkpoints) == 0 and process.poll() is None:
            text += process.stderr.readline()
    for each in signals:
        process.send_signal(each)
        steps = last_step(checkpoints)
        while (each in ignored and last_step(checkpoints) < steps + 200
               and process.poll() is None):
            process.stderr.readline()
    if not closes:
        text += process.stderr.read()
    code = process.wait(timeout=60)
    logged = int(re.findall(r'"step":(\d+)', log.read_text())[-1])
    step = last_step(checkpoints)
    said = re.search(r"(interrupted|stopped by SIG\w+) after step (\d+); go on "
                     "with --resume", text)
    if (code != 128 + signals[-1] or logged != step
            or not (closes or said and int(said[2]) == step)):
        sys.exit(f"{name}: exit code {code}, last checkpoint {step}, last "
                 f"step of the log {logged}: {text[-200:]}")


def fill(descriptor):
    """Writes to a pipe until the next write would wait."""
    os.set_blocking(descriptor, False)
    try:
        while True:
            os.write(descriptor, b"\n" * 4096)
    except BlockingIOError:
        os.set_blocking(descriptor, True)


def stop_behind_the_end(model, folder):
    """A signal comes when all steps are done, and their report is written."""
    checkpoints = folder / "checkpointsend"
    reader, writer = os.pipe()
    fill(writer)
    process = subprocess.Popen(
        ["graph-run", model, "--data",
         f"x={folder}/train.npz:x,y={folder}/train.npz:y", "--steps", "100",
         "--progress=none", "--checkpoint", checkpoints, "--json"],
        stdout=writer, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: start_signals(()))
    os.close(writer)
    while last_step(checkpoints) < 100 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    while os.read(reader, 1 << 16):
        pass
    text = process.stderr.read()
    code = process.wait(timeout=60)
    if code != 128 + signal.SIGTERM or (
            "stopped by SIGTERM after step 100, the last one; nothing is left "
            "to do" not in text):
        sys.exit(f"end: exit code {code}: {text}")


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    write_data(folder)
    last = "the last step has a checkpoint"
    stop("int", model, folder, [signal.SIGINT])
    print("SIGINT:", last)
    stop("term", model, folder, [signal.SIGTERM])
    print("SIGTERM:", last)
    stop("hup", model, folder, [signal.SIGHUP, signal.SIGHUP], closes=True)
    print("SIGHUP, twice, and nobody reads the reports:", last)
    stop("ignored", model, folder, [signal.SIGHUP, signal.SIGTERM],
         ignored=[signal.SIGHUP])
    print("SIGHUP is ignored, then SIGTERM:", last)
    stop_behind_the_end(model, folder)
    print("SIGTERM behind the last step: nothing is left to do")


if __name__ == "__main__":
    main()
