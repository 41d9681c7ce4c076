"""Charts and HTML views of results for notebooks; `render/` is imported only when they are needed."""

from collections.abc import Callable, Mapping
from typing import Any

makers: dict[str, Callable[..., Any]] = {}  # what makes a "chart" and a "view"; `PETWorks/__init__.py` enters it


class Displayable:
    """A result that has charts and a view for notebooks."""

    def plot(
        self,
        kind: str | None = None,
        *,
        backend: str = "svg",
        lang: str | None = None,
        attack: str | None = None,
        limits: Mapping[str, float] | None = None,
        threshold: int | None = None,
    ) -> Any:
        """A chart of the result.

        kind      the kind of chart; each result has a default. `docs/notebooks.md` lists the kinds of each result
        backend   "svg": a picture for notebooks and files, as in reports; "altair" or "matplotlib": a chart object of
                  that library, for further changes
        lang      "en" or "zh-TW"; the default is the language in PETWORKS_LANG, or English

        Some kinds of chart also take:

        attack      the attack to draw, such as "re-identification"
        limits      lines for limits of attacks, by the name of the limit: {"highest-risk": 0.2}
        threshold   a line for the smallest class that is allowed
        """
        given = {"attack": attack, "limits": limits, "threshold": threshold}
        options = {name: value for name, value in given.items() if value is not None}
        return makers["chart"](self, kind, backend, lang, options)

    def _repr_html_(self) -> str:
        text: str = makers["view"](self)
        return text
