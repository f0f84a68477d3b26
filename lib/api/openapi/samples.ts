// Generates a program for one API request in each language, complete and without packages. Pure; a test runs the programs.

/**
 * `body`: the exact JSON text to send, or null for none. The programs read STABLETILL_URL, STABLETILL_API_KEY and
 * STABLETILL_API_SECRET from the environment and print the answer.
 */
export type SampleCall = { readonly method: string; readonly path: string; readonly body: string | null };
export type Sample = {
  readonly id: 'node' | 'python' | 'php' | 'go' | 'curl';
  readonly title: string;
  readonly text: string;
};

export const samplesOf = (call: SampleCall): Sample[] => [
  { id: 'node', title: 'Node', text: nodeSample(call) },
  { id: 'python', title: 'Python', text: pythonSample(call) },
  { id: 'php', title: 'PHP', text: phpSample(call) },
  { id: 'go', title: 'Go', text: goSample(call) },
  { id: 'curl', title: 'curl', text: curlSample(call) },
];

const curlSample = ({ method, path, body }: SampleCall): string =>
  [
    `BODY=${shellQuoted(body ?? '')}`,
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

const nodeSample = ({
  method,
  path,
  body,
}: SampleCall): string => `import { createHmac, randomUUID } from 'node:crypto';

const { STABLETILL_URL, STABLETILL_API_KEY, STABLETILL_API_SECRET } = process.env;
const body = ${body === null ? `''` : `JSON.stringify(${JSON.stringify(JSON.parse(body), null, 2)})`};
const timestamp = String(Math.floor(Date.now() / 1000));
const nonce = randomUUID();
const signature = createHmac('sha256', STABLETILL_API_SECRET)
  .update(\`\${timestamp}.\${nonce}.\${body}\`)
  .digest('hex');
const answer = await fetch(STABLETILL_URL + ${quoted(path)}, {
  method: '${method}',
  headers: {
    'Content-Type': 'application/json',
    Authorization: 'Bearer ' + STABLETILL_API_KEY,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': signature,
  },${body === null ? '' : '\n  body,'}
});
console.log(await answer.text());`;

const pythonSample = ({
  method,
  path,
  body,
}: SampleCall): string => `import hashlib, hmac, os, time, urllib.error, urllib.request, uuid

body = ${quoted(body ?? '')}.encode()
timestamp = str(int(time.time()))
nonce = str(uuid.uuid4())
signed = f"{timestamp}.{nonce}.".encode() + body
request = urllib.request.Request(
    os.environ["STABLETILL_URL"] + ${quoted(path)},
    method="${method}",
    data=${body === null ? 'None' : 'body'},
    headers={
        "Content-Type": "application/json",
        "Authorization": "Bearer " + os.environ["STABLETILL_API_KEY"],
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": hmac.new(
            os.environ["STABLETILL_API_SECRET"].encode(), signed, hashlib.sha256
        ).hexdigest(),
    },
)
try:
    answer = urllib.request.urlopen(request, timeout=30)
except urllib.error.HTTPError as refusal:
    answer = refusal
print(answer.read().decode())`;

const phpSample = ({ method, path, body }: SampleCall): string => `<?php
$body = ${quoted(body ?? '')};
$timestamp = (string) time();
$nonce = bin2hex(random_bytes(16));
$signature = hash_hmac('sha256', "$timestamp.$nonce.$body", getenv('STABLETILL_API_SECRET'));
echo file_get_contents(getenv('STABLETILL_URL') . ${quoted(path)}, false, stream_context_create(['http' => [
    'method' => '${method}',
    'header' => [
        'Content-Type: application/json',
        'Authorization: Bearer ' . getenv('STABLETILL_API_KEY'),
        'X-Service-Timestamp: ' . $timestamp,
        'X-Service-Nonce: ' . $nonce,
        'X-Service-Signature: ' . $signature,
    ],
    'content' => $body,
    'ignore_errors' => true,
    'timeout' => 30,
]]));`;

const goSample = ({ method, path, body }: SampleCall): string => `package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	body := ${goQuoted(body ?? '')}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	nonce := hex.EncodeToString(random)
	mac := hmac.New(sha256.New, []byte(os.Getenv("STABLETILL_API_SECRET")))
	mac.Write([]byte(timestamp + "." + nonce + "." + body))
	request, err := http.NewRequest("${method}", os.Getenv("STABLETILL_URL")+${goQuoted(path)}, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+os.Getenv("STABLETILL_API_KEY"))
	request.Header.Set("X-Service-Timestamp", timestamp)
	request.Header.Set("X-Service-Nonce", nonce)
	request.Header.Set("X-Service-Signature", hex.EncodeToString(mac.Sum(nil)))
	client := http.Client{Timeout: 30 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}`;

/** Escapes text so that the shell reads it literally. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A literal of JavaScript, Python and PHP for text without line breaks. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

const goQuoted = (text: string): string => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);
