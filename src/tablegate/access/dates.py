"""The days that AWS's facts are of. Written by fixtures/make_iam_data.py: do not edit."""

ACTIONS_AS_OF = "2026-10-27"
MANAGED_AS_OF = "2026-09-30"
