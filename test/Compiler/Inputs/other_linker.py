#!/usr/bin/env python3
"""other_linker.py FILE FOLDER: writes graph-compile to FILE, whose linker is
not where it was.

FOLDER gets a linker that writes build IDs.
"""
import pathlib
import re
import shutil
import sys

source = pathlib.Path(shutil.which("graph-compile"))
program = source.read_bytes()
linker = re.search(rb"/[\w./+-]+/ld\.lld", program)[0]
target, folder = map(pathlib.Path, sys.argv[1:])
target.write_bytes(program.replace(linker, b"/-" + linker[2:]))
target.chmod(source.stat().st_mode)
folder.mkdir()
wrapper = folder / "ld.lld-22"
wrapper.write_text(f'#!/bin/sh\nexec {linker.decode()} "$@" --build-id=sha1\n')
wrapper.chmod(0o755)
