"""What a script shares with the test that runs it: settings on standard input first, then one callback per visit."""

import json
import sys

settings = json.loads(sys.stdin.readline())


def visit(url, decision="approve"):
    """Has the person open an authorization URL; returns the URL that the browser came back to."""
    print(decision, url, flush=True)
    return sys.stdin.readline().strip()


def run(scenarios):
    """Runs the scenario that the command line names, with what stands behind it."""
    name, *arguments = sys.argv[1:]
    scenarios[name](*arguments)


def expect_error(kind, act, **attributes):
    """That `act` raises `kind` with such attributes."""
    try:
        act()
    except kind as error:
        found = {name: getattr(error, name) for name in attributes}
        assert found == attributes, f"{found} instead of {attributes}"
        return
    raise AssertionError(f"no {kind.__name__} was raised")
