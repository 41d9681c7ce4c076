"""How results show themselves in notebooks: charts and HTML views, which `render/` makes when they are asked for."""

from collections.abc import Callable
from typing import Any

makers: dict[str, Callable[..., Any]] = {}  # what makes a "chart" and a "view"; `PETWorks/__init__.py` enters it


class Shown:
    """A result that has charts and a view for notebooks."""

    def plot(self, kind: str | None = None, *, backend: str = "svg", lang: str | None = None, **options: Any) -> Any:
        """A chart of the result.

        kind      which one; the usual one if it is not given. `docs/notebooks.md` lists those of each result
        backend   "svg": a picture for notebooks and files, as reports have it; "altair" or "matplotlib": a chart of
                  that library, to be changed further
        lang      "en" or "zh-TW"; otherwise the language that PETWORKS_LANG says, or English
        options   what a kind of chart takes: attack, limits, threshold
        """
        return makers["chart"](self, kind, backend, lang, options)

    def _repr_html_(self) -> str:
        text: str = makers["view"](self)
        return text
