"""Tenants by the Admin SDK: made, changed, listed and deleted, and the people of one.

`tenant_mgt` of the SDK does not know the emulator, so tenants are made as in production; the calls about their people run there as well.
"""

import pytest
from firebase_admin import auth, tenant_mgt

from support.accounts import person
from support.clients.api import API, assert_error
from support.harness import free_port, wait_until
from support.jwts import claims, wait_past
from support.names import PROJECT

PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def stage(stages):
    return stages("production")


@pytest.fixture
def tenant(stage):
    return made(stage, allow_password_sign_up=True)


def made(stage, name="Customer-A", **fields):
    return stage.sdk.call("tenant_mgt", "create_tenant", display_name=name, **fields)


def signed_in(stage, tenant, email, password=PASSWORD):
    body = {"email": email, "password": password, "returnSecureToken": True, "tenantId": tenant.tenant_id}
    return stage.api.succeed("signInWithPassword", body)


def test_a_tenant_is_made_changed_listed_and_deleted(stage):
    tenant = made(stage, "Some-Shop", allow_password_sign_up=True, enable_email_link_sign_in=True)
    assert tenant.tenant_id.startswith("some-shop-") and tenant.display_name == "Some-Shop"
    assert (tenant.allow_password_sign_up, tenant.enable_email_link_sign_in) == (True, True)
    read = stage.sdk.call("tenant_mgt", "get_tenant", tenant.tenant_id)
    assert (read.tenant_id, read.display_name, read.allow_password_sign_up) == (tenant.tenant_id, "Some-Shop", True)
    changed = stage.sdk.call("tenant_mgt", "update_tenant", tenant.tenant_id, display_name="Other-Shop", allow_password_sign_up=False)
    assert (changed.display_name, changed.allow_password_sign_up, changed.enable_email_link_sign_in) == ("Other-Shop", False, True)
    others = [made(stage).tenant_id for _ in range(3)]
    pages = stage.sdk.tenant_pages(2)
    listed = [id for page in pages for id in page]
    assert {tenant.tenant_id, *others} <= set(listed) and listed == sorted(set(listed)) and all(len(page) <= 2 for page in pages)
    stage.sdk.call("tenant_mgt", "delete_tenant", tenant.tenant_id)
    for call in (("get_tenant", tenant.tenant_id), ("delete_tenant", tenant.tenant_id)):
        with pytest.raises(tenant_mgt.TenantNotFoundError):
            stage.sdk.call("tenant_mgt", *call)
    with pytest.raises(tenant_mgt.TenantNotFoundError):
        stage.sdk.of_tenant(tenant.tenant_id).create_user()


def test_everything_is_off_until_it_is_switched_on(stage):
    tenant = made(stage)
    assert not tenant.allow_password_sign_up and not tenant.enable_email_link_sign_in
    body = {"email": "ada@example.com", "password": PASSWORD, "tenantId": tenant.tenant_id}
    assert_error(stage.api.call("signUp", body), "OPERATION_NOT_ALLOWED")
    assert_error(stage.api.call("signUp", {"tenantId": tenant.tenant_id}), "ADMIN_ONLY_OPERATION")
    assert_error(
        stage.api.call("sendVerificationCode", {"phoneNumber": "+16505550101", "tenantId": tenant.tenant_id}),
        "UNSUPPORTED_TENANT_OPERATION",
    )


def test_the_same_address_is_another_person_in_each_realm(stage, tenant):
    other, email = made(stage, allow_password_sign_up=True), f"{person()}@example.com"
    realms = {
        None: stage.sdk,
        tenant.tenant_id: stage.sdk.of_tenant(tenant.tenant_id),
        other.tenant_id: stage.sdk.of_tenant(other.tenant_id),
    }
    users = {name: realm.create_user(email=email, password=f"{PASSWORD} {name}", phone_number=None) for name, realm in realms.items()}
    assert len({user.uid for user in users.values()}) == 3
    for name, realm in realms.items():
        found = realm.get_user_by_email(email)
        assert (found.uid, found.tenant_id) == (users[name].uid, name)
        for stranger in set(realms) - {name}:
            with pytest.raises(auth.UserNotFoundError):
                realm.get_user(users[stranger].uid)
    with pytest.raises(auth.EmailAlreadyExistsError):
        realms[tenant.tenant_id].create_user(email=email)
    assert_error(
        stage.api.call("signInWithPassword", {"email": email, "password": f"{PASSWORD} None", "tenantId": tenant.tenant_id}),
        "INVALID_LOGIN_CREDENTIALS",
    )


def test_tokens_name_the_tenant(stage, tenant):
    people, email = stage.sdk.of_tenant(tenant.tenant_id), f"{person()}@example.com"
    user = people.create_user(email=email, password=PASSWORD)
    session = signed_in(stage, tenant, email)
    assert claims(session["idToken"])["firebase"]["tenant"] == tenant.tenant_id
    assert people.verify_id_token(session["idToken"], check_revoked=True)["uid"] == user.uid
    elsewhere = stage.sdk.of_tenant(made(stage).tenant_id)
    with pytest.raises(tenant_mgt.TenantIdMismatchError):
        elsewhere.verify_id_token(session["idToken"])
    cookie = stage.sdk.create_session_cookie(session["idToken"], expires_in=3600)
    assert stage.sdk.verify_session_cookie(cookie)["firebase"]["tenant"] == tenant.tenant_id
    wait_past(session["idToken"])
    people.revoke_refresh_tokens(user.uid)
    with pytest.raises(auth.RevokedIdTokenError):
        people.verify_id_token(session["idToken"], check_revoked=True)
    assert_error(stage.api.refresh(session["refreshToken"]), "TOKEN_EXPIRED")


