"""Suggest a method of `Check` for the name that another tool uses."""

from __future__ import annotations

import re
from collections.abc import Collection

from assay.errors import nearest

__all__ = ["explain_unknown_method", "suggest_argument", "suggest_method"]

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PREFIX = re.compile(r"^(expect_(column_|table_)?(values_)?(to_)?|col_vals_|assert_|check_)")

#: For each method or call, names in dbt, Great Expectations, Soda, Pandera, Pointblank, Deequ and
#: DQX, and what people guess. Names in camel case are compared in snake case.
_OTHER_NAMES_OF = {
    "agrees_with": (
        "compare_datasets does_dataset_match equality equals_table same_rows_as tbl_match"
    ),
    "are_all_complete": "are_complete have_completeness rows_complete",
    "are_any_complete": "at_least_one have_any_completeness",
    "has": "add_constraint metric",
    "has_aggregate_of": "expect_query_results_to_match_comparison",
    "has_approx_quantile": (
        "expect_column_quantile_values_to_be_between percentile quantile has_quantile"
    ),
    "has_approx_quantiles": "kll_sketch_satisfies",
    "has_column": "col_exists column_exists expect_column_to_exist has_columns",
    "has_column_count": (
        "col_count_match expect_table_column_count_to_be_between columns"
        " expect_table_column_count_to_equal n_columns"
    ),
    "has_completeness": "completeness not_null_proportion"
    " expect_column_proportion_of_non_null_values_to_be_between",
    "has_completeness(column, at_least=0.95)": (
        "col_pct_null missing_percent null_count null_percent null_ratio"
    ),
    "has_completeness(column, equals=0)": (
        "col_vals_null expect_column_values_to_be_null is_null null"
    ),
    "has_count_distinct": (
        "cardinality cardinality_equality count_distinct distinct distinct_count"
        " expect_column_unique_value_count_to_be_between has_number_of_distinct_values"
        " has_unique_count n_distinct n_unique nunique"
    ),
    "has_count_distinct(column, at_least=2)": "not_constant",
    "has_custom_sql": "aggregate custom custom_sql sql_query",
    "has_data_type": (
        "data_type expect_column_values_to_be_dateutil_parseable"
        " expect_column_values_to_match_strftime_format is_type is_valid_date is_valid_timestamp"
        " looks_like"
    ),
    "has_distinctness": "expect_column_proportion_of_unique_values_to_be_between",
    "has_duplicate_rows(column, equals=0)": (
        "duplicate duplicate_count duplicate_percent duplicates has_no_duplicates"
    ),
    "has_histogram": (
        "distribution expect_column_distinct_values_to_contain_set has_histogram_values"
        " expect_column_distinct_values_to_equal_set expect_column_most_common_value_to_be_in_set"
        " col_vals_make_set col_vals_make_subset unique_values_eq"
    ),
    "has_max": (
        "expect_column_max_to_be_between is_aggr_not_greater_than is_not_in_future max max_value"
        " maximum"
    ),
    "has_max_length": (
        "expect_column_value_lengths_to_be_between max_length str_length length has_length"
        " expect_column_value_lengths_to_equal"
    ),
    "has_mean": (
        "average avg col_avg_between expect_column_mean_to_be_between has_average has_avg mean"
    ),
    "has_mean_length": "avg_length mean_length",
    "has_median": "expect_column_median_to_be_between median",
    "has_min": "expect_column_min_to_be_between is_aggr_not_less_than min min_value minimum",
    "has_min_length": "min_length",
    "has_min_length(column, at_least=1)": (
        "is_not_empty is_not_null_and_not_empty not_empty not_empty_string"
    ),
    "has_no_anomalies": (
        "anomaly_detection anomaly_score change_for_row_count is_newest_point_non_anomalous"
        " expect_column_value_z_scores_to_be_less_than"
    ),
    "has_row_count_of": (
        "equal_rowcount expect_table_row_count_to_equal_other_table fewer_rows_than row_count_diff"
        " row_count_match"
    ),
    "has_size": (
        "count expect_table_row_count_to_be_between expect_table_row_count_to_equal has_count"
        " has_row_count n_rows num_rows row_count rows size"
    ),
    "has_standard_deviation": (
        "expect_column_stdev_to_be_between has_std has_stddev std standard_deviation stddev"
        " stddev_pop stddev_samp"
    ),
    "has_sum": "col_sum_between expect_column_sum_to_be_between sum total",
    "has_variance": "var variance var_pop var_samp",
    "is_at_least": "is_greater_than_or_equal_to is_not_less_than",
    "is_at_most": "is_less_than_or_equal_to is_not_greater_than",
    "is_complete": (
        "col_vals_not_null column_values_not_null expect_column_values_to_not_be_null has_no_nulls"
        " is_non_null is_not_null missing missing_count no_nulls non_null nonnull not_null notna"
        " notnull nullable required"
    ),
    "is_contained_in": (
        "accepted_values allowed_values col_vals_in_set expect_column_values_to_be_in_set"
        " expect_column_distinct_values_to_be_in_set in_list in_set is_in is_in_list is_in_set isin"
        " is_not_null_and_is_in_list is_one_of one_of valid_values values_in"
    ),
    "is_credit_card": "contains_credit_card_number credit_card",
    "is_email": "contains_email email",
    "is_equal_to": "col_vals_eq eq equal_to expect_column_pair_values_to_be_equal",
    "is_fresh": (
        "col_vals_fresh data_freshness expect_column_max_to_be_recent fresh freshness is_data_fresh"
        " is_data_fresh_per_time_window is_recent recency recent"
    ),
    "is_greater_than": "expect_column_pair_values_a_to_be_greater_than_b",
    "is_in_range": (
        "accepted_range between col_vals_between col_vals_ge col_vals_gt col_vals_le col_vals_lt"
        " expect_column_values_to_be_between ge greater_than greater_than_or_equal_to gt in_range"
        " is_between is_within le less_than less_than_or_equal_to lt within within_range"
    ),
    "is_ip_address": "ip ipv4 is_ip is_ipv4 is_valid_ipv4_address is_valid_ipv6_address",
    "is_non_negative": "non_negative",
    "is_positive": "positive",
    "is_primary_key": "primary_key unique_key",
    "is_social_security_number": "contains_social_security_number ssn",
    "is_unique": (
        "col_vals_unique expect_column_values_to_be_unique expect_compound_columns_to_be_unique"
        " no_duplicates rows_distinct unique unique_combination_of_columns uniqueness"
        " expect_multicolumn_values_to_be_unique"
    ),
    "is_url": "contains_url url",
    "is_uuid": "uuid",
    "matches": (
        "col_vals_regex expect_column_values_to_match_regex has_pattern has_format is_match"
        " expect_column_values_to_match_regex_list match_regex matches_regex regex regex_match"
        " str_contains str_endswith str_matches str_startswith valid_format"
    ),
    "matches(column, pattern, at_most=0)": (
        "expect_column_values_to_not_match_regex expect_column_values_to_not_match_regex_list"
        " not_matches"
    ),
    "matches_pattern": "col_vals_within_spec",
    "matches_schema": (
        "col_schema_match expect_column_values_to_be_in_type_list"
        " expect_column_values_to_be_of_type expect_table_columns_to_match_ordered_list"
        " expect_table_columns_to_match_set dtype has_dtype has_schema has_type has_types"
        " has_valid_schema of_type schema"
    ),
    "refers_to": (
        "exists_in expect_column_values_to_exist_in foreign_key has_foreign_key"
        " has_referential_integrity is_foreign_key must_exist_in referential_integrity references"
        " relationships relationships_where"
    ),
    "satisfies": (
        "col_vals_expr col_vals_ne col_vals_outside conjointly evaluate"
        " expect_multicolumn_sum_to_equal expect_column_pair_values_to_be_in_set"
        " expect_column_values_to_be_json_parseable expr"
        " expect_column_values_to_match_json_schema expect_column_values_to_match_like_pattern"
        " expect_column_values_to_not_match_like_pattern expect_unexpected_rows expression"
        " expression_is_true failed_rows invalid invalid_count invalid_percent is_not_in_range"
        " mutually_exclusive_ranges ne not_equal_to predicate rule specially sql sql_expression"
        " unexpected_rows_expectation valid valid_count valid_percent"
    ),
    "satisfies(\"status NOT IN ('lost')\")": (
        "col_vals_not_in_set expect_column_values_to_not_be_in_set is_not_in is_not_in_list"
        " not_accepted_values not_in not_in_set notin"
    ),
}
#: a second method with the same purpose, and how it differs
_ALTERNATIVES = {"has_approx_quantile": "'has_exact_quantile', which is exact and slower"}
OTHER_NAMES = {other: ours for ours, names in _OTHER_NAMES_OF.items() for other in names.split()}

