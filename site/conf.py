"""How Sphinx makes the site of the documentation; site/build runs it."""

import json
import pathlib
import re

project = "runner"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "runner"
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
myst_heading_anchors = 4
# Blocks that name a language which no highlighter knows are plain text.
suppress_warnings = ["misc.highlighting_failure"]
smartquotes = False
html_show_copyright = False
html_static_path = ["static"]
# Documents of the search page alone, for browsers that do not let a file read others.
PAGES = "pages.js"
MAIN = re.compile(r'<(\w+) role="main".*</\1>', re.DOTALL)


def add_pages(app, page, _template, _context, _doctree):
    """Lets the search page read the other pages from one script."""
    if page == "search":
        app.add_js_file(PAGES)
        app.add_js_file("search-files.js")


def write_pages(app, exception):
    """Writes the text of all pages as one script."""
    if exception:
        return
    out = pathlib.Path(app.outdir)
    pages = {path.name: MAIN.search(path.read_text()) for path in sorted(out.glob("*.html"))}
    pages = {name: main[0] for name, main in pages.items() if main}
    (out / "_static" / PAGES).write_text(f"const PAGES = {json.dumps(pages)};\n")


def setup(app):
    """Connects both to the build."""
    app.connect("html-page-context", add_pages)
    app.connect("build-finished", write_pages)
