"""The model of column names: properties of its scores, and of its file."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from functools import partial
from importlib.resources import files
from random import Random
from timeit import repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.learn.suggest.name_features import kind_of, name_features, words_of
from assay.learn.suggest.names import NameModel, uniqueness_of_name

_FILE = files("assay.learn.suggest") / "names.tsv"


@pytest.mark.parametrize(
    ("column", "table", "type_name"),
    [
        ("id", "users", "bigint"),
        ("id", None, "bigint"),
        ("id", None, None),
        ("uuid", "users", "string"),
        ("user_id", "users", "bigint"),
        ("order_id", "orders", "bigint"),
        ("id_customer", "customer", "int"),
        ("categoryid", "categories", "int"),
    ],
)
def test_keys_are_likely_unique(column: str, table: str | None, type_name: str | None) -> None:
    assert uniqueness_of_name(column, table, type_name) > 0.5


@pytest.mark.parametrize("table", [None, "orders", "users"])
@pytest.mark.parametrize(
    ("column", "type_name"),
    [
        ("created_at", "timestamp"),
        ("status", "string"),
        ("country", "string"),
        ("is_active", "boolean"),
        ("price", "decimal(10,2)"),
        ("latitude", "double"),
        ("birthday", "date"),
    ],
)
def test_attributes_are_unlikely_to_be_unique(
    column: str, type_name: str, table: str | None
) -> None:
    assert uniqueness_of_name(column, table, type_name) < 0.05
    assert uniqueness_of_name(column, table) < 0.05


def test_section_5_3_the_users_of_twitter() -> None:
    """The paper reports 81 % for `id`, 2 % for `statuses_count`, and is wrong on `screen_name`."""
    assert uniqueness_of_name("id", type_name="bigint") > 0.81
    assert uniqueness_of_name("statuses_count", type_name="bigint") < 0.02
    assert uniqueness_of_name("screen_name", type_name="string") < 0.5


def test_a_key_of_one_table_is_a_reference_in_another() -> None:
    assert uniqueness_of_name("user_id", "users") > 0.5
    assert uniqueness_of_name("user_id", "orders") < 0.05
    assert uniqueness_of_name("order_id", "order_lines") < 0.1


def test_natural_keys_are_more_likely_in_their_own_table() -> None:
    """Few projects declare them unique, so that they stay below one half."""
    for column in ("email", "username", "name"):
        score = partial(uniqueness_of_name, column, type_name="string")
        assert score("users") > 1.3 * score("orders")


def test_a_key_next_to_an_id_is_a_reference() -> None:
    columns = ("user_id", "amount", "status")
    only = uniqueness_of_name("user_id", columns=columns)
    one_of_two = uniqueness_of_name("user_id", columns=(*columns, "group_id"))
    beside = uniqueness_of_name("user_id", columns=(*columns, "id"))
    assert only > 2 * one_of_two
    assert one_of_two > 4 * beside


def test_a_common_prefix_of_the_columns_acts_as_the_name_of_the_table() -> None:
    prefixed = ("host_id", "host_name", "host_ip", "host_port", "vendor_id")
    host, vendor = (uniqueness_of_name(name, columns=prefixed) for name in prefixed[::4])
    assert host > 1.5 * vendor
    assert host > 2 * uniqueness_of_name("host_id")


def test_the_order_of_the_columns_does_not_matter() -> None:
    names = ["order_id", "customer_id", "status", "amount", "order_date", "tax", "note", "key"]
    for count in range(1, len(names) + 1):
        columns = names[:count]
        expected = uniqueness_of_name("order_id", "orders", columns=columns)
        assert uniqueness_of_name("order_id", "orders", columns=columns[::-1]) == expected
        assert uniqueness_of_name("order_id", "orders", columns=columns[1:]) == expected
        assert uniqueness_of_name("order_id", "orders") != expected


@pytest.mark.parametrize(
    "spellings",
    [
        ("order_id", "orderId", "OrderID", "ORDER_ID", "order-id", "`order`.`id`", "orders id"),
        ("created_at", "createdAt", "CREATED_AT", "Created At"),
        ("address_line_1", "addressLine2", "ADDRESS_LINE3"),
    ],
)
def test_spellings_of_a_name_have_the_same_score(spellings: tuple[str, ...]) -> None:
    assert len({words_of(name) for name in spellings}) == 1
    for table in (None, "orders"):
        assert len({uniqueness_of_name(name, table) for name in spellings}) == 1
    assert len({uniqueness_of_name("id", name) for name in spellings}) == 1


@pytest.mark.parametrize(
    ("kind", "names"),
    {
        "integral": "tinyint;smallint;int;bigint;INTEGER;int(11) unsigned;bigserial;long",
        "fractional": "float;double;real;double precision",
        "decimal": "decimal(10,2);NUMERIC(8, 3);number(10)",
        "string": "string;varchar(255);char(2);text;longtext;character varying;uuid;string collate"
        " UTF8_LCASE;enum('a')",
        "boolean": "boolean;bool;tinyint(1);bit(1)",
        "date": "date",
        "timestamp": "timestamp;timestamp_ntz;datetime(3);timestamp without time zone",
        "binary": "binary;varbinary(16);longblob;bytea",
        "other": "array<int>;map<string,int>;struct<id:int>;interval day to second;point;;variant",
    }.items(),
)
def test_types_of_spark_and_sql_have_the_same_kinds(kind: str, names: str) -> None:
    assert {name: kind_of(name) for name in names.split(";")} == dict.fromkeys(
        names.split(";"), kind
    )


@settings(max_examples=60)
@given(*[st.none() | st.text(max_size=40)] * 2, st.none() | st.lists(st.text(max_size=9)))
def test_any_text_has_a_probability(
    table: str | None, type_name: str | None, columns: list[str] | None
) -> None:
    for column in (table or "", "id"):
        assert 0 < uniqueness_of_name(column, table, type_name, columns=columns) < 1


@pytest.mark.parametrize(
    "name",
    ["", " ", "_", "\x00\n\t\x7f", "\ud800", "ÄÖÜ_ß", "注文番号", "👩‍👩‍👧", "İd", "1", "'; --"]
    + [10_000 * text for text in ("x", "id_", "aB1", "\u0301", "_")]
    + ["".join(Random(0).choices("abcdefghijklmnopqrstuvwxyz_", k=10_000))],
    ids=lambda name: ascii(name[:6]),
)
def test_hostile_names_have_a_probability(name: str) -> None:
    for table, columns in ((None, None), (name, None), (None, [name]), (name, [name, "id"])):
        assert 0 < uniqueness_of_name(name, table, name, columns=columns) < 1
    assert len(name_features(name, name, name, [name])) < 2_000


def test_a_score_takes_less_than_a_millisecond() -> None:
    columns = [f"{word}_{n}_id" for n in range(20) for word in ("order", "customer", "parcel")]
    score = partial(uniqueness_of_name, "customer_id", "orders", "bigint", columns=columns)
    assert min(repeat(score, number=20, repeat=5)) / 20 < 0.001


def test_the_file_of_weights_is_small_and_can_be_written_again() -> None:
    text = _FILE.read_text(encoding="utf-8")
    assert len(text.encode()) < 500_000
    model = NameModel.read(text)
    assert model.text == text
    assert len(model.weights) > 5_000
    assert model.score("id", "users", "bigint") == uniqueness_of_name("id", "users", "bigint")


def test_the_weights_belong_to_existing_features() -> None:
    """A file of weights with old names of features would silently score every name alike."""
    weights = NameModel.read(_FILE.read_text(encoding="utf-8")).weights
    features = name_features("order_id", "orders", "bigint", ["order_id", "customer_id", "status"])
    frequent = {name for name in features if not name.startswith(("#", "k", "t"))}
    assert len(frequent) > 20
    assert len(frequent & weights.keys()) > 0.8 * len(frequent)


def test_a_damaged_file_is_refused() -> None:
    text = NameModel((1, 2, 3, 4), {"=id": (5, 0, 0, -6)}).text
    assert NameModel.read(text).weights == {"=id": (5, 0, 0, -6)}
    for damaged in (text[:-1], text.replace("5", "7"), text.replace("names 1", "names 2"), ""):
        assert damaged != text
        with pytest.raises(ValueError, match="Install Assay again"):
            NameModel.read(damaged)


def test_the_score_follows_the_formula() -> None:
    """Each case has its own weights, unknown features have none, and 150 hundredths are 1.5."""
    model = NameModel((-100, 0, 50, -50), {"=id": (250, 100, 0, 0), "s none": (9_999, 20, 0, 30)})
    expected = {(None, None): 1.5, ("users", None): 1.2, (None, ()): 0.5, ("users", ()): -0.2}
    for (table, columns), logit in expected.items():
        score = model.score("id", table, None, columns)
        assert score == pytest.approx(1 / (1 + math.exp(-logit)))
    assert NameModel((10**9, 0, 0, 0), {}).score("id") == 1
    assert NameModel((-(10**9), 0, 0, 0), {}).score("id") == pytest.approx(0)


def test_scores_are_equal_in_all_processes_and_need_no_numpy() -> None:
    program = (
        "import sys; from assay.learn.suggest.names import uniqueness_of_name as score;"
        "print(score('customer_id', 'orders', 'bigint', columns=['id', 'customer_id']).hex());"
        "print(sorted({'numpy', 'scipy', 'pandas', 'pyspark'} & sys.modules.keys()))"
    )
    here = uniqueness_of_name("customer_id", "orders", "bigint", columns=["id", "customer_id"])
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert run.stdout.split("\n")[:2] == [here.hex(), "[]"]
