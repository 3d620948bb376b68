"""The names of the novelty detectors that novelty-edbt21 compares. It imports nothing heavy."""

from typing import Literal

__all__ = ["Aggregation", "Distance", "Method"]

#: The methods of Table 1 in section 4 of novelty-edbt21.
Method = Literal[
    "average knn", "knn", "one-class svm", "abod", "feature bagging", "hbos", "isolation forest"
]

#: How the distances to the nearest neighbours are combined (section 4, Algorithm 1).
Aggregation = Literal["mean", "median", "max"]
#: The distance of two batches (section 4, Algorithm 1).
Distance = Literal["euclidean", "manhattan", "chebyshev"]
