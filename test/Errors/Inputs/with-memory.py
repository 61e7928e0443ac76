#!/usr/bin/env python3
"""with-memory.py GIB COMMAND...: COMMAND with at most GIB GiB of addresses."""

import os
import resource
import sys

limit = int(sys.argv[1]) << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
os.execvp(sys.argv[2], sys.argv[2:])
