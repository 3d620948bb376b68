"""A file that people have written is added to, and otherwise left as it is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from assay import Check, GateSettings, Suite
from assay.analyzers import Size
from assay.errors import CheckError, SuiteError
from assay.learn.anomaly import OnlineNormal
from assay.suite import Target

HAND_WRITTEN = """\
# orders, as agreed with the shop
version: 1
dataset:   orders   # sic

checks:
  # keys first
  - name: 'keys'
    constraints:
      - is_complete:    [order_id]   # the shop's number
      - has_mean:
          column: "amount"
          between: [ 10, 40 ]
      # the end

  - name: text
    level: warning
    constraints: [
      is_email: email,   # sometimes empty
    ]
# nothing after this
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "orders.assay.yaml"


def test_missing_entries_are_added_in_their_section(path: Path) -> None:
    path.write_text(HAND_WRITTEN)
    Suite(
        "orders",
        (
            Check("keys").has_mean("amount", between=(10, 40)).is_unique("order_id"),
            Check("text").is_url("site"),
            Check("new").has_size(at_least=1),
        ),
        GateSettings("1/365"),
        (Target("slack", "${env:SLACK}"),),
    ).write(path)
    assert (
        path.read_text()
        == """\
# orders, as agreed with the shop
version: 1
dataset:   orders   # sic

checks:
  # keys first
  - name: 'keys'
    constraints:
      - is_complete:    [order_id]   # the shop's number
      - has_mean:
          column: "amount"
          between: [ 10, 40 ]
      - is_unique: order_id
      # the end

  - name: text
    level: warning
    constraints: [
      is_email: email, {is_url: {column: site, level: error}},   # sometimes empty
    ]
  - name: new
    constraints:
      - has_size: {at_least: 1}
gate: {budget: "1/365"}
notify:
  - slack: "${env:SLACK}"
# nothing after this
"""
    )


@pytest.mark.parametrize(
    "there",
    [
        "version: 1\ndataset: orders",
        "{version: 1, dataset: orders}",
        '{"version": 1, "dataset": "orders", "checks": []}\n',
        "version: 1\ndataset: orders\nchecks:\n- name: c\n  constraints:\n  - is_complete: a",
        "version: 1\r\ndataset: orders\r\nchecks:\r\n  - name: c\r\n",
        "version: 1\ndataset: orders\nchecks:\n  - {name: c, level: warning}\n",
        "version: 1\ndataset: orders\nchecks: [{name: c, constraints: [ ]}] # here\n",
        (
            "version: 1\ndataset: orders\nchecks:\n  - name: c\n    constraints:\n"
            "      - satisfies: |\n          a > 0\n          AND b > 0\n\n# end\n"
        ),
        (
            "version: 1\ndataset: orders\nchecks:\n  - name: c\n    constraints:\n"
            "      - satisfies: >-\n          a > 0\n\n\nnotify: []\n"
        ),
        (
            "---\nversion: 1\nchecks:\n  - constraints:\n      - satisfies: a >\n          0\n"
            "    name: c\ndataset: orders\n...\n"
        ),
        "version: 1\nnotify:\n  - webhook: https://a.org/b\n\ndataset: orders\ngate: {}\n",
    ],
)
def test_any_layout_is_added_to(there: str, path: Path) -> None:
    path.write_bytes(there.encode())
    before = Suite.read(path)
    added = Check("c").is_complete("a", "b").warn().has_max("x", at_most=3)
    target = Target("slack", "https://a.org/c")
    more = Suite("orders", (added, Check("d").is_unique("z")), notify=(target,))
    more.write(path)
    after = Suite.read(path)
    old = {check.name: check for check in before.checks}
    kept = {
        check.name: check.constraints[: len(old[check.name].constraints)]
        for check in after.checks
        if check.name in old
    }
    assert kept == {name: check.constraints for name, check in old.items()}
    (grown,) = (check for check in after.checks if check.name == "c")
    assert {(c.analyzer, c.assertion, c.level) for c in added.constraints} <= {
        (c.analyzer, c.assertion, c.level) for c in grown.constraints
    }
    assert after.notify == (*before.notify, target)
    content = path.read_bytes()
    assert content.count(b"\r\n") in {0, content.count(b"\n")}
    more.write(path)
    assert path.read_bytes() == content


def test_a_file_that_has_it_all_is_not_touched(path: Path) -> None:
    path.write_text(HAND_WRITTEN)
    os.utime(path, (1, 1))
    Suite.read(path).write(path)
    assert path.read_text() == HAND_WRITTEN
    assert path.stat().st_mtime == 1


def test_a_link_stays_one_and_rights_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    Suite("d").write(real)
    real.chmod(0o640)
    link.symlink_to(real)
    Suite("d", (Check("c").is_complete("a"),)).write(link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert Suite.read(real).checks
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.yaml", "real.yaml"]


def test_a_suite_that_contradicts_the_file_is_refused(path: Path) -> None:
    Suite("d", gate=GateSettings(on_error="warn")).write(path)
    before = path.read_text()
    with pytest.raises(SuiteError, match="the file is the suite of 'd', not of 'e'"):
        Suite("e").write(path)
    with pytest.raises(SuiteError, match=r"gate is \{on_error: warn\}, not \{season: 7\}"):
        Suite("d", gate=GateSettings(season=7)).write(path)
    assert path.read_text() == before
    path.write_text("version: 1\ndataset: d\ngate: {}\n")
    with pytest.raises(SuiteError, match=r"the file's gate is \{\}, not \{season: 7\}"):
        Suite("d", gate=GateSettings(season=7)).write(path)


def test_nothing_is_written_where_something_cannot_be(path: Path) -> None:
    suite = Suite("d", (Check("a").is_complete("x"), Check("b").has_size(satisfies=bool)))
    with pytest.raises(CheckError, match="b: has_size: a function cannot be written in YAML"):
        suite.write(path)
    assert not path.exists()
    Suite("d").write(path)
    before = path.read_text()
    with pytest.raises(CheckError, match="b: has_size: a function cannot be written in YAML"):
        suite.write(path)
    assert path.read_text() == before


def test_names_of_checks_are_each_ones_own() -> None:
    with pytest.raises(CheckError, match="two checks are called 'c'"):
        Suite("d", (Check("c"), Check("c").is_complete("a")))
    with pytest.raises(CheckError, match="a suite names its dataset"):
        Suite(" ")


def test_a_scope_is_not_written_for_anomalies_which_have_their_own(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    Suite("d", (Check("c").is_complete("a"),)).write(path)
    check = Check("c", on="both").has_no_anomalies(Size(), OnlineNormal())
    Suite("d", (check,)).write(path)
    assert len(Suite.read(path).checks[0].constraints) == 2
