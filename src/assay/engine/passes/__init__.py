"""The kinds of passes over the data, one module each.

A module holds the plan value of its pass, the query, the states that come back, and the line that
describes the pass in a printed plan. `scan_pass` computes aggregates over all rows. The other passes
have a query with a shuffle of their own.
"""
