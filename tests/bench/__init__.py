"""The benchmark: `make bench` measures tablegate against the parsers that it must not be slower than."""