def test_a_refresh_token_leads_to_its_tenant_by_itself(stage, tenant):
    email = f"{person()}@example.com"
    user = stage.sdk.of_tenant(tenant.tenant_id).create_user(email=email, password=PASSWORD)
    refreshed = stage.api.refresh(signed_in(stage, tenant, email)["refreshToken"])
    assert refreshed.status_code == 200 and refreshed.json()["user_id"] == user.uid
    assert claims(refreshed.json()["id_token"])["firebase"]["tenant"] == tenant.tenant_id
    assert stage.api.lookup(refreshed.json()["id_token"])["tenantId"] == tenant.tenant_id


def test_a_custom_token_signs_in_to_its_tenant(stage, tenant):
    people = stage.sdk.of_tenant(tenant.tenant_id)
    token = people.create_custom_token("ada", {"role": "reader"})
    assert claims(token)["tenant_id"] == tenant.tenant_id
    session = stage.api.succeed("signInWithCustomToken", {"token": token, "returnSecureToken": True, "tenantId": tenant.tenant_id})
    said = people.verify_id_token(session["idToken"])
    assert (said["uid"], said["role"], said["firebase"]["tenant"]) == ("ada", "reader", tenant.tenant_id)
    assert people.get_user("ada").tenant_id == tenant.tenant_id
    for wrong in (made(stage).tenant_id, "not-there"):
        assert_error(
            stage.api.call("signInWithCustomToken", {"token": token, "tenantId": wrong}),
            "TENANT_ID_MISMATCH" if wrong != "not-there" else "TENANT_NOT_FOUND",
        )
    own = stage.sdk.create_custom_token("ada")
    assert_error(stage.api.call("signInWithCustomToken", {"token": own, "tenantId": tenant.tenant_id}), "TENANT_ID_MISMATCH")


def test_links_users_and_imports_of_a_tenant(stage, tenant):
    people, email = stage.sdk.of_tenant(tenant.tenant_id), f"{person()}@example.com"
    people.create_user(email=email, password=PASSWORD)
    link = people.generate_password_reset_link(email)
    assert f"tenantId={tenant.tenant_id}" in link
    code = link.split("oobCode=")[1].split("&")[0]
    body = {"oobCode": code, "newPassword": "another horse"}
    assert_error(stage.api.call("resetPassword", body), "INVALID_OOB_CODE")
    assert stage.api.succeed("resetPassword", {**body, "tenantId": tenant.tenant_id})["email"] == email
    assert signed_in(stage, tenant, email, "another horse")["localId"]
    result = people.import_users([auth.ImportUserRecord("imported", email=f"{person()}@example.com")])
    assert result.success_count == 1 and people.get_user("imported").tenant_id == tenant.tenant_id
    listed = stage.sdk.process.do("tenant_users", stage.sdk.name, tenant.tenant_id)
    assert {user.uid for user in listed} == {"imported", people.get_user_by_email(email).uid}
    people.delete_users(["imported"])
    people.update_user(people.get_user_by_email(email).uid, disabled=True)
    assert_error(
        stage.api.call("signInWithPassword", {"email": email, "password": "another horse", "tenantId": tenant.tenant_id}), "USER_DISABLED"
    )


def test_a_tenant_that_is_switched_off_lets_no_one_in(stage, tenant):
    people, email = stage.sdk.of_tenant(tenant.tenant_id), f"{person()}@example.com"
    people.create_user(email=email, password=PASSWORD)
    session = signed_in(stage, tenant, email)
    stage.sdk.process.do("tenant_patch", stage.sdk.name, tenant.tenant_id, {"disableAuth": True})
    assert_error(stage.api.call("lookup", {"idToken": session["idToken"]}), "PROJECT_DISABLED")
    assert_error(stage.api.refresh(session["refreshToken"]), "PROJECT_DISABLED")
    assert people.get_user_by_email(email).email == email, "administrators still see it"
    stage.sdk.process.do("tenant_patch", stage.sdk.name, tenant.tenant_id, {"disableAuth": False})
    assert stage.api.refresh(session["refreshToken"]).status_code == 200


def test_what_a_deleted_tenant_had_is_deleted_later(stage, tenant):
    email = f"{person()}@example.com"
    stage.sdk.of_tenant(tenant.tenant_id).create_user(email=email, password=PASSWORD)
    session = signed_in(stage, tenant, email)
    stage.sdk.call("tenant_mgt", "delete_tenant", tenant.tenant_id)
    assert_error(
        stage.api.call("signInWithPassword", {"email": email, "password": PASSWORD, "tenantId": tenant.tenant_id}), "TENANT_NOT_FOUND"
    )
    assert_error(
        stage.api.refresh(session["refreshToken"]),
        "TOKEN_EXPIRED",
    )
    realm = f"{PROJECT}/{tenant.tenant_id}"
    assert stage.site.value("SELECT count(*) FROM accounts WHERE project_id = %s", realm) == 1
    assert stage.site.value("SELECT deleted_at IS NOT NULL FROM tenants WHERE tenant_id = %s", tenant.tenant_id)


def test_another_server_knows_a_new_tenant_at_once_and_a_change_soon(stage):
    server = stage.site.serve(free_port())
    try:
        tenant, email = made(stage, allow_password_sign_up=True), f"{person()}@example.com"
        elsewhere = API(server.url)
        body = {"email": email, "password": PASSWORD, "returnSecureToken": True, "tenantId": tenant.tenant_id}
        assert claims(elsewhere.succeed("signUp", body)["idToken"])["firebase"]["tenant"] == tenant.tenant_id
        stage.sdk.call("tenant_mgt", "update_tenant", tenant.tenant_id, allow_password_sign_up=False)
        wait_until(lambda: elsewhere.call("signInWithPassword", body).status_code == 400, what="the change to arrive")
    finally:
        server.stop()
