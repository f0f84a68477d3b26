# Receives webhooks, and believes only those that are genuine. Python 3.8 or later, no packages.
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["STABLETILL_WEBHOOK_SECRET"]


# [verify]
# raw_body: the bytes as they arrived, before anything parsed them.
def is_genuine(headers, raw_body: bytes) -> bool:
    timestamp = headers.get("X-Service-Timestamp", "")
    nonce = headers.get("X-Service-Nonce", "")
    signature = headers.get("X-Service-Signature", "")
    if not re.fullmatch(r"[0-9]{10}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    if not re.fullmatch(r"[0-9a-f]{64}", signature):
        return False
    sign_string = f"{timestamp}.{nonce}.".encode() + raw_body
    expected = hmac.new(SECRET.encode(), sign_string, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)
# [/verify]


# A delivery can arrive twice. In production the ids live in your database, for 30 days.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_genuine(self.headers, raw_body):
            self.answer(401, b"")
            return
        event_id = self.headers["X-Service-Event-ID"]
        if event_id not in seen:
            seen.add(event_id)
            event = json.loads(raw_body)
            # Put it into your queue here, and do the work after the answer.
            print(event["type"], event["data"]["object"]["order_id"], flush=True)
        self.answer(200, b'{"received":true}')

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
