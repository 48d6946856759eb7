"""Tries every call that is open to a client of the project."""

import pytest

from support.schemathesis import CHECKS, try_calls

pytestmark = pytest.mark.long


@pytest.mark.parametrize("mode", CHECKS)
def test_no_call_of_a_client_answers_what_its_description_does_not_say(development, mode, tmp_path):
    try_calls(development, "client", mode, tmp_path)
