"""What Schemathesis cannot read from the document: the ledger's integers, and what there is."""

import json
import os
import re
import zlib
from collections import Counter

import schemathesis
from hypothesis import strategies as st


def _digits(bits):
    """A number's digits, zeros in front included, as requests may have them."""
    numbers = st.one_of(st.integers(0, 1_000), st.integers(0, 2**bits - 1))
    return st.tuples(numbers, st.integers(0, 2)).map(lambda drawn: "0" * drawn[1] + str(drawn[0]))


for _bits in (16, 32, 64, 128):
    schemathesis.openapi.format(f"uint{_bits}", _digits(_bits).filter(lambda text: len(text) <= 39))


def _exact(value):
    """JSON Schema takes 14.0 for an integer; the contract, where a fraction is a mistake, does not."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_exact(item) for item in value]
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    return value


@schemathesis.hook
def map_body(context, body):
    return _exact(body)


# The bounds of the document make ten thousand requests: one in so many is sent, drawn by the seed.
_SHARE = int(os.environ.get("FUZZED_SHARE", "1"))
_SEED = os.environ.get("FUZZED_SEED", "")
_bounds = Counter()


def _is_drawn(case):
    """Each operation has its first, and others by chance; what is drawn otherwise is not thinned."""
    phase = getattr(getattr(case.meta, "phase", None), "name", None)
    if _SHARE == 1 or getattr(phase, "value", phase) != "coverage":
        return True
    label = case.operation.label
    _bounds[label] += 1
    number = _bounds[label]
    return number == 1 or zlib.crc32(f"{_SEED} {label} {number}".encode()) % _SHARE == 0


@schemathesis.hook
def filter_case(context, case):
    if not _is_drawn(case):
        return False
    return _violates_more_than_formats(case)


def _violates_more_than_formats(case):
    """Schemathesis takes any value for a violation of a format that it does not know, also digits that are a good number."""
    data = getattr(getattr(case.meta, "phase", None), "data", None)
    mutations = getattr(data, "mutations", None) or ()
    only_format = len(mutations) > 0 and all("format" in one.keywords for one in mutations)
    return not (only_format and "/tb/" in case.operation.path)


# Drawn IDs name nothing: what fits stands for one that is there. What does not fit stays, to be refused.
_IDS = json.loads(os.environ.get("FUZZED_IDS", "{}"))
_FITTING = re.compile(r"[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}")


@schemathesis.hook
def before_call(context, case, kwargs):
    ids = {**_IDS.get("all", {}), **_IDS.get(case.operation.definition.raw.get("operationId"), {})}
    for name, value in list((case.path_parameters or {}).items()):
        if name in ids and _FITTING.fullmatch(str(value)):
            case.path_parameters[name] = ids[name]
