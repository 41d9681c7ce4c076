"""The pytest plug-in: `assert_release` as a function and as a fixture, and the marker `petworks`.

pytest loads it in every project of an environment, so it imports the rest of the package only when a test needs it.
It has no assertions that pytest must rewrite (PYTEST_DONT_REWRITE), so it may be imported before pytest starts.
"""

import os
from collections.abc import Callable, Generator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

MARKER = "petworks(policy, **options): the test fails unless its release passes the policy; options are those of check"
NO_POLICY = "assert_release needs a policy: give its path, or mark the test with @pytest.mark.petworks('policy.yaml')"
ONE_POLICY = "the marker petworks takes one policy: @pytest.mark.petworks('policy.yaml')"
_checked = pytest.StashKey[list[Any]]()

Assertion = Callable[..., dict[str, Any]]


def assert_release(
    data: Any,
    policy: Any,
    *,
    lang: str = "en",
    as_of: datetime | str | None = None,
    salt: str | None = None,
    previous: str | Path | None = None,
    register: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    engine: str = "auto",
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Fail the test unless the table passes the policy; return the result of `require_release`.

    data      a frame, a path or an address; None: the table that the policy names
    policy    the path of a policy file, or a policy that was read
    others    as for `require_release`
    """
    from PETWorks.api.check import require_release
    from PETWorks.errors import PETWorksError
    from PETWorks.locale import LANGUAGES
    from PETWorks.render.language.messages import translated

    try:
        return require_release(
            policy,
            data=data,
            lang=lang,
            as_of=as_of,
            salt=salt,
            previous=previous,
            register=register,
            progress=progress,
            engine=engine,
            memory_limit=memory_limit,
            temp_folder=temp_folder,
        )
    except PETWorksError as error:
        refusal = translated(error.worded(), lang if lang in LANGUAGES else None)
    # Without a traceback: pytest would show the arguments of the test, and a frame its cells.
    pytest.fail(refusal, pytrace=False)


@pytest.fixture(name="assert_release")
def assert_release_fixture(request: pytest.FixtureRequest) -> Assertion:
    """`assert_release(frame)` by the policy of each marker, or `assert_release(frame, "policy.yaml")`.

    With several markers, the result is that of the nearest one.
    """
    node: pytest.Item = request.node

    def check(data: Any = None, policy: Any = None, **options: Any) -> dict[str, Any]:
        marked = _policies_of_markers(node)
        if policy is not None:
            policy = _resolve(policy, request.config)
            marked = [marker for marker in marked if marker[0] == policy][:1] or [
                (policy, marked[0][1] if marked else {})
            ]
        if not marked:
            pytest.fail(NO_POLICY, pytrace=False)
        node.stash.setdefault(_checked, []).extend(marker_policy for marker_policy, _ in marked)
        results = []
        for marker_policy, marker_options in marked:
            all_options = {**marker_options, **options}
            marker_data = all_options.pop("data", None)
            results.append(assert_release(marker_data if data is None else data, marker_policy, **all_options))
        return results[0]

    return check


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """After a test, check the table of each marked policy that the test itself did not check."""
    result = yield
    for policy, options in _policies_of_markers(item):
        if policy not in item.stash.get(_checked, []):
            assert_release(options.pop("data", None), policy, **options)
    return result


def _policies_of_markers(node: pytest.Item) -> list[tuple[Any, dict[str, Any]]]:
    """The policies of all markers of a test, its class and its module, with their options; the nearest first."""
    marked: list[tuple[Any, dict[str, Any]]] = []
    for marker in node.iter_markers("petworks"):
        if len(marker.args) != 1 or marker.args[0] is None:
            pytest.fail(ONE_POLICY, pytrace=False)
        marked.append((_resolve(marker.args[0], node.config), dict(marker.kwargs)))
    return marked


def _resolve(policy: Any, config: pytest.Config) -> Any:
    """A path relative to pytest's root folder, wherever pytest was started."""
    return config.rootpath / policy if isinstance(policy, str | Path) else policy