#: For each argument, its names in other tools, and what people guess.
_OTHER_ARGUMENTS_OF = {
    "at_least": "ge gte low lower lower_bound min min_value minimum minimum_value",
    "at_most": "high le lte max max_value maximum maximum_value upper upper_bound",
    "columns": "column column_list column_names subset",
    "column": "col column_name field field_name",
    "equals": "eq equal equal_to exactly value",
    "hint": "comment description message meta notes",
    "less_than": "below exclusive_max lt strict_max",
    "level": "criticality severity",
    "more_than": "above exclusive_min greater_than gt strict_min",
    "pattern": "like_pattern regex regex_pattern regexp",
    "satisfies": "assertion condition func function predicate",
    "values": "accepted_values allowed allowed_values in_list value_set",
    "where": "filter row_condition row_filter when",
}
_OTHER_ARGUMENTS = {
    other: ours for ours, names in _OTHER_ARGUMENTS_OF.items() for other in names.split()
}


def suggest_argument(name: str, arguments: Collection[str]) -> str | None:
    """Return the argument that was probably meant, or None.

    Parameters
    ----------
    name
        A name that the method does not take.
    arguments
        The names of its arguments.

    Examples
    --------
    >>> suggest_argument("min", ["column", "at_least"])
    'at_least'
    >>> suggest_argument("atleast", ["column", "at_least"])
    'at_least'
    """
    familiar = _OTHER_ARGUMENTS.get(name.lower())
    return familiar if familiar in arguments else nearest(name, arguments)


