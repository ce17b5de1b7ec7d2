"""Harnesses that hold tablegate against programs that others wrote. They are for development: `make test` needs none."""
