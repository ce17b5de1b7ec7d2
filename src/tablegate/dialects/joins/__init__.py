"""Joins resources to the tables that they are about, for both languages.

The rooms of the dialects read resources into the records of this room; what follows from them is decided here.
"""
