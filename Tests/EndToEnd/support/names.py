"""The test project as all tests know it: its ids, keys, apps and ways to sign in."""

import secrets

API_KEY = "demo-api-key"
PROJECT = "demo"
NUMBER = "100000000001"
CLIENT_SECRET = "a-client-secret-" + secrets.token_hex(8)
# Only ends a test that hangs; no machine is this slow.
TIMEOUT = 120
ANDROID = {"package": "com.example.droid", "sha1": "da39a3ee5e6b4b0d3255bfef95601890afd80709"}
APPLE = {"bundleId": "com.example.apple", "clientId": "7-a1b2.apps.googleusercontent.com", "appId": "1:7:ios:a1b2"}
APPS = [{"ios": APPLE}, {"android": ANDROID}]
# The ways to sign in without a provider.
METHODS = {"password": True, "anonymous": True, "emailLink": True}
# A project that lets guests in: their sign-up is the shortest call that writes.
GUESTS = {"signIn": {"anonymous": True}}
# Settings of a server in production.
PRODUCTION = {"development": False, "publicURL": "https://auth.example.com"}
# A project beside the test project.
OTHER = {"project": "other", "number": 200000000002, "apiKeys": ["other-api-key"], "authorizedDomains": ["other.example.com"]}
