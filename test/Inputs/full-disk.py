#!/usr/bin/env python3
"""full-disk.py COMMAND...: COMMAND with /dev/full as standard output."""

import subprocess
import sys

with open("/dev/full", "wb") as full:
    sys.exit(subprocess.run(sys.argv[1:], stdout=full).returncode)
