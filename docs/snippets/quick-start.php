<?php
// Creates a payment session and reads it again. PHP 8.1 or later, no packages.

$setting = fn (string $name): string => getenv($name) ?: throw new RuntimeException("Set the environment variable $name");
$baseUrl = $setting('STABLETILL_URL');
$apiKey = $setting('STABLETILL_API_KEY');
$apiSecret = $setting('STABLETILL_API_SECRET');

// [sign]
function signedHeaders(string $apiKey, string $apiSecret, string $body): array
{
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $signString = $timestamp . '.' . $nonce . '.' . $body;
    return [
        'Content-Type: application/json',
        'Authorization: Bearer ' . $apiKey,
        'X-Service-Timestamp: ' . $timestamp,
        'X-Service-Nonce: ' . $nonce,
        'X-Service-Signature: ' . hash_hmac('sha256', $signString, $apiSecret),
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
        'header' => signedHeaders($apiKey, $apiSecret, $body),
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
