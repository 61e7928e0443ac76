"""Reads what a run has reported, with readers that share no code with Weir.

usage: reports_test.py WEIR-REPORT-RUN HAS-PNG
"""
import html.parser
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

PROGRAM, HAS_PNG = sys.argv[1], sys.argv[2] == "1"


def crc32c(data):
    """The definition: the remainder of a division by the polynomial of
    Castagnoli, bit by bit, lowest bit first."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """The records of a file of TensorFlow. A part of one at the end, which a
    killed run leaves, is ignored, as TensorBoard does."""
    while len(data) >= 12:
        length, check = struct.unpack_from("<QI", data)
        assert check == masked(data[:8]), "checksum of a length"
        if len(data) < 16 + length:
            return
        content = data[12:12 + length]
        check, = struct.unpack_from("<I", data, 12 + length)
        assert check == masked(content), "checksum of a record"
        yield content
        data = data[16 + length:]


def varint(data):
    value = shift = 0
    for count, byte in enumerate(data, 1):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, data[count:]
    raise ValueError("a number does not end")


def fields(message):
    """The (number, value) of the fields of a message of protobuf."""
    while message:
        tag, message = varint(message)
        if tag & 7 == 0:
            value, message = varint(message)
        elif tag & 7 == 1:
            (value,), message = struct.unpack("<d", message[:8]), message[8:]
        elif tag & 7 == 2:
            length, message = varint(message)
            value, message = message[:length], message[length:]
        else:
            assert tag & 7 == 5, tag
            (value,), message = struct.unpack("<f", message[:4]), message[4:]
        yield tag >> 3, value


def read_events(path):
    """The (time, step, content) of the events of a file. The content is
    {tag: value} for scalars, and else {number of the field: bytes}."""
    for record in records(path.read_bytes()):
        event = dict(fields(record))
        if 5 in event:
            values = [dict(fields(value)) for number, value in fields(event[5])
                      if number == 1]
            yield event[1], event[2], {
                value[1].decode(): value[2] for value in values}
        else:
            kind = 3 if 3 in event else 7
            yield event[1], event[2], {kind: event[kind]}


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def read_png(data):
    """The size and the rows of an image of 8 bits for each colour."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    data, packed = data[8:], b""
    while data:
        length, kind = struct.unpack_from(">I4s", data)
        content = data[8:8 + length]
        check, = struct.unpack_from(">I", data, 8 + length)
        assert check == zlib.crc32(kind + content), kind
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack_from(">IIBB", content)
            assert (depth, colours) == (8, 2)
        elif kind == b"IDAT":
            packed += content
        data = data[12 + length:]
    pixels = zlib.decompress(packed)
    assert len(pixels) == height * (1 + 3 * width)
    return width, height, pixels


