"""Definitions of tables with the service's verdict on each, by rules that tablegate has no part in."""
