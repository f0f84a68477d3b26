import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSha256, macOf, openSecret, sameBytes, sealSecret, sha256, signatureOf } from './crypto';

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
  const rotated = new Map([[2, randomBytes(32)], ...keys]);
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

test('a hash, a MAC of a text and a MAC of a list are the published functions of exactly these bytes', () => {
  // FIPS 180-4 and RFC 4231, test case 2.
  expect(sha256('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(hmacSha256('Jefe', 'what do ya want for nothing?').toString('hex')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
  expect(macOf(Buffer.from('key'), ['a', 'b'])).toEqual(createHmac('sha256', 'key').update('["a","b"]').digest());
});

test('two lists never share a MAC, however their texts are divided', () => {
  const lists = [['a', 'b'], ['ab'], ['a', 'b', ''], ['a","b'], ['b', 'a'], []];
  expect(new Set(lists.map((parts) => macOf(Buffer.from('key'), parts).toString('hex'))).size).toBe(lists.length);
});

test('a sealed secret has the documented layout: version, IV, tag, ciphertext', () => {
  const sealed = sealSecret(keys, 'secret', 'p');
  expect(sealed).toHaveLength(2 + 12 + 16 + 'secret'.length);
  expect(sealed.readUInt16BE(0)).toBe(1);
});

test('a secret under a key that is not configured names the version and nothing else', () => {
  const sealed = sealSecret(new Map([[7, randomBytes(32)]]), 'secret', 'p');
  expect(() => openSecret(keys, sealed, 'p')).toThrow('master key version 7 is not configured');
  expect(() => sealSecret(new Map(), 'secret', 'p')).toThrow('no master key is configured');
});
