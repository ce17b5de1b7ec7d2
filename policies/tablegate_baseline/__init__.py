"""The policies that tablegate ships: one module a theme."""
