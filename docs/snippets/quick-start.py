# Creates a payment session and reads it again. Python 3.8 or later, no packages.
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
def signed_headers(body: bytes) -> dict:
    timestamp = str(int(time.time()))
    nonce = str(uuid.uuid4())
    sign_string = f"{timestamp}.{nonce}.".encode() + body
    return {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {API_KEY}",
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": hmac.new(API_SECRET.encode(), sign_string, hashlib.sha256).hexdigest(),
    }
# [/sign]


def call(method, path, content=None):
    # The bytes that are signed are the bytes that are sent. A GET signs the empty text.
    body = b"" if content is None else json.dumps(content).encode()
    request = urllib.request.Request(
        BASE_URL + path, data=body or None, headers=signed_headers(body), method=method
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
