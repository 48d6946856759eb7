"""Tests of a whole table, where each row is a lookup and not a run: one test, which names every row that is wrong."""


def for_each(rows):
    """Calls the decorated test with each row, or with the members of each tuple."""

    def decorate(test):
        def test_of_all():
            wrong = []
            for row in rows:
                try:
                    test(*row) if type(row) is tuple else test(row)
                except AssertionError as error:
                    wrong.append(f"{row}: {error}")
            assert rows and not wrong, "\n".join(wrong)

        test_of_all.__name__, test_of_all.__doc__ = test.__name__, test.__doc__
        return test_of_all

    return decorate
