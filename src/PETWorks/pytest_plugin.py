"""The plug-in for pytest: `assert_release` as a function and as a fixture, and the marker `petworks`.

pytest loads it in every project of an environment, so it imports the rest of the package only when a test needs it.
It asserts nothing that pytest would have to explain (PYTEST_DONT_REWRITE), so it may be imported before pytest starts.
"""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

MARKER = "petworks(policy, **options): the test fails unless its release passes the policy; options are those of check"
NO_POLICY = "assert_release needs a policy: give its path, or mark the test with @pytest.mark.petworks('policy.yaml')"
ONE_POLICY = "the marker petworks takes one policy: @pytest.mark.petworks('policy.yaml')"
_checked = pytest.StashKey[bool]()

Assertion = Callable[..., dict[str, Any]]


def assert_release(data: Any, policy: Any, **options: Any) -> dict[str, Any]:
    """Fail the test unless the table passes the policy; otherwise, what `require_release` returns.

    data      a frame, a path or an address; None: the table that the policy names
    policy    the path of a policy file, or a policy that was read
    options   those of `require_release`
    """
    from PETWorks.errors import PETWorksError
    from PETWorks.render.languages import LANGUAGES
    from PETWorks.render.requiring import require_release
    from PETWorks.render.spoken import translated

    try:
        return require_release(policy, data=data, **options)
    except PETWorksError as error:
        refusal = translated(error.worded(), options["lang"] if options.get("lang") in LANGUAGES else None)
    # Without a traceback, since pytest shows the arguments of a test there, and a frame shows its cells.
    pytest.fail(refusal, pytrace=False)


@pytest.fixture(name="assert_release")
def assert_release_fixture(request: pytest.FixtureRequest) -> Assertion:
    """`assert_release(frame)` by the policy of the marker, or `assert_release(frame, "policy.yaml")`."""
    node: pytest.Item = request.node

    def checked(data: Any = None, policy: Any = None, **options: Any) -> dict[str, Any]:
        marked, marker_options = _marked(node)
        policy = marked if policy is None else _from_root(policy, request.config)
        if policy is None:
            pytest.fail(NO_POLICY, pytrace=False)
        node.stash[_checked] = True
        return assert_release(data, policy, **{**marker_options, **options})

    return checked


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """After a marked test that checked nothing itself: check the table that the policy names."""
    result = yield
    policy, options = _marked(item)
    if policy is not None and not item.stash.get(_checked, False):
        assert_release(options.pop("data", None), policy, **options)
    return result


def _marked(node: pytest.Item) -> tuple[Any, dict[str, Any]]:
    """The policy of a test's marker, and its options; None if the test is not marked."""
    marker = node.get_closest_marker("petworks")
    if marker is None:
        return None, {}
    if len(marker.args) != 1:
        pytest.fail(ONE_POLICY, pytrace=False)
    return _from_root(marker.args[0], node.config), dict(marker.kwargs)


def _from_root(policy: Any, config: pytest.Config) -> Any:
    """A path as seen from pytest's root folder, wherever pytest was started."""
    return config.rootpath / policy if isinstance(policy, str | Path) else policy
