#!/usr/bin/env python3
"""Preprocessor of mdbook: adds the pages of the finding codes to the book.

Each is a file in docs/codes. Its keys, which a reader of Markdown would take for a heading, become a line of text.
The pages are below the chapters of their families. Documents outside of docs that the book links to become its last
chapters.

`book.py check FOLDER` fails if a link of the built book leads nowhere.
"""

import json
import pathlib
import re
import sys

CODES = "reference/codes/"
# Documents of the repository, with their place in the book and their name in the sidebar.
OUTSIDE = {
    "CONTRIBUTING.md": ("contributing.md", "Contributing"),
    "deploy/README.md": ("deploy.md", "Deploying the operator"),
    "crates/toy-cloud/README.md": ("toy-cloud.md", "A small platform"),
    "CHANGELOG.md": ("changelog.md", "Changes"),
}


def without_keys(text):
    """The page with its keys as a sentence below the title."""
    _, keys, body = text.split("---\n", 2)
    severity = re.search(r"^severity: (\w+)$", keys, re.M).group(1)
    fields = re.findall(r"^- (.+)$", keys, re.M)
    about = f"*{severity.capitalize()}.*"
    if fields:
        about += " Fields: " + ", ".join(f"`{field}`" for field in fields) + "."
    title, rest = body.lstrip("\n").split("\n", 1)
    return f"{title}\n\n{about}\n{rest}"


def chapter(name, path, content, parents, below=()):
    return {
        "Chapter": {
            "name": name,
            "content": content,
            "number": None,
            "sub_items": list(below),
            "path": path,
            "source_path": path,
            "parent_names": parents,
        }
    }


def of_family(index, folder):
    """The pages of the codes of an index such as `reference/codes/LF04xx.md`."""
    start = pathlib.Path(index["path"]).name[:4]
    parents = index["parent_names"] + [index["name"]]
    return [
        chapter(path.stem, f"codes/{path.name}", without_keys(path.read_text()), parents)
        for path in sorted(folder.glob(f"{start}*.md"))
    ]


def linked(content, path):
    """The text with links to documents of the repository led to their chapters."""
    up = "../" * path.count("/")
    for outside, (place, _) in OUTSIDE.items():
        content = re.sub(rf"\]\((?:\.\./)+{re.escape(outside)}", f"]({up}{place}", content)
    return content


def outside(root):
    """Chapters of the documents outside of docs, with their links to it."""
    chapters = []
    for source, (place, name) in OUTSIDE.items():
        text = re.sub(r"\]\((?:\.\./)*docs/", "](", (root / source).read_text())
        for other, (its_place, _) in OUTSIDE.items():
            text = text.replace(f"]({other}", f"]({its_place}").replace(f"](../{other}", f"]({its_place}")
        chapters.append(chapter(name, place, text, []))
    return chapters


def visit(items, folder):
    for item in items:
        page = item.get("Chapter") if isinstance(item, dict) else None
        if page and (page["path"] or "").startswith(CODES):
            page["sub_items"] = of_family(page, folder)
        elif page:
            page["content"] = linked(page["content"], page["path"] or "")
            visit(page["sub_items"], folder)


def dead_links(folder):
    """The links of a built book to files that do not exist, each with its page."""
    for page in sorted(folder.rglob("*.html")):
        for target in re.findall(r'href="([^"#]+)', page.read_text()):
            is_outside = "://" in target or target.startswith(("mailto:", "data:"))
            if page.name != "404.html" and not is_outside and not (page.parent / target).exists():
                yield f"{page.relative_to(folder)}: {target}"


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    if sys.argv[1:2] == ["check"]:
        sys.exit("\n".join(dead_links(pathlib.Path(sys.argv[2]))) or 0)
    context, book = json.load(sys.stdin)
    folder = pathlib.Path(context["root"]) / "codes"
    visit(book["items"], folder)
    book["items"] += outside(folder.parent.parent)
    json.dump(book, sys.stdout)


main()
