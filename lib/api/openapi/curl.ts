// A call as a shell script that signs with openssl and sends with curl. Pure; a test runs what it makes.

/** `body`: the exact text to send, or null for none. Expects STABLETILL_URL, STABLETILL_API_KEY and STABLETILL_API_SECRET in the shell. */
export function curlSample({ method, path, body }: { method: string; path: string; body: string | null }): string {
  return [
    `BODY=${quoted(body ?? '')}`,
    'TIMESTAMP=$(date +%s)',
    'NONCE=$(openssl rand -hex 16)',
    `SIGNATURE=$(printf '%s' "$TIMESTAMP.$NONCE.$BODY" \\`,
    `  | openssl dgst -sha256 -hmac "$STABLETILL_API_SECRET" -r | cut -d' ' -f1)`,
    `curl -sS -X ${method} "$STABLETILL_URL${path}" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H "Authorization: Bearer $STABLETILL_API_KEY" \\`,
    `  -H "X-Service-Timestamp: $TIMESTAMP" \\`,
    `  -H "X-Service-Nonce: $NONCE" \\`,
    `  -H "X-Service-Signature: $SIGNATURE"${body === null ? '' : ' \\\n  --data-binary "$BODY"'}`,
  ].join('\n');
}

/** Text that the shell takes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
