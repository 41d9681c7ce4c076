"""What the theme lacks: pages for keyboards and screen readers, and reports that open in the browser."""

import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

DOCS = Path(__file__).parent.parent
REPORTS = "reports"  # where the reports of the gallery are on the site: beside it, summaries have the same names
# What the theme writes, and what screen readers and keyboards need instead.
ACCESSIBLE = {
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<div class="highlight"><pre>': '<div class="highlight"><pre tabindex="0">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<p class="caption" role="heading">': '<p class="caption">',
    '<th class="head"><p></p></th>': "<td></td>",
    '<div id="search-results"></div>': '<h1>Search</h1><div id="search-results"></div>',
}


class OpenReports(SphinxTransform):
    """A link to a report of the gallery opens it, instead of saving it."""

    default_priority = 400  # before downloads are collected

    def apply(self, **_options):
        """Replace the links of this page."""
        for node in list(self.document.findall(addnodes.download_reference)):
            if node.get("reftarget", "").endswith(".html"):
                target = (DOCS / self.env.docname).parent / node["reftarget"]
                up = "../" * self.env.docname.count("/")
                address = f"{up}{REPORTS}/{target.resolve().relative_to(DOCS / 'gallery').as_posix()}"
                node.replace_self(nodes.reference("", "", *node.children, refuri=address, internal=True))


def leave_out(app, _doctree):
    """The summaries of the gallery are reached from its page alone."""
    if app.env.docname.startswith("gallery/") and app.env.docname != "gallery/README":
        app.env.metadata[app.env.docname]["orphan"] = True


def finish(app, error):
    """Make the pages accessible, and copy the reports of the gallery."""
    if error is not None:
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text("utf-8")
        for theirs, ours in ACCESSIBLE.items():
            text = text.replace(theirs, ours)
        page.write_text(text, "utf-8")
    for report in sorted((DOCS / "gallery").glob("*/*.html")):
        target = Path(app.outdir, REPORTS, report.relative_to(DOCS / "gallery"))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(report, target)


def setup(app):
    app.add_transform(OpenReports)
    app.connect("doctree-read", leave_out)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
