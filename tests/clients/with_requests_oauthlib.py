"""requests-oauthlib, as it is. It knows no metadata, and leaves PKCE to parameters of its caller."""

import base64
import hashlib
import os
import secrets

# Its documented switch for an issuer without TLS, as tests have it on loopback.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from oauthlib.oauth2 import (
    AccessDeniedError,
    InvalidClientError,
    InvalidGrantError,
    MismatchingStateError,
)
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from conversation import expect_error, run, settings, visit

ISSUER = settings["issuer"]
TOKEN_URL = f"{ISSUER}/v2/oauth/token"
CLIENT_ID = settings["clientId"]


def session(**options):
    return OAuth2Session(CLIENT_ID, scope=settings["scope"], redirect_uri=settings["redirectUri"], **options)


def credentials(place, client_secret=settings["clientSecret"]):
    """The secret, as arguments of the library's calls."""
    if place == "header":
        return {"auth": HTTPBasicAuth(CLIENT_ID, client_secret)}
    return {"client_secret": client_secret, "include_client_id": True}


def authorize(client, given, decision="approve"):
    """Sends the person through; returns how to exchange what came back."""
    verifier = secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    url, _ = client.authorization_url(
        f"{ISSUER}/oauth/authorize", code_challenge=challenge, code_challenge_method="S256"
    )
    callback = visit(url, decision)
    return lambda: client.fetch_token(
        TOKEN_URL, authorization_response=callback, code_verifier=verifier, **given
    )


def flow(place):
    renewed = []
    pair = {"client_id": CLIENT_ID, "client_secret": settings["clientSecret"]}
    # For refreshes on its own, the library takes a secret for the body here, and one for the header with each request.
    in_body, with_request = (pair, {}) if place == "body" else ({}, pair)
    client = session(auto_refresh_url=TOKEN_URL, auto_refresh_kwargs=in_body, token_updater=renewed.append)
    first = authorize(client, credentials(place))()
    assert (first["token_type"], first["expires_in"]) == ("Bearer", 3600)
    assert client.get(settings["api"]).json()["id"] == settings["businessId"]

    given = {} if place == "body" else credentials("header")
    second = client.refresh_token(TOKEN_URL, **given)
    assert second["refresh_token"] != first["refresh_token"]

    # What is over is renewed by the library on its own.
    client.token = {**second, "expires_in": -10, "expires_at": 1}
    assert client.get(settings["api"], **with_request).status_code == 200
    (last,) = renewed
    assert last["access_token"] != second["access_token"]
    client.token = last

    url, headers, body = client._client.prepare_token_revocation_request(
        f"{ISSUER}/v2/oauth/revoke", last["refresh_token"], "refresh_token"
    )
    answer = requests.post(
        url, body, headers=headers, auth=HTTPBasicAuth(CLIENT_ID, settings["clientSecret"]), timeout=10
    )
    assert (answer.status_code, answer.json()) == (200, {})
    assert client.get(settings["api"]).status_code == 401
    expect_error(InvalidGrantError, lambda: client.refresh_token(TOKEN_URL, **given), status_code=400)


def denied():
    expect_error(AccessDeniedError, authorize(session(), credentials("header"), "deny"))


def state():
    client = session()
    exchange = authorize(client, credentials("header"))
    client._state = "another"
    expect_error(MismatchingStateError, exchange)


def secret(place):
    exchange = authorize(session(), credentials(place, "cs_wrong"))
    expect_error(InvalidClientError, exchange, status_code=401)


run({"flow": flow, "denied": denied, "state": state, "secret": secret})
