"""Suggest a method of `Check` for the name that another tool uses."""

from __future__ import annotations

import re
from collections.abc import Collection

from assay.errors import nearest

__all__ = ["explain_unknown_method"]

#: names in dbt, Great Expectations, Soda, Pandera, Pointblank and Deequ, and what people guess
OTHER_NAMES = {
    "accepted_range": "is_in_range",
    "accepted_values": "is_contained_in",
    "between": "is_in_range",
    "col_exists": "has_column",
    "col_vals_between": "is_in_range",
    "col_vals_expr": "satisfies",
    "col_vals_ge": "is_in_range",
    "col_vals_gt": "is_in_range",
    "col_vals_in_set": "is_contained_in",
    "col_vals_le": "is_in_range",
    "col_vals_lt": "is_in_range",
    "col_vals_not_null": "is_complete",
    "col_vals_regex": "matches",
    "column_exists": "has_column",
    "column_values_not_null": "is_complete",
    "count": "has_size",
    "duplicate_count": "has_duplicate_rows",
    "expect_column_distinct_values_to_be_in_set": "is_contained_in",
    "expect_column_max_to_be_between": "has_max",
    "expect_column_mean_to_be_between": "has_mean",
    "expect_column_median_to_be_between": "has_median",
    "expect_column_min_to_be_between": "has_min",
    "expect_column_pair_values_a_to_be_greater_than_b": "is_greater_than",
    "expect_column_proportion_of_unique_values_to_be_between": "has_distinctness",
    "expect_column_stdev_to_be_between": "has_standard_deviation",
    "expect_column_sum_to_be_between": "has_sum",
    "expect_column_to_exist": "has_column",
    "expect_column_unique_value_count_to_be_between": "has_count_distinct",
    "expect_column_value_lengths_to_be_between": "has_max_length",
    "expect_column_values_to_be_between": "is_in_range",
    "expect_column_values_to_be_in_set": "is_contained_in",
    "expect_column_values_to_be_of_type": "has_data_type",
    "expect_column_values_to_be_unique": "is_unique",
    "expect_column_values_to_match_regex": "matches",
    "expect_column_values_to_not_be_null": "is_complete",
    "expect_compound_columns_to_be_unique": "is_unique",
    "expect_table_column_count_to_equal": "has_column_count",
    "expect_table_row_count_to_be_between": "has_size",
    "expect_table_row_count_to_equal": "has_size",
    "expression_is_true": "satisfies",
    "foreign_key": "refers_to",
    "freshness": "is_fresh",
    "has_no_nulls": "is_complete",
    "has_pattern": "matches",
    "has_row_count": "has_size",
    "in_range": "is_in_range",
    "invalid_count": "satisfies",
    "is_in": "is_contained_in",
    "is_not_null": "is_complete",
    "isin": "is_contained_in",
    "max": "has_max",
    "mean": "has_mean",
    "min": "has_min",
    "missing_count": "is_complete",
    "no_duplicates": "is_unique",
    "no_nulls": "is_complete",
    "non_null": "is_complete",
    "not_null": "is_complete",
    "null_count": "has_completeness",
    "primary_key": "is_primary_key",
    "regex": "matches",
    "relationships": "refers_to",
    "row_count": "has_size",
    "row_count_match": "has_row_count_of",
    "rows_distinct": "is_unique",
    "unique": "is_unique",
    "unique_combination_of_columns": "is_unique",
    "values_in": "is_contained_in",
}


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
    >>> explain_unknown_method("isComplete", ["is_complete"])
    "Check has no method 'isComplete'; use 'is_complete'."
    """
    snake_case = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    if snake_case in methods:
        guess: str | None = snake_case
    else:
        guess = OTHER_NAMES.get(snake_case) or nearest(snake_case, methods)
    if guess is None:
        return f"Check has no method {name!r}; docs/suites.md lists all constraints."
    return f"Check has no method {name!r}; use {guess!r}."
