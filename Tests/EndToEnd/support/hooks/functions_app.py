"""Blocking functions as people have them for Firebase, by the unmodified `firebase-functions`. It alone fetches certificates elsewhere than at
Google: at `CERTIFICATES`."""

import os

from firebase_admin import _token_gen
from firebase_functions import https_fn, identity_fn
from flask import Flask, request

_token_gen.ID_TOKEN_CERT_URI = os.environ["CERTIFICATES"]


@identity_fn.before_user_created()
def create(event):
    if (event.data.email or "").endswith("@blocked.example"):
        raise https_fn.HttpsError(https_fn.FunctionsErrorCode.PERMISSION_DENIED, "Not with : this address.")
    return identity_fn.BeforeCreateResponse(display_name="Made by a function", custom_claims={"role": "reader", "level": 1})


@identity_fn.before_user_signed_in()
def sign_in(event):
    seen = {
        "uid": event.data.uid,
        "event": event.event_id,
        "address": event.ip_address,
        "locale": event.locale,
        "method": event.additional_user_info.provider_id,
        "profile": event.additional_user_info.profile,
        "providers": [provider.provider_id for provider in event.data.provider_data],
        "token": event.credential.access_token if event.credential else None,
        "factors": [factor.factor_id for factor in event.data.multi_factor.enrolled_factors] if event.data.multi_factor else [],
    }
    return identity_fn.BeforeSignInResponse(session_claims={"seen": seen, "level": 2})


app = Flask(__name__)
app.add_url_rule("/create", view_func=lambda: create(request), endpoint="create", methods=["POST"])
app.add_url_rule("/sign-in", view_func=lambda: sign_in(request), endpoint="sign-in", methods=["POST"])
app.add_url_rule("/", view_func=lambda: "", endpoint="ready")
app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
