"""Formulas as MathML, which browsers show by themselves: no script, no font, no picture."""

from docutils import nodes
from latex2mathml.converter import convert


def inline(writer, node):
    """A formula in a sentence."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer, node):
    """A formula on its own; one that is wide can be scrolled."""
    writer.body.append(f'<div class="formula" tabindex="0">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
