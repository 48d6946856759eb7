"""Tries every call that is open to administrators, as the owner of the machine."""

import pytest

from support.schemathesis import CHECKS, try_calls

pytestmark = pytest.mark.long


@pytest.mark.parametrize("mode", CHECKS)
def test_no_call_of_the_owner_answers_what_its_description_does_not_say(development, mode, tmp_path):
    try_calls(development, "owner", mode, tmp_path)
