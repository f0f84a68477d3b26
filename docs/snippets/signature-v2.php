<?php
// Creates a payment session and reads it again, signed with version 2 (RFC 9421). PHP 8.1 or later, no packages.

$setting = fn (string $name): string => getenv($name) ?: throw new RuntimeException("Set the environment variable $name");
$baseUrl = $setting('STABLETILL_URL');
$apiKey = $setting('STABLETILL_API_KEY');
$apiSecret = $setting('STABLETILL_API_SECRET');

// [sign]
function signedHeaders(string $apiKey, string $apiSecret, string $method, string $path, string $body): array
{
    [$pathname, $query] = array_pad(explode('?', $path, 2), 2, '');
    $digest = 'sha-256=:' . base64_encode(hash('sha256', $body, true)) . ':';
    $parameters = '("@method" "@path" "@query" "content-digest")'
        . ';created=' . time() . ';nonce="' . bin2hex(random_bytes(16)) . '"'
        . ';keyid="' . $apiKey . '";alg="hmac-sha256";tag="stabletill-api"';
    $signatureBase = implode("\n", [
        '"@method": ' . $method,
        '"@path": ' . $pathname,
        '"@query": ?' . $query,
        '"content-digest": ' . $digest,
        '"@signature-params": ' . $parameters,
    ]);
    $signature = hash_hmac('sha256', $signatureBase, $apiSecret, true);
    return [
        'Content-Type: application/json',
        'Authorization: Bearer ' . $apiKey,
        'Content-Digest: ' . $digest,
        'Signature-Input: sig1=' . $parameters,
        'Signature: sig1=:' . base64_encode($signature) . ':',
    ];
}
// [/sign]

function call(string $method, string $path, ?array $content = null): array
{
    global $baseUrl, $apiKey, $apiSecret;
    // The bytes that are signed are the bytes that are sent. A GET signs the empty text.
    $body = $content === null ? '' : json_encode($content, JSON_THROW_ON_ERROR);
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => signedHeaders($apiKey, $apiSecret, $method, $path, $body),
        'content' => $body,
        'ignore_errors' => true,
        'timeout' => 30,
    ]]);
    $answer = file_get_contents($baseUrl . $path, false, $context);
    if ($answer === false) {
        throw new RuntimeException('The service could not be reached.');
    }
    $result = json_decode($answer, true, 32, JSON_THROW_ON_ERROR);
    if (isset($result['error'])) {
        $error = $result['error'];
        throw new RuntimeException($error['code'] . ': ' . $error['message'] . ' ' . $error['doc_url']);
    }
    return $result;
}

$session = call('POST', '/api/v1/checkout/sessions/create', [
    'amount' => 1250,
    'currency' => 'USD',
    'order_id' => 'order-' . bin2hex(random_bytes(8)),
]);
echo 'Redirect the customer to ' . $session['url'] . "\n";

$same = call('GET', '/api/v1/checkout/sessions/' . $session['id']);
echo $same['id'] . ' is ' . $same['payment_status'] . ' (' . $same['status'] . ")\n";
