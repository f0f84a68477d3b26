import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSecret, sameBytes, sealSecret, signatureOf } from './crypto';

const keys = new Map([[1, randomBytes(32)]]);

test('a sealed secret opens for its own purpose', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, purpose) => {
      expect(openSecret(keys, sealSecret(keys, secret, purpose), purpose)).toBe(secret);
    }),
  );
});

test('a sealed secret does not open for another purpose, under another key, or after one bit was changed', () => {
  const sealed = sealSecret(keys, 'as_test_secret', 'api-secret:aa');
  expect(() => openSecret(keys, sealed, 'api-secret:ab')).toThrow(/unable to authenticate|not configured/);
  expect(() => openSecret(new Map([[1, randomBytes(32)]]), sealed, 'api-secret:aa')).toThrow(
    /unable to authenticate|not configured/,
  );
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed);
    altered[at] = (altered[at] as number) ^ 1;
    expect(() => openSecret(keys, altered, 'api-secret:aa')).toThrow(/unable to authenticate|not configured/);
  }
});

test('after a rotation new secrets use the new key and old ones still open', () => {
  const old = sealSecret(keys, 'old', 'p');
  const rotated = new Map([...keys, [2, randomBytes(32)]]);
  const fresh = sealSecret(rotated, 'new', 'p');
  expect([old.readUInt16BE(0), fresh.readUInt16BE(0)]).toEqual([1, 2]);
  expect([openSecret(rotated, old, 'p'), openSecret(rotated, fresh, 'p')]).toEqual(['old', 'new']);
});

test('two ciphertexts of the same secret do not reveal that it is the same', () => {
  expect(sealSecret(keys, 'same', 'p').equals(sealSecret(keys, 'same', 'p'))).toBe(false);
});

test('a signature is the HMAC of timestamp, nonce and the exact bytes', () => {
  // Computed once with openssl: printf '1700000000.abc.{}' | openssl dgst -sha256 -hmac secret
  expect(signatureOf('secret', '1700000000', 'abc', '{}').toString('hex')).toBe(
    'c298f98d541d2a5fa6efc81e6cfe35504abeb3847802a5791eeac7a19a12361b',
  );
  expect(signatureOf('s', '1', 'n', Buffer.from([0xff])).equals(signatureOf('s', '1', 'n', Buffer.from('ÿ')))).toBe(
    false,
  );
});

test('byte strings of different length are unequal and cause no error', () => {
  expect(sameBytes(Buffer.from('a'), Buffer.from('ab'))).toBe(false);
  expect(sameBytes(Buffer.from('ab'), Buffer.from('ab'))).toBe(true);
});
