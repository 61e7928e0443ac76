#!/usr/bin/env python3
"""Compiles steps of training as utils/gpu-check.sh packs them:
step_artifacts.py FOLDER STEPS"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "utils" / "gpu")]
import step_cases  # noqa: E402 (its folder is added above)


def main():
    jobs = step_cases.jobs(ROOT, pathlib.Path(sys.argv[1]), ["graph-compile"],
                           "*", int(sys.argv[2]))
    problems = [text for text in (job() for job in jobs) if text]
    print("\n".join(problems) or f"{len(jobs)} networks are compiled")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
