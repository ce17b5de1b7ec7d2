"""A text into a short name that stays the same between runs."""

from __future__ import annotations

# hashlib loads OpenSSL: 6 ms at start-up, a tenth of a whole check. Python's own module has had two names.
try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:  # pragma: no cover - a Python without its own
        from hashlib import sha256

_LENGTH = 16


def digest(text: str) -> str:
    """The first digits of the text's SHA-256."""
    return str(sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH])
