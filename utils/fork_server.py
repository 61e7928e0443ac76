"""Runs a tool many times, and starts it once.

Most of the time that a tool takes for a small file goes by before main. With
test/ForkServer's library a tool gets as far as main once, and each run is a
child of that process.
"""
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading


class Tool:
    """Runs the program `name`; a run may take `seconds`. Without `library`,
    test/ForkServer's, each run is started from scratch: the library cannot be
    loaded into a program with sanitizers, which want to be loaded first. With
    it, a run may hold `addresses` bytes of address space if that is given."""

    def __init__(self, name, seconds, library=None, addresses=None):
        self.name, self.seconds, self.library = name, seconds, library
        self.errors = tempfile.TemporaryFile()
        if library:
            self.server = subprocess.Popen(
                [name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self.errors,
                env={**os.environ, "LD_PRELOAD": str(library),
                     "WEIR_FORK_SERVER": str(seconds)})
            if addresses:
                resource.prlimit(self.server.pid, resource.RLIMIT_AS,
                                 (addresses, addresses))

    def run(self, arguments):
        """The exit code (None: hung), the most memory, and standard error."""
        # The tool's offset in the file is ours.
        self.errors.seek(0)
        self.errors.truncate()
        status, kibibytes = (self.ask_server(arguments) if self.library
                             else self.start(arguments))
        code = os.waitstatus_to_exitcode(status)
        self.errors.seek(0)
        return (None if code == -signal.SIGALRM else code, kibibytes * 1024,
                self.errors.read())

    def end(self):
        if self.library:
            self.server.stdin.close()
            self.server.wait()
            self.server.stdout.close()
        self.errors.close()

    def ask_server(self, arguments):
        data = b"".join(os.fsencode(word) + b"\0" for word in arguments)
        self.server.stdin.write(struct.pack("=I", len(data)) + data)
        self.server.stdin.flush()
        answer = self.server.stdout.readline().split()
        if len(answer) != 2:
            sys.exit(f"error: {self.name} ended: {self.server.wait()}")
        return map(int, answer)

    def start(self, arguments):
        child = subprocess.Popen(
            [self.name, *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self.errors)
        alarm = threading.Timer(self.seconds, child.send_signal,
                                [signal.SIGALRM])
        alarm.start()
        _, status, usage = os.wait4(child.pid, 0)
        alarm.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        return status, usage.ru_maxrss
