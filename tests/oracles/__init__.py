"""Harnesses that hold tablegate against programs that others wrote. `make test` needs none of them."""
