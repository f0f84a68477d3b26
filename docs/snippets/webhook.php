<?php
// Receives webhooks, and believes only those that are genuine. PHP 8.1 or later, no packages.
// Try it with: php -S 127.0.0.1:8080 webhook.php

$setting = fn (string $name): string => getenv($name) ?: throw new RuntimeException("Set the environment variable $name");
$secret = $setting('STABLETILL_WEBHOOK_SECRET');

// [verify]
// $rawBody: the bytes as they arrived, before anything parsed them.
function isGenuine(array $server, string $rawBody, string $secret): bool
{
    $timestamp = $server['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
    $nonce = $server['HTTP_X_SERVICE_NONCE'] ?? '';
    $signature = $server['HTTP_X_SERVICE_SIGNATURE'] ?? '';
    if (!preg_match('/^[0-9]{10}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $expected = hash_hmac('sha256', $timestamp . '.' . $nonce . '.' . $rawBody, $secret);
    return hash_equals($expected, $signature);
}
// [/verify]

$rawBody = file_get_contents('php://input');
if (!isGenuine($_SERVER, $rawBody, $secret)) {
    http_response_code(401);
    exit;
}

// A delivery can arrive twice. In production the ids live in your database, for 30 days.
$seen = sys_get_temp_dir() . '/stabletill-' . hash('sha256', $_SERVER['HTTP_X_SERVICE_EVENT_ID']);
$first = @fopen($seen, 'x');
if ($first !== false) {
    $event = json_decode($rawBody, true, 32, JSON_THROW_ON_ERROR);
    // Put it into your queue here, and do the work after the answer.
    file_put_contents('php://stdout', $event['type'] . ' ' . $event['data']['object']['order_id'] . "\n");
}
header('Content-Type: application/json');
echo '{"received":true}';
