// Where an owner is paid: the account that every wallet derives.

import { PublicKey } from '@solana/web3.js';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { localSolana, usdc, usdt } from '@/testing/solana/solana-scene';
import { associatedAccount, keyBytes, keyText, openAccountDeriver } from './address';

it('matches the token accounts of real payments', () => {
  const mint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
  expect(associatedAccount('BXT1K8kzYXWMi6ihg7m9UqiHW4iJbJ69zumELHE9oBLe', mint)).toBe(
    '644PJ6UW8e4gQpjKdBVd4MCYasWjSECKjqd2qzdeAJY6',
  );
  expect(associatedAccount('BLw3RweJmfbTapJRgnPRvd962YDjFYAnVGd1p5hmZ5tP', mint)).toBe(
    'G23tQHsbQuh3yqUBoyXDn3TwqEbbbUHAHEeUSvJaVRtA',
  );
});

it('matches the token program’s own library, for owners of any kind', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(usdt, usdc), (bytes, mint) => {
      const owner = keyText(bytes);
      const theirs = getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(bytes), true);
      expect(associatedAccount(owner, mint)).toBe(theirs.toBase58());
      expect(keyBytes(owner)).toEqual(bytes);
    }),
    { numRuns: 60 },
  );
});

it('is not derived for text that is not an address', async () => {
  for (const text of [
    '',
    'cs_test_1',
    '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    '1'.repeat(31),
    `${fakeKey('a')}a`,
    'l'.repeat(40),
  ]) {
    expect(keyBytes(text)).toBeNull();
    expect(() => associatedAccount(text, usdt)).toThrow('not a Solana address');
  }
  const owner = fakeKey('owner');
  const mints = Object.values(localSolana.tokens).map(({ contract }) => contract);
  const found = await openAccountDeriver(mints).accountsOf(['cs_test_1', owner, owner]);
  expect([...found]).toEqual([[owner, mints.map((mint) => associatedAccount(owner, mint))]]);
});
