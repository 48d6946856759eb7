"""accounts:signInWithPassword: every row of its table of errors, in the order of the checks, and the tokens it leads to."""

from support.accounts import address, sign_up, update
from support.clients.api import assert_error
from support.jwts import claims
from support.names import METHODS
from support.servers.site import a_site


def test_a_sign_in_with_a_password(rest, demo):
    email = address()
    made = sign_up(demo, email, displayName="Ada")
    answer = demo.succeed("signInWithPassword", {"email": email.title(), "password": "correct horse", "returnSecureToken": True})
    assert answer["kind"] == "identitytoolkit#VerifyPasswordResponse" and answer["registered"] is True
    assert answer["localId"] == made["localId"] and answer["displayName"] == "Ada" and answer["expiresIn"] == "3600"
    assert claims(answer["idToken"])["auth_time"] >= claims(made["idToken"])["auth_time"]


def test_the_errors_of_a_sign_in_in_order(rest, demo, opened):
    closed = rest.servers[0].api("closed-project-key")
    assert_error(closed.call("signInWithPassword", {}), "PASSWORD_LOGIN_DISABLED")
    assert_error(demo.call("signInWithPassword", {}), "MISSING_EMAIL")
    assert_error(demo.call("signInWithPassword", {"email": "no address"}), "INVALID_EMAIL")
    assert_error(demo.call("signInWithPassword", {"email": "a@example.com"}), "MISSING_PASSWORD")
    email = address()
    for api in (demo, opened):
        sign_up(api, email)
    unknown = {"email": "nobody@example.com", "password": "correct horse"}
    wrong = {"email": email, "password": "battery staple"}
    assert_error(opened.call("signInWithPassword", unknown), "EMAIL_NOT_FOUND")
    assert_error(opened.call("signInWithPassword", wrong), "INVALID_PASSWORD")
    assert_error(demo.call("signInWithPassword", unknown), "INVALID_LOGIN_CREDENTIALS")
    assert_error(demo.call("signInWithPassword", wrong), "INVALID_LOGIN_CREDENTIALS")


def test_SEC_15_an_unknown_address_a_wrong_password_and_a_disabled_account_look_alike(rest, demo):
    email, disabled = address(), address()
    sign_up(demo, email)
    gone = sign_up(demo, disabled)
    rest.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", gone["localId"])
    bodies = {
        demo.call("signInWithPassword", {"email": who, "password": "wrong password"}).text
        for who in ("nobody@example.com", email, disabled)
    }
    assert len(bodies) == 1
    # A caller who knows the password learns it.
    assert_error(demo.call("signInWithPassword", {"email": disabled, "password": "correct horse"}), "USER_DISABLED")


def test_a_password_of_another_project_opens_nothing(rest, demo, opened):
    email = address()
    sign_up(demo, email)
    assert_error(opened.call("signInWithPassword", {"email": email, "password": "correct horse"}), "EMAIL_NOT_FOUND")


def test_long_and_strange_passwords(rest, demo):
    for password in ("ü" * 100, "😀" * 6, "a" * 4096, " " * 6, "nul\x00byte"):
        email = address()
        sign_up(demo, email, password)
        assert demo.call("signInWithPassword", {"email": email, "password": password}).status_code == 200
        assert demo.call("signInWithPassword", {"email": email, "password": password + "x"}).status_code == 400
    assert_error(demo.call("signUp", {"email": address(), "password": "a" * 4097}), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    assert_error(demo.call("signInWithPassword", {"email": address(), "password": "a" * 60_000}), "INVALID_LOGIN_CREDENTIALS")


def test_the_policy_of_a_project(rest):
    api = rest.servers[0].api("policy-project-key")
    message = assert_error(api.call("signUp", {"email": address(), "password": "short"}), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    assert message == (
        "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain at least 10 characters, "
        "Password must contain a numeric character]"
    )
    email = address()
    made = sign_up(api, email, "long enough 1")
    assert_error(api.call("update", {"idToken": made["idToken"], "password": "short"}), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    # A password from before the policy has to be replaced at sign-in.
    old = rest.servers[0].api("open-project-key")
    before = sign_up(old, email, "simple")
    hashed = rest.value("SELECT password_hash FROM accounts WHERE account_id = %s", before["localId"])
    rest.rows("UPDATE accounts SET password_hash = %s WHERE account_id = %s", hashed, made["localId"])
    assert_error(api.call("signInWithPassword", {"email": email, "password": "simple"}), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")


def test_a_hash_of_other_parameters_is_renewed_at_sign_in(rest, demo):
    email = address()
    made = sign_up(demo, email)
    with a_site(
        project={"signIn": METHODS}, settings={"passwordHashing": {"scrypt": {"cost": 12}}}, database=rest.database, migrate=False
    ) as other:
        other.master_key = rest.master_key
        other.write()
        other.serve()
        assert other.servers[0].api().call("signInWithPassword", {"email": email, "password": "correct horse"}).status_code == 200
    stored = rest.value("SELECT password_hash FROM accounts WHERE account_id = %s", made["localId"])
    assert stored.startswith("$scrypt$ln=12,r=8,p=1$")
    assert demo.call("signInWithPassword", {"email": email, "password": "correct horse"}).status_code == 200
    assert rest.value("SELECT password_hash FROM accounts WHERE account_id = %s", made["localId"]).startswith("$scrypt$ln=14,r=8,p=1$")


def test_a_project_with_static_refresh_tokens(rest):
    api = rest.servers[0].api("static-project-key")
    made = sign_up(api)
    for _ in range(3):
        answer = api.refresh(made["refreshToken"]).json()
        assert answer["refresh_token"] == made["refreshToken"]
    update(api, made["idToken"], password="battery staple")
    assert_error(api.refresh(made["refreshToken"]), "TOKEN_EXPIRED")


def test_SEC_74_the_last_refresh_is_told_by_the_day_from_the_first_sign_in_on(demo):
    made = sign_up(demo)
    assert demo.lookup(made["idToken"])["lastRefreshAt"].rstrip("Z").removesuffix(".000").endswith("T00:00:00")
