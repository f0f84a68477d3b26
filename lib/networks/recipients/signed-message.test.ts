import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newSigningWallet } from '@/testing/refunds/signing-wallets';
import type { NetworkFamily } from '@/lib/networks/chain';
import { isSignedMessage } from './signed-message';
import { keyText } from '@/lib/networks/families/solana/address';

const FAMILIES: readonly NetworkFamily[] = ['evm', 'tron', 'solana'];

/** A new wallet of a family, and the signature bytes that it returns. */
function walletOf(family: NetworkFamily): { signer: string; sign: (message: string) => Promise<Buffer> } {
  const { address, sign } = newSigningWallet(family);
  return { signer: address, sign: async (message) => Buffer.from((await sign(message)).slice(2), 'hex') };
}

describe.each(FAMILIES)('on %s', (family) => {
  test('accepts messages signed by the wallet of the address, also beyond ASCII', async () => {
    for (const message of ['Refund address: x', 'é 漢字 \n\n', '']) {
      const { signer, sign } = walletOf(family);
      expect(isSignedMessage(family, { signer, message, signature: await sign(message) })).toBe(true);
    }
  });

  test('refuses another text, another wallet and a signature of another family', async () => {
    const [wallet, stranger] = [walletOf(family), walletOf(family)];
    const signature = await wallet.sign('a');
    expect(isSignedMessage(family, { signer: wallet.signer, message: 'b', signature })).toBe(false);
    expect(isSignedMessage(family, { signer: stranger.signer, message: 'a', signature })).toBe(false);
    for (const other of FAMILIES.filter((one) => one !== family)) {
      expect(isSignedMessage(other, { signer: wallet.signer, message: 'a', signature })).toBe(false);
      expect(isSignedMessage(other, { signer: walletOf(other).signer, message: 'a', signature })).toBe(false);
    }
  });

  test('refuses a changed bit and bytes that are not a signature, and never throws', async () => {
    const { signer, sign } = walletOf(family);
    const signature = await sign('a');
    fc.assert(
      fc.property(fc.nat(signature.length * 8 - 1), (bit) => {
        const changed = Uint8Array.from(signature);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        // The last byte of an EVM signature has several spellings (0, 27, EIP-155) of one recovery id.
        if (family !== 'solana' && bit >> 3 === 64) return;
        expect(isSignedMessage(family, { signer, message: 'a', signature: changed })).toBe(false);
      }),
      { numRuns: 40 },
    );
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 130 }),
      fc.uint8Array({ minLength: 64, maxLength: 65 }),
      fc.constant(new Uint8Array(65)),
    );
    fc.assert(
      fc.property(anything, fc.oneof(fc.string(), fc.constant(signer)), (bytes, by) => {
        expect(isSignedMessage(family, { signer: by, message: 'a', signature: bytes })).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

test('refuses signatures for keys of small order on solana', () => {
  // The identity point: R = identity and s = 0 satisfy the equation of ZIP 215 for every message.
  const identity = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0));
  const signature = Uint8Array.from([...identity, ...new Uint8Array(32)]);
  expect(ed25519.verify(signature, Buffer.from('a'), identity, { zip215: true })).toBe(true);
  expect(isSignedMessage('solana', { signer: keyText(identity), message: 'a', signature })).toBe(false);
});
