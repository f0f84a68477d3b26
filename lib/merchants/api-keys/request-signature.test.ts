import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signatureOf } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiRequest } from '@/lib/platform/http';
import {
  bearerOf,
  checkNonce,
  checkSignature,
  checkTimestamp,
  isNonce,
  readApiKey,
  readSignedHeaders,
  TIMESTAMP_TOLERANCE_SECONDS,
} from './request-signature';

const NOW = 1_800_000_000;
const SECRET = 'as_test_secret';
const withHeaders = (headers: Readonly<Record<string, readonly string[]>>): ApiRequest => ({
  method: 'GET',
  path: '/',
  query: '',
  header: (name) => headers[name] ?? [],
  body: Buffer.alloc(0),
  address: '127.0.0.1',
});
/** The code and the parameter of the refusal. */
const refusalOf = (work: () => unknown): string | null => {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code} ${error.param}`;
    throw error;
  }
  return null;
};

describe('the API key', () => {
  const keyOf = (...values: string[]) => readApiKey(withHeaders({ authorization: values }));

  test.each(['Bearer ak_1', 'bearer ak_1', 'BEARER   ak_1'])('is read from %j', (value) => {
    expect(keyOf(value)).toBe('ak_1');
  });

  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearerak_1',
    'Basic ak_1',
    ' Bearer ak_1',
    'Bearer ak_1 ',
    'Bearer ak 1',
    'Bearer ak_1, Bearer ak_2',
    'xBearer ak_1',
    'Bearer schlüssel',
    `Bearer ${'k'.repeat(201)}`,
  ])('is not read from %j', (value) => {
    expect(refusalOf(() => keyOf(value))).toBe('invalid_api_key null');
  });

  test('of 200 characters is read; of two headers none is', () => {
    expect(bearerOf(`Bearer ${'k'.repeat(200)}`)).toBe('k'.repeat(200));
    expect(refusalOf(() => keyOf('Bearer ak_1', 'Bearer ak_1'))).toBe('invalid_api_key null');
    expect(refusalOf(() => keyOf())).toBe('invalid_api_key null');
  });
});

describe('the signing headers', () => {
  const complete = {
    'x-service-timestamp': [String(NOW)],
    'x-service-nonce': ['n-1'],
    'x-service-signature': ['ab'],
  };

  test('are read as they were sent', () => {
    expect(readSignedHeaders(withHeaders(complete))).toEqual({
      timestamp: String(NOW),
      nonce: 'n-1',
      signature: 'ab',
    });
  });

  test.each([
    ['x-service-timestamp', 'X-Service-Timestamp'],
    ['x-service-nonce', 'X-Service-Nonce'],
    ['x-service-signature', 'X-Service-Signature'],
  ])('must each be there once and not be empty: %s', (name, shown) => {
    for (const values of [[], [''], ['a', 'a'], ['a', '']]) {
      expect(refusalOf(() => readSignedHeaders(withHeaders({ ...complete, [name]: values })))).toBe(
        `missing_header ${shown}`,
      );
    }
  });
});

describe('the timestamp', () => {
  test('may be five minutes away in either direction, and no second more', () => {
    expect(TIMESTAMP_TOLERANCE_SECONDS).toBe(300);
    for (const away of [-300, 0, 300]) expect(refusalOf(() => checkTimestamp(String(NOW + away), NOW))).toBeNull();
    for (const away of [-301, 301]) {
      expect(refusalOf(() => checkTimestamp(String(NOW + away), NOW))).toBe(
        'timestamp_out_of_range X-Service-Timestamp',
      );
    }
  });

  test.each(['', '180000000', '18000000000', '1800000000.', ' 1800000000', '1800000000\n', '1.8e9', '0x6b49d200'])(
    'is exactly ten digits, not %j',
    (text) => {
      expect(refusalOf(() => checkTimestamp(text, NOW))).toBe('invalid_timestamp X-Service-Timestamp');
    },
  );
});

describe('the signature', () => {
  const body = Buffer.from('{"amount":1}');
  const headers = { timestamp: String(NOW), nonce: 'n-1' };
  const right = signatureOf(SECRET, headers.timestamp, headers.nonce, body).toString('hex');
  const check = (signature: string, over: object = {}, secret = SECRET, bytes: Uint8Array = body) =>
    refusalOf(() => checkSignature({ ...headers, signature, ...over }, bytes, secret));

  test('matches in hexadecimal digits of either case', () => {
    expect(check(right)).toBeNull();
    expect(check(right.toUpperCase())).toBeNull();
  });

  test('matches no other secret, time, nonce or body', () => {
    const refused = 'invalid_signature X-Service-Signature';
    expect(check(right, {}, 'as_test_other')).toBe(refused);
    expect(check(right, { timestamp: String(NOW + 1) })).toBe(refused);
    expect(check(right, { nonce: 'n-2' })).toBe(refused);
    expect(check(right, {}, SECRET, Buffer.from('{"amount":2}'))).toBe(refused);
  });

  test('of any other form is refused, also when its beginning matches', () => {
    for (const text of ['', right.slice(1), `${right}00`, ` ${right}`, `${right}\n`, right.replace(/^./, 'g')]) {
      expect(check(text)).toBe('invalid_signature X-Service-Signature');
    }
  });

  test('with any digit changed is refused', () => {
    fc.assert(
      fc.property(fc.nat({ max: 63 }), fc.integer({ min: 1, max: 15 }), (at, by) => {
        const digit = ((Number.parseInt(right.charAt(at), 16) + by) % 16).toString(16);
        expect(check(right.slice(0, at) + digit + right.slice(at + 1))).not.toBeNull();
      }),
    );
  });
});

describe('a nonce', () => {
  test('is 1 to 255 visible ASCII characters, without the ones that begin a body', () => {
    for (let code = 0; code < 0x180; code++) {
      const character = String.fromCharCode(code);
      const isVisible = code > 0x20 && code < 0x7f;
      expect(isNonce(`a${character}b`)).toBe(isVisible && character !== '{' && character !== '[');
    }
    expect([isNonce(''), isNonce('n'), isNonce('n'.repeat(255)), isNonce('n'.repeat(256))]).toEqual([
      ...[false, true, true, false],
    ]);
    expect(isNonce('n\n')).toBe(false);
  });

  test('of another form is refused by name', () => {
    expect(refusalOf(() => checkNonce('a{'))).toBe('invalid_nonce X-Service-Nonce');
    expect(refusalOf(() => checkNonce('a.b'))).toBeNull();
  });
});
