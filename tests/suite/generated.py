"""Checks drawn at random: every method of `Check`, every detector, values of every kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, timedelta
from typing import Any

from hypothesis import strategies as st

from assay import Check, GateSettings, Suite
from assay.analyzers import Completeness, Mean, Size, TopK, Uniqueness
from assay.checks.codegen.constraint_call import methods
from assay.checks.constraint_method import constraint_methods
from assay.errors import CheckError
from assay.learn import anomaly
from assay.learn.patterns import Patterns
from assay.suite import DetectorSettings, Target

#: what only a function can judge
FUNCTIONS = {"has_histogram", "has_histogram_bins", "has_approx_quantiles", "has_quantile_buckets"}
METHODS = sorted(set(methods()) - FUNCTIONS)

texts = st.text(max_size=12)
names = st.one_of(st.sampled_from(["id", "e-mail", "a.b", "null", "yes", "1", "x: y", "#"]), texts)
columns = st.one_of(names, st.lists(names, min_size=1, max_size=3))
numbers = st.one_of(st.integers(-(10**20), 10**20), st.floats(allow_nan=False))
spans = st.timedeltas(timedelta(-5000), timedelta(5000))
values = st.one_of(
    numbers,
    texts,
    st.booleans(),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.just(UTC)),
    st.times(),
    spans,
    st.decimals(allow_nan=False, allow_infinity=False, places=2),
    st.binary(max_size=4),
)
analyzers = st.one_of(
    st.just(Size()),
    st.builds(Size, where=st.just("a > 0\n AND b < 'x: y'")),
    st.builds(Completeness, names),
    st.builds(Mean, names),
    st.builds(TopK, names, st.integers(1, 9)),
    st.builds(Uniqueness, st.lists(names, min_size=1, max_size=3).map(tuple)),
)
deviations = {
    "lower": st.one_of(st.none(), st.floats(0.1, 9)),
    "upper": st.floats(0.1, 9),
    "need": st.integers(14, 20),
    "last": st.one_of(st.none(), st.integers(20, 50)),
    "ignore_start": st.floats(0, 1),
    "ignore_anomalies": st.booleans(),
    "periods": st.lists(st.floats(0.5, 400), max_size=3).map(tuple),
    "harmonics": st.integers(1, 5),
    "period": st.integers(2, 30),
    "order": st.integers(1, 3),
    "lag": st.integers(1, 9),
    "seasonal": st.tuples(*[st.integers(0, 2)] * 3),
    "at_most": st.floats(2, 9),
    "at_least": st.floats(0, 1),
    "at_most_rise": st.floats(0, 9),
    "at_most_fall": st.floats(0, 9),
    "low": st.floats(-9, 0),
    "high": st.floats(0, 9),
}


@st.composite
def detectors(draw: st.DrawFn, depth: int = 1) -> Any:
    """Draw a detector, sometimes over differences."""
    names_ = [d.__name__ for d in anomaly.DETECTORS if d is not anomaly.ByCallable]
    name = draw(st.sampled_from(names_ if depth else [n for n in names_ if n != "Differenced"]))
    detector_class = getattr(anomaly, name)
    arguments: dict[str, Any] = {}
    for field in fields(detector_class):
        if field.name == "detector":
            arguments["detector"] = draw(detectors(depth - 1))
        elif name == "SeasonalArima" and field.name == "order":
            arguments["order"] = draw(deviations["seasonal"])
        elif name in {"Threshold", "AbsoluteChange", "RelativeChange"} or draw(st.booleans()):
            arguments[field.name] = draw(deviations[field.name])
    return detector_class(**arguments)


BY_NAME: Mapping[str, st.SearchStrategy[Any]] = {
    "columns": columns,
    "keys": columns,
    "inputs": columns,
    "to": columns,
    "analyzer": analyzers,
    "detector": detectors(),
    "learner": st.just(Patterns()),
    "quantile": st.floats(0, 1),
    "within": spans,
    "as_of": st.datetimes(timezones=st.just(UTC)),
    "expected": st.dictionaries(names, st.sampled_from(["int", "string"]), min_size=1, max_size=3),
    "values": st.lists(values, min_size=1, max_size=4),
    "low": values,
    "high": values,
    "type_name": st.sampled_from(["integral", "string", "date"]),
    "pattern": st.sampled_from(["<digit>+", r"<upper>{3}\|-<digit>+|\u{a0}", "a"]),
    "standard": st.sampled_from(["ISO 4217", "ISO 3166-1 alpha-2"]),
    "metric": st.sampled_from(["l1", "earth_mover", "pattern_cosine"]),
    "trained": st.tuples(st.integers(0, 5), st.integers(5, 90)),
    "test": st.sampled_from(["beta-binomial", "fisher", "chi-squared"]),
    "significance": st.floats(0.001, 0.1),
    "latest": st.integers(1, 40),
    "nulls": st.sampled_from(["ignore", "fail", "empty"]),
    "closed": st.sampled_from(["both", "left", "right", "neither"]),
    "scope": st.sampled_from(["batch", "whole"]),
    "per": st.lists(st.sampled_from(["board", "region"]), max_size=2),
    "f1": st.floats(0, 1),
    "precision": st.floats(0, 1),
    "recall": st.floats(0, 1),
    "search": st.booleans(),
    "exact": st.booleans(),
    "order": st.booleans(),
    "nullable": st.booleans(),
}
BOUNDS = {
    **dict.fromkeys(["equals", "at_least", "at_most", "more_than", "less_than"], values),
    "between": st.tuples(st.integers(-9, 0), st.integers(1, 9)),
}
OPTIONS = {
    "where": st.sampled_from(["a = 'b'", "x > 1 -- ä: #\n AND y"]),
    "level": st.sampled_from(["error", "warning"]),
    "hint": texts,
    "id": texts,
    "on": st.sampled_from(["batch", "whole", "both"]),
}
COMMON = {**BOUNDS, **OPTIONS}
scopes: st.SearchStrategy[Any] = st.sampled_from([None, "batch", "whole", "both"])


titles = texts.filter(str.strip)


@st.composite
def arguments(draw: st.DrawFn, method: str) -> tuple[list[Any], dict[str, Any]]:
    """Draw arguments for a method of `Check`, which may refuse them."""
    args: list[Any] = []
    named: dict[str, Any] = {}
    declared = constraint_methods()[method]
    if declared.bounds == "required":
        bound = draw(st.sampled_from(sorted(BOUNDS)))
        named[bound] = draw(BOUNDS[bound])
    for name, parameter in declared.signature.parameters.items():
        if parameter.kind == parameter.VAR_POSITIONAL:
            args += draw(st.lists(names, min_size=1, max_size=3))
        elif name in COMMON:
            if name not in named and draw(st.integers(0, 5)) == 0:
                named[name] = draw(COMMON[name])
        elif name in {"sample", "classifier", "satisfies"}:
            continue
        elif parameter.default is parameter.empty:
            args.append(draw(BY_NAME.get(name, names)))
        elif draw(st.booleans()):
            named[name] = draw(BY_NAME.get(name, names))
    return args, named


@st.composite
def checks(
    draw: st.DrawFn, only: str | None = None, called: st.SearchStrategy[str] = titles
) -> Check:
    """Draw a check with a few constraints, without the calls that `Check` refuses."""
    check = Check(draw(called), draw(st.sampled_from(["error", "warning"])), on=draw(scopes))
    for _ in range(draw(st.integers(1, 4))):
        method = only or draw(st.sampled_from(METHODS))
        args, named = draw(arguments(method))
        try:
            grown = getattr(check, method)(*args, **named)
            if draw(st.booleans()):
                grown = grown.warn()
            if draw(st.booleans()):
                grown = grown.hint(draw(texts))
        except (CheckError, TypeError, ValueError, OverflowError):
            continue
        check = grown
    return check


detectors_of_novelty = st.one_of(
    st.sampled_from(["bands", "hbos", "average knn"]),
    st.builds(
        DetectorSettings,
        st.sampled_from(["knn", "average knn"]),
        features=st.sampled_from(["assay", "paper"]),
        neighbours=st.one_of(st.none(), st.integers(1, 20)),
        distance=st.sampled_from([None, "euclidean", "manhattan", "chebyshev"]),
        aggregation=st.sampled_from([None, "mean", "median", "max"]),
        contamination=st.one_of(st.none(), st.floats(0, 0.5)),
    ),
)
gates = st.builds(
    GateSettings,
    st.fractions(min_value=0, max_value=1).filter(lambda b: 0 < b < 1).map(str),
    st.sampled_from(["hold", "warn"]),
    st.one_of(st.none(), st.integers(2, 400)),
    st.lists(names, max_size=2).map(tuple),
    detector=detectors_of_novelty,
    share_false=st.one_of(st.none(), st.floats(0.001, 0.999)),
    judges=st.lists(st.sampled_from(["limits", "schema"]), max_size=2).map(tuple),
    metrics=st.lists(st.sampled_from(["mean", "row_count"]), max_size=2).map(tuple),
    exclude=st.lists(names, max_size=2).map(tuple),
)
targets = st.builds(
    Target,
    st.sampled_from(["webhook", "slack"]),
    st.sampled_from(["https://example.org/a?b=c#d", "http://localhost:8080", "${env:SOME_URL}"]),
)


@st.composite
def suites(draw: st.DrawFn, called: st.SearchStrategy[str] = titles) -> Suite:
    """Draw a suite of a few checks."""
    drawn_checks = draw(
        st.lists(checks(called=called), max_size=3, unique_by=lambda check: check.name)
    )
    return Suite(
        draw(titles),
        tuple(drawn_checks),
        draw(st.one_of(st.just(GateSettings()), gates)),
        tuple(draw(st.lists(targets, max_size=2, unique=True))),
    )
