"""Settings of the documentation site: `make site` builds it in build/site."""

import sys
from pathlib import Path

import PETWorks

sys.path.insert(0, str(Path(__file__).parent))

project = "PETWorks"
author = "the contributors of PETWorks"
project_copyright = f"{author}, Apache-2.0"
version = release = PETWorks.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "arguments", "facts", "formulas", "pages", "two_languages"]
root_doc = "index"
exclude_patterns = ["_site"]
templates_path = ["templates"]
nitpicky = True
default_role = "code"
smartquotes = False  # what is quoted is often code

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_typehints = "none"
autodoc_member_order = "bysource"
nitpick_ignore_regex = [("py:.*", ".*")]  # the types of libraries and of the inside have no page

html_theme = "furo"
html_math_renderer = "mathml"
html_title = "PETWorks"
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_css_files = ["site.css"]
html_search_language = "en"
html_copy_source = False
html_show_sphinx = False
html_use_index = True
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
