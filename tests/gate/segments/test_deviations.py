"""Segments that deviate from their own history while the others do not. No Spark is needed."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import pytest

from assay.gate.causes.cause import CauseCode
from assay.gate.judges.segments import judge_segments
from assay.gate.segments.batch_segments import BatchSegments, SegmentName
from assay.gate.segments.deviations import Rates
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision

RATES = Rates(0.0017, 0.017)
USUAL: dict[SegmentName, int] = {"DE": 2400, "FR": 1200, "AT": 300, None: 150}


def batch_of(
    rows: Mapping[SegmentName, int],
    *,
    means: Mapping[SegmentName, float] | None = None,
    nulls: Mapping[SegmentName, float] | None = None,
    most: int = 200,
) -> BatchSegments:
    """Return segments with a column `price`."""
    means, nulls = means or {}, nulls or {}
    segments = {
        name: (
            n,
            {
                ("price", metrics.COMPLETENESS): 1 - nulls.get(name, 0.0),
                ("price", metrics.MEAN): means.get(name, 20.0),
                ("price", metrics.STANDARD_DEVIATION): means.get(name, 20.0) / 4,
                ("price", metrics.ZERO_RATIO): 0.0,
            },
        )
        for name, n in rows.items()
        if n
    }
    return BatchSegments.of("country", segments, most=most)


def history(days: int = 30, *, sunday: float = 1.0, seed: int = 1) -> list[BatchSegments]:
    """Return days with about the usual numbers of rows; a part of them on Sundays."""
    draw = random.Random(seed)
    batches = []
    for day in range(days):
        part = sunday if day % 7 == 6 else 1.0
        rows = {name: round(n * part * draw.uniform(0.95, 1.05)) for name, n in USUAL.items()}
        means = {name: draw.uniform(19.9, 20.1) for name in USUAL}
        batches.append(batch_of(rows, means=means))
    return batches


def judged(batch: BatchSegments, earlier: list[BatchSegments]) -> list[tuple[object, ...]]:
    phases = [day % 7 for day in range(len(earlier) + 1)]
    findings = judge_segments(earlier, batch, phases, RATES)
    return [(f.level, f.cause_code, f.where, f.column) for f in findings]


def test_a_segment_with_half_of_its_rows_holds_the_batch_and_is_named() -> None:
    (finding,) = judge_segments(
        history(), batch_of({**USUAL, "DE": 1204}), [day % 7 for day in range(31)], RATES
    )

    assert finding.level is Decision.HOLD
    assert finding.cause_code == CauseCode.SEGMENT_MISSING
    assert finding.where == "country = 'DE'"
    assert finding.cause is not None
    assert "1,204 of about 2,378 rows arrived" in finding.cause
    assert finding.sql == "SELECT count(*) FROM batch WHERE CAST(`country` AS STRING) = 'DE'"
    assert finding.row_filter is None  # the rows are not there


@pytest.mark.parametrize("gone", ["DE", "AT", None])
def test_a_segment_without_rows_is_named(gone: SegmentName) -> None:
    named = "country is null" if gone is None else f"country = '{gone}'"

    ((level, code, where, _),) = judged(batch_of({**USUAL, gone: 0}), history())

    assert (level, code, where) == (Decision.HOLD, CauseCode.SEGMENT_MISSING, named)


def test_fewer_rows_in_all_segments_are_no_finding_of_segments() -> None:
    assert judged(batch_of({name: n // 2 for name, n in USUAL.items()}), history()) == []


def test_an_ordinary_batch_has_no_finding() -> None:
    earlier = history(40, sunday=0.4)
    for day in range(30, 40):
        assert judged(earlier[day], earlier[:day]) == [], day


def test_a_sunday_is_compared_with_sundays() -> None:
    earlier = history(41, sunday=0.4)

    assert judged(batch_of({name: round(n * 0.4) for name, n in USUAL.items()}), earlier) == []
    sunday: dict[SegmentName, int] = {name: round(n * 0.4) for name, n in USUAL.items()}
    assert judged(batch_of({**sunday, "DE": 300}), earlier)


def test_a_small_segment_has_wide_limits() -> None:
    earlier = [batch_of({"DE": 2400, "LU": 3 + day % 2}) for day in range(30)]

    assert judged(batch_of({"DE": 2400, "LU": 1}), earlier) == []


def test_a_segment_that_is_always_of_one_row_warns_if_it_is_gone() -> None:
    states: dict[SegmentName, int] = {f"state {i:02}": 1 for i in range(50)}
    earlier = [batch_of(states) for _ in range(30)]

    ((level, code, where, _),) = judged(batch_of({**states, "state 07": 0}), earlier)

    assert (level, code) == (Decision.WARN, CauseCode.SEGMENT_MISSING)
    assert where == "country = 'state 07'"


def test_a_sporadic_segment_may_be_absent() -> None:
    earlier = [batch_of({**USUAL, "IS": 40 * (day % 3 == 0)}) for day in range(30)]

    assert judged(batch_of(USUAL), earlier) == []


def test_a_unit_that_changed_in_one_segment_warns() -> None:
    ((level, code, where, column),) = judged(batch_of(USUAL, means={"FR": 20 * 1.609}), history())

    assert (level, code) == (Decision.WARN, CauseCode.UNIT_CHANGED)
    assert (where, column) == ("country = 'FR'", "price")


def test_a_mean_that_moved_in_all_segments_is_no_finding_of_segments() -> None:
    assert judged(batch_of(USUAL, means=dict.fromkeys(USUAL, 40.0)), history()) == []


def test_nulls_in_one_segment_warn_with_its_rows() -> None:
    earlier = history()
    (finding,) = judge_segments(
        earlier, batch_of(USUAL, nulls={"FR": 0.25}), [day % 7 for day in range(31)], RATES
    )

    assert finding.cause_code == CauseCode.NULLS_ROSE
    assert finding.cause is not None
    assert "300 of 1,200 values are null" in finding.cause
    assert finding.row_filter == "CAST(`country` AS STRING) = 'FR' AND (`price` IS NULL)"


def test_a_new_segment_warns_if_new_ones_are_rare() -> None:
    ((level, code, where, column),) = judged(batch_of({**USUAL, "PL": 35}), history())

    assert (level, code) == (Decision.WARN, CauseCode.VALUES_NEW)
    assert (where, column) == ("country = 'PL'", "country")


def test_a_new_segment_is_an_observation_if_new_ones_are_usual() -> None:
    earlier = [batch_of({**USUAL, f"new {day}": 5}) for day in range(30)]

    ((level, *_),) = judged(batch_of({**USUAL, "PL": 5}), earlier)

    assert level is Decision.ACCEPT


def test_a_deviation_that_the_batch_before_had_is_not_reported_again() -> None:
    lasting = batch_of({**USUAL, "DE": 1204})

    assert judged(lasting, [*history(), lasting]) == []


def test_too_few_batches_judge_nothing() -> None:
    assert judged(batch_of({**USUAL, "DE": 0}), history(7)) == []


def test_batches_that_another_column_split_are_ignored() -> None:
    others = [BatchSegments.of("city", {"DE": (2400, {})}) for _ in range(30)]

    assert judged(batch_of({**USUAL, "DE": 0}), others) == []


def test_an_empty_batch_is_left_to_the_judge_of_empty_batches() -> None:
    assert judged(BatchSegments.of("country", {}), history()) == []


def test_the_largest_segments_are_kept_and_the_others_summed() -> None:
    segments = batch_of({f"c{i:03}": i + 1 for i in range(300)}, most=200)

    assert len(segments.names) == 200
    assert (segments.n_others, segments.other_rows) == (100, sum(range(1, 101)))
    assert segments.n_rows == sum(range(1, 301))
    assert segments.largest_other == 101


def test_a_segment_that_may_be_among_the_others_is_not_missing() -> None:
    rows: dict[SegmentName, int] = {f"c{i:03}": 20 + i for i in range(30)}
    earlier = [batch_of(rows, most=25) for _ in range(30)]
    smaller = {**rows, "c005": 19}  # the smallest listed one falls behind c004

    assert judged(batch_of(smaller, most=25), earlier) == []


def test_a_record_reads_what_it_wrote() -> None:
    segments = BatchSegments.of(
        "country", {"DE": (2, {("price", metrics.MEAN): math.nan}), None: (1, {})}
    )

    read = BatchSegments.from_json(segments.to_json())

    assert (read.by, read.names, read.rows.tolist()) == ("country", ("DE", None), [2.0, 1.0])
    assert math.isnan(read.metric("price", metrics.MEAN)[0])
    assert read.to_json() == segments.to_json()


def test_segments_that_lack_a_small_part_of_the_missing_rows_are_not_the_cause() -> None:
    rows: dict[SegmentName, int] = {f"c{i:02}": 400 for i in range(12)}
    draw = random.Random(3)
    earlier = [
        batch_of({name: round(n * draw.uniform(0.85, 1.15)) for name, n in rows.items()})
        for _ in range(30)
    ]
    fewer = {name: round(n * 0.75) for name, n in rows.items()}

    deviations = judged(batch_of({**fewer, "c03": 0}), earlier)

    assert [(code, where) for _, code, where, _ in deviations] == [
        (CauseCode.ROW_COUNT, "country = 'c03'")
    ]
