"""Authlib's session for requests, as it is: metadata, state and errors checked by the library."""

import os
from urllib.parse import parse_qs, urlsplit

# Its documented switch for an issuer without TLS, as tests have it on loopback.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc6749.errors import MismatchingStateException
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url

from conversation import expect_error, run, settings, visit

server = AuthorizationServerMetadata(
    requests.get(get_well_known_url(settings["issuer"], external=True), timeout=10).json()
)
server.validate()


def session(auth_method="client_secret_basic", **options):
    return OAuth2Session(
        settings["clientId"],
        options.pop("client_secret", settings["clientSecret"]),
        scope=settings["scope"],
        redirect_uri=settings["redirectUri"],
        code_challenge_method="S256",
        token_endpoint_auth_method=auth_method,
        revocation_endpoint_auth_method=auth_method,
        **options,
    )


def authorize(client, decision="approve"):
    """Sends the person through; returns what came back, and how to exchange it."""
    verifier = generate_token(48)
    url, client.state = client.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
    callback = visit(url, decision)
    exchange = lambda: client.fetch_token(
        server["token_endpoint"], authorization_response=callback, code_verifier=verifier
    )
    return callback, exchange


def flow(auth_method):
    renewed = []
    client = session(
        auth_method,
        token_endpoint=server["token_endpoint"],
        update_token=lambda token, **_: renewed.append(token),
    )
    _, exchange = authorize(client)
    first = exchange()
    assert (first["token_type"], first["expires_in"], first["scope"]) == ("Bearer", 3600, settings["scope"])
    assert client.get(settings["api"]).json()["id"] == settings["businessId"]

    second = client.refresh_token(server["token_endpoint"], refresh_token=first["refresh_token"])
    assert second["refresh_token"] != first["refresh_token"]

    # What is over is renewed by the library on its own.
    client.token["expires_at"] = 1
    assert client.get(settings["api"]).status_code == 200
    assert len(renewed) == 2 and client.token["access_token"] != second["access_token"]

    last = dict(client.token)
    answer = client.revoke_token(
        server["revocation_endpoint"], token=last["refresh_token"], token_type_hint="refresh_token"
    )
    assert (answer.status_code, answer.json()) == (200, {})
    assert client.get(settings["api"]).status_code == 401
    refresh = lambda: client.refresh_token(server["token_endpoint"], refresh_token=last["refresh_token"])
    expect_error(OAuthError, refresh, error="invalid_grant")


def denied():
    # The library looks for a code alone. What came instead is its caller's to read, and buys nothing.
    callback, exchange = authorize(session(), "deny")
    answer = parse_qs(urlsplit(callback).query)
    assert (answer["error"], answer["iss"]) == (["access_denied"], [server["issuer"]])
    expect_error(OAuthError, exchange, error="unsupported_grant_type")


def state():
    client = session()
    _, exchange = authorize(client)
    client.state = "another"
    expect_error(MismatchingStateException, exchange)


def secret(auth_method):
    _, exchange = authorize(session(auth_method, client_secret="cs_wrong"))
    expect_error(OAuthError, exchange, error="invalid_client")


run({"flow": flow, "denied": denied, "state": state, "secret": secret})
