"""The rule of phone numbers against PyPI's phonenumbers, the port of Google's libphonenumber."""

import random
import subprocess

import phonenumbers
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneNumberFormat, PhoneNumberType, ValidationResult

from support.harness import BINARY

# Regions that share a country code with a larger one, without digits of their own to tell them by.
PART_OF = {"GG": "GB", "JE": "GB", "CC": "AU", "CX": "AU", "YT": "RE", "BL": "GP", "MF": "GP"}
# Codes that belong to no country, such as those of satellites: nothing is sent there.
OF_NO_COUNTRY = {code for code, regions in COUNTRY_CODE_TO_REGION_CODE.items() if regions == ("001",)}


def regions(numbers):
    told = subprocess.run([BINARY, "phone-regions"], input="\n".join(numbers), capture_output=True, text=True, check=True, timeout=300)
    lines = told.stdout.splitlines()
    assert len(lines) == len(numbers)
    return {number: None if region == "-" else region for number, region in (line.split(" ") for line in lines)}


def parsed(text):
    """The number as the library reads it; `None` where it reads another number than the one that is written."""
    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        return None
    return number if phonenumbers.format_number(number, PhoneNumberFormat.E164) == text else None


def is_possible(number, text):
    """Whether the library finds that the number is possible from abroad, in a country, and in the form of E.164."""
    reason = phonenumbers.is_possible_number_with_reason(number)
    return reason == ValidationResult.IS_POSSIBLE and number.country_code not in OF_NO_COUNTRY and 8 <= len(text) <= 16


def test_every_example_of_every_region_is_possible_and_of_its_region():
    examples = {
        phonenumbers.format_number(number, PhoneNumberFormat.E164): region
        for region in phonenumbers.SUPPORTED_REGIONS
        for kind in PhoneNumberType.values()
        if (number := phonenumbers.example_number_for_type(region, kind)) is not None
    }
    found = regions(list(examples))
    # Numbers that can be called in their own area alone, or that have less than seven digits, get no messages from abroad.
    expected = {
        text: phonenumbers.region_code_for_number(number) for text in examples if is_possible(number := phonenumbers.parse(text), text)
    }
    assert len(expected) > 800
    wrong = {
        text: (region, found[text])
        for text, region in expected.items()
        if region is not None and found[text] != PART_OF.get(region, region)
    }
    assert not wrong


def test_100_000_random_numbers_are_judged_as_the_library_judges_them():
    chance = random.Random(44)
    codes = sorted(COUNTRY_CODE_TO_REGION_CODE)
    numbers = set()
    while len(numbers) < 100_000:
        length = chance.choice((3, 4, 5, 6, 7, 7, 8, 8, 9, 9, 9, 10, 10, 10, 11, 11, 12, 13))
        numbers.add(f"+{chance.choice(codes)}" + "".join(chance.choice("0123456789") for _ in range(length)))
    numbers = sorted(numbers)
    found = regions(numbers)
    wrong, compared, of_region = [], 0, 0
    for text in numbers:
        number = parsed(text)
        if number is None:
            continue
        compared += 1
        national = phonenumbers.national_significant_number(number)
        possible = is_possible(number, text)
        # A leading zero is a part of the number in few countries.
        if possible and national.startswith("0") and found[text] is None:
            assert not phonenumbers.is_valid_number(number), text
            continue
        region = phonenumbers.region_code_for_number(number)
        if possible != (found[text] is not None) or (possible and region and found[text] != PART_OF.get(region, region)):
            wrong.append((text, possible, region, found[text]))
        of_region += possible and region is not None
    assert not wrong, wrong[:20]
    # The comparison is about something.
    assert compared > 60_000 and of_region > 5_000
