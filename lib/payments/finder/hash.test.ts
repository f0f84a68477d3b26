import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHash } from './hash';

const HEX = 'a1'.repeat(32);
const SIGNATURE = base58.encode(new Uint8Array(64).fill(200));

describe('a hash is extracted', () => {
  test.each([
    ['of an EVM network', `0x${HEX}`, `0x${HEX}`, 'evm'],
    ['in capital letters', `0X${HEX.toUpperCase()}`, `0x${HEX}`, 'evm'],
    ['of TRON', HEX, HEX, 'tron'],
    ['of TRON in capital letters', HEX.toUpperCase(), HEX, 'tron'],
    ['of Solana', SIGNATURE, SIGNATURE, 'solana'],
    ['with space and quotes around it', `  "0x${HEX}"\n`, `0x${HEX}`, 'evm'],
    ['in a sentence', `TxID: ${HEX}.`, HEX, 'tron'],
    ['out of an Etherscan link', `https://etherscan.io/tx/0x${HEX}#eventlog`, `0x${HEX}`, 'evm'],
    ['out of a BscScan link', `https://bscscan.com/tx/0x${HEX}?a=b`, `0x${HEX}`, 'evm'],
    ['out of a Tronscan link', `https://tronscan.org/#/transaction/${HEX}`, HEX, 'tron'],
    ['out of a Solscan link', `https://solscan.io/tx/${SIGNATURE}`, SIGNATURE, 'solana'],
    [
      'out of a Solana explorer link',
      `https://explorer.solana.com/tx/${SIGNATURE}?cluster=devnet`,
      SIGNATURE,
      'solana',
    ],
  ] as const)('%s', (_, text, hash, family) => {
    expect(readHash(text)).toEqual({ hash, family });
  });

  test('from any 64 bytes of a Solana signature', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (bytes) => {
        const hash = base58.encode(bytes);
        fc.pre(hash.length >= 86);
        expect(readHash(hash)).toEqual({ hash, family: 'solana' });
      }),
    );
  });
});

describe('no hash is extracted', () => {
  test.each([
    ['an EVM address', `0x${'ab'.repeat(20)}`, 'address'],
    ['a TRON address', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'address'],
    ['a Solana address', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'address'],
    ['nothing', '', null],
    ['a digit too few', HEX.slice(1), null],
    ['a digit too many', `${HEX}0`, null],
    ['another letter among the digits', `0x${HEX.slice(1)}g`, null],
    ['87 letters that are no 64 bytes', 'z'.repeat(88), null],
    ['a letter that base58 lacks', `${'0'.repeat(2)}${SIGNATURE.slice(2)}`, null],
    ['a hash beyond the longest pasted text', `${' x'.repeat(300)}0x${HEX}`, null],
  ])('from %s', (_, text, looksLike) => {
    expect(readHash(text)).toEqual({ hash: null, looksLike });
  });

  test('and no pasted text causes an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('0', 'x', 'f', 'I', 'l', '/', 'é') })),
        (text) => {
          expect(typeof readHash(text)).toBe('object');
        },
      ),
    );
  });
});
