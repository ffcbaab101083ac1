"""Makes pages of the documents as they are in the project: a block's words for its test are left out, and links lead on.

Turns links from the documents to files elsewhere in the project, which the site does not have, into links to the
repository. A link to a file that is not there is a warning, with which the strict build fails."""

import logging
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
# "```python exec": the language, and how tests/python runs the block.
BLOCK = re.compile(r"^```(\w+) .*$", re.MULTILINE)
LINK = re.compile(r"\]\(((?:\.\./)+[^)#\s]*)(#[^)\s]*)?\)")
log = logging.getLogger("mkdocs.hooks.links")


def on_page_markdown(markdown, page, config, files):
    """Rewrites the links of one page that lead out of the documents."""
    here = pathlib.Path(page.file.abs_src_path).parent
    documents = pathlib.Path(config["docs_dir"])

    def rewritten(link):
        target, anchor = pathlib.Path(os.path.normpath(here / link[1])), link[2] or ""
        if target.is_relative_to(documents):
            return link[0]
        if not target.exists():
            log.warning("%s links to %s, which does not exist", page.file.src_path, link[1])
        kind = "tree" if target.is_dir() else "blob"
        return f"]({config['repo_url']}/{kind}/main/{target.relative_to(ROOT)}{anchor})"

    return LINK.sub(rewritten, BLOCK.sub(r"```\1", markdown))
