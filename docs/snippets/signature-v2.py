# Creates a payment session and reads it again, signed with version 2 (RFC 9421). Python 3.8 or later, no packages.
import base64
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.request
import uuid

BASE_URL = os.environ["STABLETILL_URL"]
API_KEY = os.environ["STABLETILL_API_KEY"]
API_SECRET = os.environ["STABLETILL_API_SECRET"]


# [sign]
def signed_headers(method: str, path: str, body: bytes) -> dict:
    pathname, _, query = path.partition("?")
    digest = "sha-256=:" + base64.b64encode(hashlib.sha256(body).digest()).decode() + ":"
    parameters = (
        '("@method" "@path" "@query" "content-digest")'
        f';created={int(time.time())};nonce="{uuid.uuid4()}"'
        f';keyid="{API_KEY}";alg="hmac-sha256";tag="stabletill-api"'
    )
    signature_base = "\n".join([
        f'"@method": {method}',
        f'"@path": {pathname}',
        f'"@query": ?{query}',
        f'"content-digest": {digest}',
        f'"@signature-params": {parameters}',
    ])
    signature = hmac.new(API_SECRET.encode(), signature_base.encode(), hashlib.sha256).digest()
    return {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {API_KEY}",
        "Content-Digest": digest,
        "Signature-Input": "sig1=" + parameters,
        "Signature": "sig1=:" + base64.b64encode(signature).decode() + ":",
    }
# [/sign]


def call(method, path, content=None):
    # The bytes that are signed are the bytes that are sent. A GET signs the empty text.
    body = b"" if content is None else json.dumps(content).encode()
    request = urllib.request.Request(
        BASE_URL + path, data=body or None, headers=signed_headers(method, path, body), method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        error = json.load(refused)["error"]
        raise SystemExit(f"{error['code']}: {error['message']} {error['doc_url']}")


session = call("POST", "/api/v1/checkout/sessions/create", {
    "amount": 1250,
    "currency": "USD",
    "order_id": f"order-{uuid.uuid4()}",
})
print(f"Redirect the customer to {session['url']}")

same = call("GET", f"/api/v1/checkout/sessions/{session['id']}")
print(f"{same['id']} is {same['payment_status']} ({same['status']})")