def suggest_method(name: str, methods: Collection[str]) -> str | None:
    """Return the method that was probably meant, perhaps with arguments; or None.

    Parameters
    ----------
    name
        A name that `Check` does not have.
    methods
        The names of all constraint methods.

    Examples
    --------
    >>> suggest_method("ExpectColumnValuesToBeNull", ["has_completeness"])
    'has_completeness(column, equals=0)'
    >>> suggest_method("expect_column_values_to_be_positive", ["is_positive"])
    'is_positive'
    """
    snake_case = _WORD_START.sub("_", name).lower()
    if snake_case in methods:
        return snake_case
    if snake_case in OTHER_NAMES:
        return OTHER_NAMES[snake_case]
    stem = _PREFIX.sub("", snake_case)
    return OTHER_NAMES.get(stem) or nearest(snake_case, methods) or nearest(stem, methods)


def explain_unknown_method(name: str, methods: Collection[str]) -> str:
    """Return a sentence that names the method which was probably meant.

    Parameters
    ----------
    name
        The name that `Check` does not have.
    methods
        The names of all constraint methods.

    Examples
    --------
    >>> explain_unknown_method("not_null", ["is_complete"])
    "Check has no method 'not_null'; use 'is_complete'."
    """
    guess = suggest_method(name, methods)
    if guess is None:
        return f"Check has no method {name!r}; docs/suites.md lists all constraints."
    other = f", or {_ALTERNATIVES[guess]}" if guess in _ALTERNATIVES else ""
    return f"Check has no method {name!r}; use {guess if '(' in guess else repr(guess)}{other}."
