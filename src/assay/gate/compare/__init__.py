"""Compare a table with one or several older ones: what changed, and would a gate hold it?"""
