"""Docstrings on the page about Python: arguments, which are aligned in two columns, become a list."""

import re

MADE_BY_USERS = {"Release", "Releases", "CSV", "Hierarchy"}  # all other classes are results of functions
ROW = re.compile(r"(\w[\w, *]*?) {2,}(\S.*)")


def as_list(_app, _what, _name, _thing, _options, lines):
    """Replace the paragraphs of a docstring that are such tables."""
    rewritten = []
    in_table = False
    for place, line in enumerate(lines):
        row = ROW.fullmatch(line)
        starts = place == 0 or not lines[place - 1].strip()
        if row and (in_table or starts):
            in_table = True
            rewritten += [f"``{row[1]}``", f"    {row[2]}"]
        elif in_table and line.startswith("  "):
            rewritten.append("    " + line.strip())
        else:
            in_table = False
            rewritten.append(line)
    lines[:] = rewritten


def no_constructor(_app, what, name, _thing, _options, signature, returned):
    """How a result is made is not for users."""
    return ("", None) if what == "class" and name.rpartition(".")[2] not in MADE_BY_USERS else (signature, returned)


def setup(app):
    app.connect("autodoc-process-signature", no_constructor)
    app.connect("autodoc-process-docstring", as_list)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
