#!/usr/bin/env python3
"""Makes the links of installed pages lead to something.

usage: install-docs.py DOCUMENTS INCLUDE

The pages lie in DOCUMENTS as in the repository. A link to a public header then
leads to INCLUDE, the installed headers; of a link to another file of the
repository, which is not installed, the text stays.
"""
import os
import pathlib
import re
import sys

LINK = re.compile(r"\[([^\]]+)\]\(([^)#:]+)(#[^)]*)?\)")


def mend(page, documents, include):
    """The text of `page` with links that work from where it lies."""
    def replace(link):
        text, target, anchor = link[1], link[2], link[3] or ""
        path = pathlib.Path(os.path.normpath(page.parent / target))
        if path.exists():
            return link[0]
        inside = os.path.relpath(path, documents / "include")
        header = include / inside
        if inside.startswith("..") or not header.exists():
            return text
        return f"[{text}]({os.path.relpath(header, page.parent)}{anchor})"

    return LINK.sub(replace, page.read_text(encoding="utf-8"))


def main():
    documents, include = (pathlib.Path(os.path.abspath(path))
                          for path in sys.argv[1:])
    for page in sorted(documents.rglob("*.md")):
        page.write_text(mend(page, documents, include), encoding="utf-8")


if __name__ == "__main__":
    main()