class Page(html.parser.HTMLParser):
    """Collects what the tests ask about, and checks that tags match."""
    VOID = {"meta"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.script = [], [], {}, ""
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append((tag, dict(attrs).get("id")))

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            self.script += data
        elif self.open and self.open[-1][1]:
            self.ids[self.open[-1][1]] = data


class Reports(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def run_steps(self, first, last):
        environment = dict(os.environ)
        if HAS_PNG:
            environment["WEIR_TEST_IMAGES"] = "1"
        done = subprocess.run(
            [PROGRAM, self.folder, str(first), str(last)], check=True,
            env=environment, stderr=subprocess.PIPE, text=True)
        return done.stderr

    def log(self):
        text = (self.folder / "log.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def event_files(self, run="train"):
        return sorted(
            (self.folder / "events" / run).glob("events.out.tfevents.*"))

    def test_log(self):
        """The log has every step and validation with all digits."""
        self.run_steps(1, 100)
        lines = self.log()
        steps = [line for line in lines if "train" in line]
        self.assertEqual([line["step"] for line in steps],
                         list(range(1, 101)))
        for line in steps:
            self.assertEqual(line["train"],
                             {"loss": 10 / line["step"], "rate": 0.1})
            self.assertEqual(line["examples_per_second"], 8)
        self.assertEqual(
            [line["step"] for line in lines if "validation" in line],
            list(range(10, 101, 10)))
        seconds = [line["seconds"] for line in lines]
        self.assertEqual(seconds, sorted(seconds))

    def test_events(self):
        """Event files have the same. Steps and validations are runs of
        TensorBoard with the same tags, so it draws them in one chart."""
        before = time.time()
        self.run_steps(1, 100)
        path, = self.event_files()
        events = list(read_events(path))
        self.assertEqual(events[0][1:], (0, {3: b"brain.Event:2"}))
        train = events[1:]
        self.assertEqual([event[1] for event in train], list(range(1, 101)))
        for when, step, values in train:
            self.assertEqual(values, {
                "loss": f32(10 / step), "rate": f32(0.1),
                "examples_per_second": 8})
            self.assertTrue(before - 1 < when < time.time() + 1)
        path, = self.event_files("validation")
        validation = list(read_events(path))[1:]
        self.assertEqual([event[1] for event in validation],
                         list(range(10, 101, 10)))
        self.assertEqual(validation[0][2], {
            "loss": 0.5, "accuracy": f32(0.9)})

    def test_resume(self):
        """A resumed run adds to the log, and an event file that says at which
        step it begins."""
        self.run_steps(1, 25)
        self.run_steps(21, 40)
        lines = self.log()
        self.assertEqual([line["step"] for line in lines if "train" in line],
                         list(range(1, 41)))
        self.assertEqual([line["step"] for line in lines if "resumed" in line],
                         [20])
        seconds = [line["seconds"] for line in lines]
        self.assertEqual(seconds, sorted(seconds))
        page = Page((self.folder / "curve.html").read_text(encoding="utf-8"))
        data = page.script.split("const curves = ")[1].split(";")[0]
        loss, *_ = json.loads(data)
        self.assertEqual([point[0] for point in loss["train"]],
                         list(range(1, 41)))
        self.assertEqual([point[0] for point in loss["validation"]],
                         [10, 20, 30, 40])
        for run in "train", "validation":
            restart = [list(read_events(path))[1][1:]
                       for path in self.event_files(run)]
            self.assertIn((21, {7: b"\x08\x01"}), restart)

    def test_killed(self):
        """A killed run leaves whole lines and records: all but those of the
        last moments."""
        moments = random.Random(5)
        for _ in range(10):
            with subprocess.Popen(
                    [PROGRAM, self.folder, "1", "1000000", "30000"],
                    stderr=subprocess.DEVNULL) as process:
                time.sleep(0.1 + 0.2 * moments.random())
                process.kill()
            text = (self.folder / "log.jsonl").read_text(encoding="utf-8")
            numbers = [json.loads(line)["step"]
                       for line in text.splitlines()[:-1]]
            numbers = [n for i, n in enumerate(numbers)
                       if i == 0 or n != numbers[i - 1]]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
            for path in self.event_files():
                steps = [event[1] for event in read_events(path)
                         if "loss" in event[2]]
                self.assertEqual(steps, list(range(1, len(steps) + 1)))
                # One that the other file has may be missing here.
                if path == self.event_files()[-1] and numbers:
                    self.assertTrue(steps)

    def test_lines(self):
        """Plain lines: every 100 steps, after each epoch of 50, at each
        validation, and last."""
        lines = self.run_steps(1, 120).splitlines()
        self.assertEqual(lines[-1], "trained 120 steps in 0:00")
        self.assertEqual(
            [line.split()[1] for line in lines if line.startswith("step")],
            [f"{step}/120" for step in range(10, 121, 10)])
        self.assertEqual(sum(line.startswith("validation at step")
                             for line in lines), 12)

    def test_page(self):
        """The page is complete, names its drawings, and needs no network."""
        self.run_steps(1, 2000)
        text = (self.folder / "curve.html").read_text(encoding="utf-8")
        page = Page(text)
        self.assertNotIn("//", text.replace("</", ""))
        for tag, attrs in page.tags:
            self.assertNotIn("src", attrs)
            self.assertNotIn("href", attrs)
            if tag == "svg":
                self.assertEqual(attrs["role"], "img")
                for name in attrs["aria-labelledby"].split():
                    self.assertIn(name, page.ids)
        self.assertEqual(page.ids["caption-0"], "loss")
        self.assertEqual(
            page.ids["text-0"], "loss: 5.208 at first, 0.005004 at last; "
            "validation 0.5 at first, 0.0025 at last")
        self.assertLess(len(text), 200_000)
        data = page.script.split("const curves = ")[1].split(";")[0]
        loss, rate, accuracy = json.loads(data)
        self.assertEqual(len(loss["validation"]), 200)
        self.assertEqual(loss["train"][0][2:], [2.5, 10])
        self.assertTrue(all(point[1] == 0.1 for point in rate["train"]))
        self.assertEqual(accuracy["train"], [])
        for low, high in [loss["values"], loss["steps"]]:
            self.assertLess(low, high)
            self.assertTrue(math.isfinite(high - low))

    @unittest.skipUnless(HAS_PNG, "this build is without libpng")
    def test_image(self):
        """The image has the size and the colours of both series."""
        self.run_steps(1, 100)
        width, height, _ = read_png(
            (self.folder / "curve.png").read_bytes())
        self.assertEqual((width, height), (1200, 640))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
