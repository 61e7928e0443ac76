#!/usr/bin/env python3
"""Checks that the relative links of all Markdown pages lead to something, and
that docs/README.md lists every page of docs/.

usage: check-links.py ROOT
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def pages(root):
    yield from root.glob("*.md")
    yield from (root / "docs").rglob("*.md")


def main():
    root = pathlib.Path(sys.argv[1])
    broken, reached = [], set()
    for page in sorted(pages(root)):
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        for link in LINK.findall(text):
            target = (page.parent / link).resolve()
            if not target.exists():
                broken.append(f"{page.relative_to(root)}: no such file: {link}")
            if page == root / "docs/README.md":
                reached |= {target, target / "README.md"}
    index = (root / "docs/README.md").resolve()
    broken += [f"docs/README.md does not list {page.relative_to(root)}"
               for page in sorted((root / "docs").rglob("*.md"))
               if page.resolve() not in reached | {index}]
    print("\n".join(broken), end="\n" if broken else "")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
