"""Profile a table: what each column holds (Deequ, VLDB 2018, sections 3.3 and 4.2)."""

from assay.learn.profile.column_profile import ColumnProfile, Numbers, Texts
from assay.learn.profile.profile import Profile, profile_of
from assay.learn.profile.two_passes import profile, profile_analyzers, profile_plan

__all__ = [
    "ColumnProfile",
    "Numbers",
    "Profile",
    "Texts",
    "profile",
    "profile_analyzers",
    "profile_of",
    "profile_plan",
]
