"""How Sphinx makes the site of the documentation; site/build runs it."""

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
# Browsers do not let pages that are files read others.
html_show_search_summary = False
