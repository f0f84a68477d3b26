import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { fromHex, openMac, sameBytes, signString, toHex } from './signature';

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('the signed bytes are timestamp, nonce and body, joined by dots, and their MAC is HMAC-SHA256', async () => {
  const body = Uint8Array.of(0, 0xff, 0x7b);
  const signed = signString({ timestamp: '1800000000', nonce: 'ñ', body });
  expect(Buffer.from(signed)).toEqual(Buffer.concat([Buffer.from('1800000000.ñ.'), body]));
  const mac = await openMac('whsec_é');
  expect(toHex(await mac(signed))).toBe(createHmac('sha256', 'whsec_é').update(signed).digest('hex'));
});

test('a secret that was opened cannot be read again by any code', async () => {
  const imports = vi.spyOn(crypto.subtle, 'importKey');
  await openMac('whsec_1');
  const key = (await imports.mock.results[0]?.value) as CryptoKey;
  imports.mockRestore();
  await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow(/not extractable/);
});

describe('hexadecimal digits', () => {
  test('of 32 bytes are read as they are written, in either case', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const text = toHex(given);
        expect(text).toBe(Buffer.from(given).toString('hex'));
        expect(fromHex(text)).toEqual(given);
        expect(fromHex(text.toUpperCase())).toEqual(given);
      }),
    );
  });

  test.each(['', 'a'.repeat(63), 'a'.repeat(65), `${'a'.repeat(63)}g`, ` ${'a'.repeat(64)}`, `${'a'.repeat(64)}\n`])(
    'are exactly 64: %j is refused',
    (text) => {
      expect(fromHex(text)).toBeNull();
    },
  );
});

describe('two byte strings', () => {
  test('are the same only when every byte is', () => {
    fc.assert(
      fc.property(bytes, fc.nat({ max: 31 }), fc.integer({ min: 1, max: 255 }), (given, at, by) => {
        expect(sameBytes(given, Uint8Array.from(given))).toBe(true);
        const other = Uint8Array.from(given, (byte, n) => (n === at ? byte ^ by : byte));
        expect(sameBytes(given, other)).toBe(false);
      }),
    );
  });

  test('of different length differ, also when one begins with the other or ends in zeros', () => {
    expect(sameBytes(Uint8Array.of(1, 2), Uint8Array.of(1))).toBe(false);
    expect(sameBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false);
    expect(sameBytes(Uint8Array.of(1, 0), Uint8Array.of(1))).toBe(false);
    expect(sameBytes(new Uint8Array(), new Uint8Array())).toBe(true);
  });
});
