"""The kinds of passes over the data, one module each.

A module holds the plan value of its pass, its query and its states, and describes the pass in a
printed plan. `scan_pass` computes aggregates over all rows. The other passes have a query with a
shuffle of their own.
"""
