"""Verifies the passport of a request. Needs the package cryptography."""

import base64
import json
import threading
import time
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def _decode(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class PassportVerifier:
    """keys_url: of identity-service's public keys; audience: name of the upstream in its document; context: ssl.SSLContext."""

    def __init__(self, keys_url, audience, context=None):
        self._keys_url, self._audience, self._context = keys_url, audience, context
        self._keys, self._read_at = {}, float("-inf")
        self._reading = threading.Lock()

    def _key(self, kid):
        # A new key signs as soon as identity-service has it; a kid that is made up costs one request per second.
        if kid not in self._keys:
            with self._reading:
                self._read_again(kid)
        return self._keys.get(kid)

    def _read_again(self, kid):
        if kid in self._keys or time.monotonic() - self._read_at <= 1:
            return
        self._read_at = time.monotonic()
        with urllib.request.urlopen(self._keys_url, timeout=2, context=self._context) as response:
            keys = json.load(response)["keys"]
        self._keys = {key["kid"]: Ed25519PublicKey.from_public_bytes(_decode(key["x"])) for key in keys}

    def verify(self, token):
        """Returns the claims, or None for a token that is not valid. Raises OSError when the keys cannot be read."""
        try:
            head, body, signature = token.split(".")
            header = json.loads(_decode(head))
            key = self._key(header["kid"]) if header["alg"] == "EdDSA" else None
            if key is None:
                return None
            key.verify(_decode(signature), f"{head}.{body}".encode())
            claims = json.loads(_decode(body))
        except (ValueError, KeyError, TypeError, InvalidSignature):
            return None
        # Clocks may differ by five seconds.
        is_current = time.time() < claims.get("exp", 0) + 5
        expected = claims.get("iss") == "identity-service" and claims.get("aud") == self._audience
        return claims if expected and is_current else None
