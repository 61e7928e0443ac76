#!/usr/bin/env python3
"""Checks that the relative links of all Markdown pages lead to a file, and to a
heading where they name one, and that docs/README.md lists every page of docs/.

usage: check-links.py ROOT
"""
import collections
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#:]*)(?:#([^):]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def pages(root):
    yield from root.glob("*.md")
    yield from (root / "docs").rglob("*.md")


def anchors(page):
    """The names that GitHub gives to the headings of a page."""
    seen = collections.Counter()
    for heading in HEADING.findall(CODE.sub("", page.read_text("utf-8"))):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w -]", "", words).replace(" ", "-")
        yield f"{name}-{seen[name]}" if seen[name] else name
        seen[name] += 1


def main():
    root = pathlib.Path(sys.argv[1])
    broken, reached = [], set()
    for page in sorted(pages(root)):
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        for link, anchor in LINK.findall(text):
            target = (page.parent / link).resolve() if link else page.resolve()
            if not target.exists():
                broken.append(f"{page.relative_to(root)}: no such file: {link}")
            elif anchor and anchor not in anchors(
                    target / "README.md" if target.is_dir() else target):
                broken.append(f"{page.relative_to(root)}: no such heading: "
                              f"{link}#{anchor}")
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
