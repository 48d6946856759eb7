"""Tests of a whole table, where each row is a lookup or a single call: one test, which names every row that is wrong."""

import inspect


def for_each(rows, issuer=None):
    """Calls the decorated test with each row, or with the members of each tuple, and with the fixtures that it names behind them.

    `issuer`: a fixture of several issuers, for rows that the server judges alike whichever issuer it is: all rows at `oidc.fake`, one at the others.
    """
    rows = [row if type(row) is tuple else (row,) for row in rows]
    assert rows

    def decorate(test):
        def test_of_all(**fixtures):
            wrong = []
            for row in rows if issuer is None or fixtures[issuer].provider == "oidc.fake" else rows[:1]:
                try:
                    test(*row, **fixtures)
                except AssertionError as error:
                    wrong.append(f"{', '.join(map(str, row))[:200]}: {error}")
            assert not wrong, "\n".join(wrong)

        parameters = list(inspect.signature(test).parameters.values())
        test_of_all.__signature__ = inspect.Signature(parameters[len(rows[0]) :])
        test_of_all.__name__, test_of_all.__doc__ = test.__name__, test.__doc__
        return test_of_all

    return decorate
