"""What `support/plans.py` makes of plans, as PostgreSQL logs them."""

import pytest

from support.plans import fault_of

PINNED = """\tIndex Scan using accounts_email on accounts_p2 a  (cost=0.14..10.84 rows=1 width=373)
\t  Index Cond: ((project_id = 'demo'::text) AND (email > 'a'::text))
"""


def below(condition):
    return f"""\t  SubPlan 1
\t    ->  Append  (cost=0.14..8.68 rows=4 width=32)
\t          ->  Seq Scan on identities_p0 i_1  (cost=0.14..2.17 rows=1 width=32)
\t                Filter: {condition}
\t          ->  Seq Scan on identities_p1 i_2  (cost=0.14..2.17 rows=1 width=32)
\t                Filter: {condition}
"""


@pytest.mark.parametrize(
    "plan, fault",
    [
        (PINNED, None),
        ("\tResult  (cost=0.00..0.01 rows=1 width=4)\n", None),
        (PINNED + below("((project_id = a.project_id) AND (account_id = a.account_id))"), None),
        (PINNED + below("(project_id = 'demo'::text)"), None),
        (PINNED + below("(project_id = 'other'::text)"), "names the projects 'demo', 'other'"),
        (PINNED + below("(project_id = wanted.project_id)"), "reads identities of all projects"),
        (PINNED + below("(project_id = ANY ('{demo,other}'::text[]))"), "reads identities of all projects"),
        (below("(account_id = 'ada'::text)"), "reads identities of all projects"),
    ],
)
def test_a_plan_is_about_one_project_or_has_a_fault(plan, fault):
    assert fault_of(plan) == fault
