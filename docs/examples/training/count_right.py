#!/usr/bin/env python3
"""Says how many held-out digits are right: of a training by its report, of the
compiled network by its scores.

    count_right.py REPORT.json SCORES.npy LABELS.npy
"""
import json
import sys

import numpy


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: count_right.py REPORT.json SCORES.npy LABELS.npy")
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    scores, labels = numpy.load(sys.argv[2]), numpy.load(sys.argv[3])
    total = f"{len(labels):,}"
    trained = round(report["validation"]["accuracy"] * len(labels))
    compiled = int((scores.argmax(1) == labels).sum())
    print(f"{report['step']} steps in {report['seconds']:.1f} s\n"
          f"{trained} of {total} digits right after training\n"
          f"{compiled} of {total} digits right on two devices")
    if trained != compiled:
        sys.exit("the trained and the compiled network differ")


if __name__ == "__main__":
    main()
