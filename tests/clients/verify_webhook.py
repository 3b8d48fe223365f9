"""Verifies requests with the Webhook class of a module. Reads JSON lines {secret, headers, body as base64}; writes one verdict per line."""

import base64
import importlib
import json
import sys

webhooks = importlib.import_module(sys.argv[1])

for line in sys.stdin:
    request = json.loads(line)
    try:
        body = base64.b64decode(request["body"])
        webhooks.Webhook(request["secret"]).verify(body, request["headers"])
        print("accepted")
    except webhooks.WebhookVerificationError:
        print("refused")
