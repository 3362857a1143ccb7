"""What mkdocs does besides: the reference, this repository's own pages, links that leave docs/."""

from __future__ import annotations

import posixpath
import re
from typing import Any

import site_reference
from mkdocs.structure.files import File, Files

#: Pages of the repository's root that are pages of the site too.
ROOT_PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "README.md": "index.md"}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    for uri, text in site_reference.pages().items():
        files.append(File.generated(config, uri, content=text))
    for name, uri in ROOT_PAGES.items():
        if uri != "index.md":
            text = (site_reference.ROOT / name).read_text()
            files.append(File.generated(config, uri, content=relinked(text, "")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    if page.file.generated_by:
        return markdown
    return relinked(markdown, posixpath.join("docs", posixpath.dirname(page.file.src_uri)))


def relinked(markdown: str, folder: str) -> str:
    """Links of a page that lies in `folder` of the repository: those to what is no page become its name."""
    outside = "/".join([".."] * folder.count("/")) if folder.count("/") else ""

    def link(found: re.Match[str]) -> str:
        text, target = found.groups()
        if "://" in target or target.startswith(("#", "mailto:")):
            return found[0]
        path, mark, anchor = target.partition("#")
        inside = posixpath.normpath(posixpath.join(folder, path))
        if folder and inside.startswith("docs/"):
            return found[0]
        if inside in ROOT_PAGES:
            page = posixpath.join(outside, ROOT_PAGES[inside])
        elif inside.startswith("docs/"):
            page = inside.removeprefix("docs/")
        else:
            return text if text.startswith("`") else f"`{text}`"
        return f"[{text}]({page}{mark}{anchor})"

    return LINK.sub(link, markdown)
