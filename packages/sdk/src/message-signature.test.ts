import { describe, expect, test } from 'vitest';
import { checkMessageSignature } from '@/lib/merchants/api-keys/message-signature';
import { contentDigest, signMessage } from '@/testing/sign-message';
import { messageSignature, type Message } from './message-signature';
import { openMac } from './signature';

const KEYS = { apiKey: `ak_test_${'k'.repeat(32)}`, apiSecret: `as_test_${'s'.repeat(43)}` };
const NOW = 1_800_000_000;
const BODY = '{"amount":1}';
const message = (over: Partial<Message> = {}): Message => ({
  apiKey: KEYS.apiKey,
  method: 'POST',
  url: 'https://pay.example.com/api/v1/refunds/create',
  body: new TextEncoder().encode(BODY),
  timestamp: String(NOW),
  nonce: 'n-1',
  ...over,
});
const sign = async (over: Partial<Message> = {}) => messageSignature(await openMac(KEYS.apiSecret), message(over));

describe('the signature of a request', () => {
  test.each([
    ['without a query', '/api/v1/refunds/create', '/api/v1/refunds/create', ''],
    ['with a query', '/api/v1/refunds?limit=5&after=a%20b', '/api/v1/refunds', 'limit=5&after=a%20b'],
  ])('is the one of RFC 9421 and is accepted by the service: %s', async (_, target, path, query) => {
    const headers = await sign({ url: `https://pay.example.com${target}` });
    const independent = signMessage(KEYS, { method: 'POST', path: target, body: BODY, created: NOW, nonce: 'n-1' });
    expect(headers).toEqual({
      'content-digest': contentDigest(BODY),
      'signature-input': independent['Signature-Input'],
      signature: independent.Signature,
    });
    const request = {
      ...{ method: 'POST', path, query, body: Buffer.from(BODY), address: '127.0.0.1' },
      header: (name: string) => (headers[name] === undefined ? [] : [headers[name]]),
    };
    expect(checkMessageSignature(request, { apiKey: KEYS.apiKey, secret: KEYS.apiSecret, now: NOW })).toBe('n-1');
  });

  test('of an empty body covers the digest of nothing', async () => {
    const headers = await sign({ method: 'GET', body: new Uint8Array() });
    expect(headers['content-digest']).toBe(contentDigest(''));
  });

  test('differs for each part of the request', async () => {
    const changes: Partial<Message>[] = [
      {},
      { method: 'PUT' },
      { url: 'https://pay.example.com/api/v1/refunds/other' },
      { url: 'https://pay.example.com/api/v1/refunds/create?a' },
      { body: new TextEncoder().encode('{"amount":2}') },
      { timestamp: String(NOW + 1) },
      { nonce: 'n-2' },
      { apiKey: 'ak_test_other' },
    ];
    const signatures = await Promise.all(changes.map(async (one) => (await sign(one)).signature));
    expect(new Set(signatures).size).toBe(changes.length);
  });
});
