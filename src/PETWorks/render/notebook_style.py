"""The style sheet of charts and views in notebooks: the report's colours, light or dark as the notebook is."""

import re
from functools import cache

from PETWorks.render.html import environment

DARK = (
    '[data-jp-theme-light="false"]',  # JupyterLab
    ".vscode-dark",
    'html[theme="dark"]',  # Colab
    'html[data-theme="dark"]',
)
LIGHT = tuple(one.replace("false", "true").replace("dark", "light") for one in DARK)


@cache
def style(file: str) -> str:
    """The rules of a file, with colours; they apply below `.petworks` only, and leave the rest of a page alone.

    A notebook that says what it looks like is believed; otherwise the browser decides.
    """
    report, own = _source("report.css"), _source(file)
    light, dark = (_colours(line) for line in report.splitlines()[:2])
    shapes = [line.replace("svg ", ".petworks ", 1) for line in report.splitlines() if line.startswith("svg .")]
    badges = [f".petworks {line}" for line in report.splitlines() if line.startswith(".verdict")]
    return "\n".join(
        [
            f".petworks{{{light}}}",
            f"@media (prefers-color-scheme:dark){{.petworks{{{dark}}}}}",
            f"{_below(LIGHT)}{{{light}}}",
            f"{_below(DARK)}{{{dark}}}",
            *(shapes if file == "plot.css" else badges),
            own,
        ]
    )


def _source(file: str) -> str:
    made = environment()
    text: str = made.loader.get_source(made, file)[0]
    return text


def _colours(rules: str) -> str:
    return ";".join(re.findall(r"--[a-z-]+:#[0-9a-f]+", rules))


def _below(themes: tuple[str, ...]) -> str:
    return ",".join(f"{theme} .petworks" for theme in themes)
