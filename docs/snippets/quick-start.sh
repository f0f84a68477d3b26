# Creates a payment session and reads it again. Any POSIX shell with curl and openssl.
set -eu
: "${STABLETILL_URL:?Set the environment variable STABLETILL_URL}"
: "${STABLETILL_API_KEY:?Set the environment variable STABLETILL_API_KEY}"
: "${STABLETILL_API_SECRET:?Set the environment variable STABLETILL_API_SECRET}"

# The bytes that are signed are the bytes that are sent. A GET signs the empty text.
# [sign]
call() { # method, path, body
  timestamp=$(date +%s)
  nonce=$(openssl rand -hex 16)
  signature=$(printf '%s' "$timestamp.$nonce.$3" |
    openssl dgst -sha256 -hmac "$STABLETILL_API_SECRET" -r | cut -d' ' -f1)
  curl -sS --fail-with-body -X "$1" "$STABLETILL_URL$2" \
    -H 'Content-Type: application/json' \
    -H "Authorization: Bearer $STABLETILL_API_KEY" \
    -H "X-Service-Timestamp: $timestamp" \
    -H "X-Service-Nonce: $nonce" \
    -H "X-Service-Signature: $signature" \
    ${3:+--data-binary "$3"}
}
# [/sign]

# Enough for these flat texts; a real program uses jq.
field() { printf '%s' "$1" | sed -n "s/.*\"$2\":\"\([^\"]*\)\".*/\1/p"; }

session=$(call POST /api/v1/checkout/sessions/create '{
  "amount": 1250,
  "currency": "USD",
  "order_id": "order-'"$(openssl rand -hex 8)"'"
}') || { echo "$session" >&2; exit 1; }
echo "Redirect the customer to $(field "$session" url)"

same=$(call GET "/api/v1/checkout/sessions/$(field "$session" id)" '')
echo "$(field "$same" id) is $(field "$same" payment_status) ($(field "$same" status))"
