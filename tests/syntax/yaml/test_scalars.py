"""Plain scalars, as CloudFormation's YAML 1.1 reads them."""

from __future__ import annotations

import pytest

from tablegate.syntax.node import Scalar
from tablegate.syntax.yaml.scalars import FIRST, resolve


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, None) for text in ("", "~", "null", "Null", "NULL")),
        *((text, True) for text in ("yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")),
        *((text, False) for text in ("no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")),
        *((text, text) for text in ("y", "N", "fALSE", "nULL", "-", ".", "+", "=", "1e3", "0o17", "08", "0x", "0b_")),
        *((text, text) for text in ("2010-09-09", "2012-10-17T00:00:00Z", "03:00", "1.2.3", "1:2:x", "10.0.0.0/16")),
        *((text, text) for text in ("012345670123", "000000000000")),
        ("0", 0),
        ("-12", -12),
        ("+1_000", 1000),
        ("123456789012", 123456789012),
        ("010", 8),
        ("01234567012", 0o1234567012),
        ("-0x1F", -31),
        ("0b1_01", 5),
        ("1:30", 90),
        ("-1:30:00", -5400),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("1_0.", 10.0),
        ("1.e+3", 1000.0),
        ("1:30.5", 90.5),
        ("-1:30.5", -90.5),
    ],
)
def test_scalars_are_what_cloudformation_reads(text: str, expected: Scalar) -> None:
    """Truth, null and numbers of YAML 1.1; dates, accounts with a leading zero, and y and n stay texts."""
    assert expected == resolve(text)
    assert type(expected) is type(resolve(text))
    assert isinstance(expected, str) or text[:1] in FIRST


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".nan", ".nan cannot be compared with a number"),
        ("-.Inf", "-.Inf cannot be compared with a number"),
        ("1.0e+999", "number too large to read exactly"),
        ("9" * 31, "number with 31 digits; the limit is 30"),
        ("0" + "7" * 5000, "number with 5001 digits; the limit is 30"),
    ],
)
def test_numbers_that_nothing_can_be_computed_with_are_refused(text: str, expected: str) -> None:
    """What is no number, or too large for one, decides nothing."""
    with pytest.raises(ValueError, match=r"number") as caught:
        resolve(text)
    assert expected == str(caught.value)
