"""Charts and HTML views of results for notebooks; `render/` is imported only when they are needed."""

from collections.abc import Callable
from typing import Any

makers: dict[str, Callable[..., Any]] = {}  # what makes a "chart" and a "view"; `PETWorks/__init__.py` enters it


class Displayable:
    """A result that has charts and a view for notebooks."""

    def plot(self, kind: str | None = None, *, backend: str = "svg", lang: str | None = None, **options: Any) -> Any:
        """A chart of the result.

        kind      the kind of chart; each result has a default. `docs/notebooks.md` lists the kinds of each result
        backend   "svg": a picture for notebooks and files, as in reports; "altair" or "matplotlib": a chart object of
                  that library, for further changes
        lang      "en" or "zh-TW"; the default is the language in PETWORKS_LANG, or English
        options   options of the kind of chart: attack, limits, threshold
        """
        return makers["chart"](self, kind, backend, lang, options)

    def _repr_html_(self) -> str:
        text: str = makers["view"](self)
        return text
