"""Sphinx' settings for the course's site; tools/site.py adds what course.toml says."""

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_member_order = "bysource"
html_theme = "sphinx_book_theme"
html_static_path = ["_static"]
html_css_files = ["site.css", "self-test.css"]
html_js_files = ["site.js", "self-test.js"]
html_show_copyright = False
html_theme_options = {
    "use_download_button": True,
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "navbar_persistent": [],  # the search box is in the sidebar
    "footer_content_items": "extra-footer.html",
}
nb_execution_mode = "off"
nb_ipywidgets_js = {}  # nothing in a notebook needs them, and they come from elsewhere
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "deflist", "amsmath"]
myst_heading_anchors = 3
mathjax_path = "mathjax/tex-svg.js"
# "docutils": docstrings are not written in its language, but read as they are.
suppress_warnings = ["docutils", "myst.header", "mystnb.unknown_mime_type"]
