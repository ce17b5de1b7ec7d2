"""Estates and policies into findings. This room knows no language."""
