"""What the theme lacks: pages for keyboards and screen readers, and the reports of the gallery."""

import subprocess
import sys
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

DOCS = Path(__file__).parent.parent
REPORTS = "reports"  # where the reports of the gallery are on the site
FILES = {"internal": ".html", "external": ".external.html", "summary": ".md"}
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


class Reports(SphinxDirective):
    """A list of the reports of the gallery, with links that open them."""

    def run(self):
        """A report in each edition, and its summary."""
        up = "../" * self.env.docname.count("/")
        shown = nodes.bullet_list()
        for report in sorted(Path(self.env.app.outdir, REPORTS).glob("*/*report.html")):
            text = nodes.paragraph("", f"{report.parent.name}, {report.stem.replace('_', ' ')}: ")
            for place, (name, suffix) in enumerate(FILES.items()):
                address = f"{up}{REPORTS}/{report.parent.name}/{report.stem}{suffix}"
                text += [nodes.Text(", " if place else ""), nodes.reference("", name, refuri=address, internal=True)]
            shown += nodes.list_item("", text)
        return [shown]


def make_reports(app):
    """Put the reports of the gallery where the site has them."""
    command = [sys.executable, DOCS / "gallery/make_gallery.py", "reports", Path(app.outdir, REPORTS)]
    subprocess.run([*command, *app.config.gallery_cases.split()], check=True)  # noqa: S603 - our own script


def finish(app, error):
    """Make the pages accessible; reports are so already."""
    if error is not None:
        return
    for page in Path(app.outdir).rglob("*.html"):
        if page.is_relative_to(Path(app.outdir, REPORTS)):
            continue
        text = page.read_text("utf-8")
        for theirs, ours in ACCESSIBLE.items():
            text = text.replace(theirs, ours)
        page.write_text(text, "utf-8")


def setup(app):
    app.add_directive("reports", Reports)
    app.add_config_value("gallery_cases", "", "env")  # all, unless some are named
    app.connect("builder-inited", make_reports)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
