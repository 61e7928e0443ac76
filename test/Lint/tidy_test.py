"""Which sources lint-tidy.py checks: those whose code has changed."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import linters

BODY = "".join(f"int number{i} = {i};\n" for i in range(20))
BEFORE = {"lib/Kept.cpp": BODY, "lib/Edited.cpp": BODY,
          "lib/Commented.cpp": "// Old.\n#include \"Old.h\"\n" + BODY,
          "lib/Including.cpp": "#include \"Old.h\"\n" + BODY,
          "lib/Moved.cpp": BODY + "int moved;\n",
          "lib/MovedAndEdited.cpp": BODY + "int both;\n",
          "lib/Removed.cpp": "int removed;\n"}
AFTER = {"lib/Kept.cpp": BODY, "lib/Edited.cpp": BODY + "int edited;\n",
         "lib/Commented.cpp": "// New.\n#include \"Old.h\"\n" + BODY,
         "lib/Including.cpp": "#include \"New.h\"\n" + BODY,
         "lib/New/Moved.cpp": BODY + "int moved;\n",
         "lib/New/MovedAndEdited.cpp": BODY + "int both, more;\n",
         "lib/Added.cpp": "long added;\n"}
CODE_CHANGED = {"lib/Edited.cpp", "lib/Including.cpp",
                "lib/New/MovedAndEdited.cpp",
                "lib/Added.cpp"}


class TidyTest(unittest.TestCase):
    def setUp(self):
        self.tidy = linters.load("lint-tidy")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tidy.ROOT = pathlib.Path(folder.name)

    def git(self, *arguments):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C",
             self.tidy.ROOT, *arguments], check=True, stdout=subprocess.PIPE)

    def commit(self, files):
        for name, text in files.items():
            path = self.tidy.ROOT / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--allow-empty", "-qm", "a")

    def test_only_changed_code_counts(self):
        self.git("init", "-q", "-b", "main")
        self.commit(BEFORE)
        for name in BEFORE.keys() - AFTER.keys():
            (self.tidy.ROOT / name).unlink()
        self.commit(AFTER)
        base = self.tidy.base_commit()
        self.assertEqual(self.tidy.changed_files(base), CODE_CHANGED)

    def test_on_main_the_last_commits_count(self):
        self.git("init", "-q", "-b", "main")
        self.commit({"lib/Old.cpp": "int old;\n"})
        for number in range(self.tidy.COMMITS + 1):
            self.commit({f"lib/{number}.cpp": f"int a = {number};\n"})
        changed = self.tidy.changed_files(self.tidy.base_commit())
        self.assertEqual(len(changed), self.tidy.COMMITS)
        self.assertNotIn("lib/0.cpp", changed)

    def test_on_a_branch_what_main_lacks_counts(self):
        self.git("init", "-q", "-b", "main")
        self.commit({"lib/Old.cpp": "int old;\n"})
        self.git("checkout", "-qb", "branch")
        self.commit({"lib/New.cpp": "long news;\n"})
        self.assertEqual(self.tidy.changed_files(self.tidy.base_commit()),
                         {"lib/New.cpp"})

    def test_what_follows_the_newest_good_commit_counts(self):
        self.git("init", "-q", "-b", "main")
        self.commit({".clang-tidy": "", "lib/Old.cpp": "int old;\n",
                     ".gitignore": "kept\ncommands\n"})
        folder = self.tidy.ROOT / "commands"
        folder.mkdir()
        (folder / "compile_commands.json").write_text("[]")
        kept = {"WEIR_TIDY_CACHE": str(self.tidy.ROOT / "kept")}
        with mock.patch.dict(os.environ, kept):
            good = self.tidy.GoodCode("true", folder)
        self.commit({"lib/Good.cpp": "long good;\n"})
        good.add_head()
        self.commit({"lib/New.cpp": "char news;\n"})
        # What differs from a commit does not make it good.
        (self.tidy.ROOT / "lib/New.cpp").write_text("char edited;\n")
        good.add_head()
        self.git("checkout", "-q", "lib/New.cpp")
        base = good.newest_commit(self.tidy.base_commit())
        self.assertEqual(self.tidy.changed_files(base), {"lib/New.cpp"})

    def test_old_commits_are_left_out_if_they_change_too_much(self):
        self.git("init", "-q", "-b", "main")
        for number in range(9):
            self.commit({f"lib/{number}.cpp": f"int a = {number};\n"})
        base = self.tidy.base_commit()
        sources = [f"lib/{number}.cpp" for number in range(9)]
        good = mock.Mock(unknown=lambda found: found)

        def later(most):
            return self.tidy.later_sources(sources, base, good, most)[0]
        self.assertEqual(later(None), sources[1:])
        self.assertEqual(later(8), sources[1:])
        self.assertEqual(later(7), sources[5:])
        self.assertEqual(later(3), sources[7:])
        self.assertEqual(later(1), sources[8:])
        self.assertEqual(later(0), sources[8:])
        # What is known to be good takes no time.
        good.unknown = lambda found: [name for name in found if "8" in name]
        self.assertEqual(later(1), sources[1:])

    def test_a_source_is_left_out_though_another_one_has_its_header(self):
        self.git("init", "-q", "-b", "main")
        self.commit({"lib/Old.cpp": "int old;\n", "lib/A.h": "",
                     "lib/Kept.cpp": "#include \"A.h\"\n"})
        self.commit({"lib/Old.cpp": "#include \"A.h\"\nint edited;\n"})
        self.commit({"lib/A.h": "int header;\n"})
        sources = ["lib/Kept.cpp", "lib/Old.cpp"]
        base = self.tidy.base_commit()
        good = mock.Mock(unknown=lambda found: found)
        self.assertEqual(
            self.tidy.later_sources(sources, base, good, most=1),
            (["lib/Old.cpp"], 0))
        self.assertEqual(
            self.tidy.later_sources(sources, base, good, most=0),
            (["lib/Kept.cpp"], 1))

    def test_a_source_is_looked_at_once(self):
        folder = self.tidy.ROOT / "commands"
        folder.mkdir()
        (folder / "compile_commands.json").write_text("[]")
        (self.tidy.ROOT / ".clang-tidy").write_text("")
        (self.tidy.ROOT / "A.cpp").write_text("int a;\n")
        kept = {"WEIR_TIDY_CACHE": str(self.tidy.ROOT / "kept")}
        with mock.patch.dict(os.environ, kept):
            good = self.tidy.GoodCode("true", folder)
        good.included = mock.Mock(wraps=good.included)
        for _ in range(2):
            self.assertEqual(good.unknown(["A.cpp"]), ["A.cpp"])
        good.add("A.cpp")
        self.assertEqual(good.unknown(["A.cpp"]), [])
        good.included.assert_called_once()

    def test_sources_of_a_unity_build_are_checked_one_by_one(self):
        unity = self.tidy.ROOT / "build/lib/Unity/unity_0_cxx.cxx"
        unity.parent.mkdir(parents=True)
        names = ["lib/A.cpp", "lib/B.cpp"]
        unity.write_text("".join(f'#include "{self.tidy.ROOT / name}"\n'
                                 for name in names))
        command = {"directory": "/", "file": str(unity),
                   "command": f"c++ -O2 -c {unity}"}
        (self.tidy.ROOT / "build/compile_commands.json").write_text(
            json.dumps([command]))
        folder = self.tidy.ROOT / "commands"
        folder.mkdir()
        self.assertEqual(
            self.tidy.write_commands(self.tidy.ROOT / "build", folder), names)
        written = json.loads((folder / "compile_commands.json").read_text())
        self.assertEqual([entry["command"] for entry in written],
                         [f"c++ -O2 -c {self.tidy.ROOT / name}"
                          for name in names])

    def test_without_a_history_there_is_no_base(self):
        self.assertEqual(self.tidy.base_commit(), "")


if __name__ == "__main__":
    unittest.main()
