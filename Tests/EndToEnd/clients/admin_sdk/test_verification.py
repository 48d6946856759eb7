"""The SDK's verification of ID tokens: what it accepts, and what it refuses in production alone."""

import jwt
import pytest
from firebase_admin import auth

from support.admin_sdk.tokens import forgeries
from support.names import PROJECT

CERTIFICATES = "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"


def sign_up(stage, **more):
    return stage.api.succeed("signUp", {"returnSecureToken": True, **more})


def refused(stage):
    """The forgeries that the SDK refuses, by what is wrong about them; and those that it accepts."""
    other = stage.other_api.succeed("signUp", {"returnSecureToken": True})["idToken"]
    keys = jwt.PyJWKClient(f"{stage.site.url}/{PROJECT}/oauth2/jwks")
    answers = {True: {}, False: {}}
    for what, token in forgeries(sign_up(stage)["idToken"], other, stage.expired, keys):
        try:
            answers[True][what] = stage.sdk.verify_id_token(token)
        except auth.InvalidIdTokenError as error:
            answers[False][what] = error
    return answers[False], answers[True]


def test_the_SDK_accepts_what_gatehouse_issues(stage, sdk):
    made = sign_up(stage, email="verified@example.com", password="correct horse")
    claims = sdk.verify_id_token(made["idToken"])
    assert (claims["uid"], claims["aud"], claims["email"]) == (made["localId"], PROJECT, "verified@example.com")
    assert claims["iss"] == f"https://securetoken.google.com/{PROJECT}"


def test_the_SDK_refuses_every_forgery_in_production(production_stage):
    errors, accepted = refused(production_stage)
    assert not accepted
    assert isinstance(errors.pop("expired"), auth.ExpiredIdTokenError)
    assert not any(isinstance(error, auth.ExpiredIdTokenError) for error in errors.values())


def test_the_SDK_verifies_nothing_in_emulator_mode(development_stage):
    """Why the pages for back ends warn of `FIREBASE_AUTH_EMULATOR_HOST`."""
    errors, accepted = refused(development_stage)
    assert set(errors) == {"of another project", "not a token"}
    assert accepted["with another account"]["uid"] == "victim" and "expired" in accepted


def test_only_the_back_end_trusts_the_authority_of_these_names(production_stage):
    """The certificate that Gatehouse shows for names of Google is worth nothing to other programs."""
    run = production_stage.process.run
    assert "BEGIN CERTIFICATE" in run(f"curl -sSf --cacert $REQUESTS_CA_BUNDLE {CERTIFICATES}")
    with pytest.raises(AssertionError, match="unable to get local issuer|self-signed|self signed"):
        run(f"curl -sSf --cacert /etc/ssl/certs/ca-certificates.crt {CERTIFICATES}")


def test_node_trusts_the_authority_by_its_own_variable(production_stage):
    script = f"console.log(Object.values(await (await fetch('{CERTIFICATES}')).json())[0].split('\\n')[0])"
    told = production_stage.process.run(
        f'node --input-type=module -e "{script}"', NODE_EXTRA_CA_CERTS="/etc/ssl/gatehouse-admin/authority.pem"
    )
    assert told.strip() == "-----BEGIN CERTIFICATE-----"


def test_the_authority_is_good_for_no_other_name(production_stage):
    """A certificate that it signs for another name, as after a theft of its key, is refused."""
    script = """
    cd /etc/ssl/gatehouse-admin
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj /CN=bank.example.com -keyout other.key -out other.csr 2>/dev/null
    openssl x509 -req -in other.csr -CA authority.pem -CAkey authority.key -CAcreateserial -out other.pem \
      -extfile <(echo subjectAltName=DNS:bank.example.com) 2>/dev/null
    openssl verify -CAfile authority.pem server.pem
    openssl verify -CAfile authority.pem other.pem 2>&1 || true
    """
    printed = production_stage.process.run(script)
    assert "server.pem: OK" in printed and "permitted subtree violation" in printed, printed
