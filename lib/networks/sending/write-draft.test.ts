// The libraries' drafts against the signer's own encoder, which wrote them before: the same bytes for the same transfer.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvmTransfer } from '@/lib/networks/families/evm/sending/read-draft';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { readSolanaTransfer } from '@/lib/networks/families/solana/sending/read-draft';
import { unsignedTransaction, writeSolanaDraft } from '@/lib/networks/families/solana/sending/write-draft';
import { transactionBytes } from '@/lib/networks/families/solana/message';
import { readTronTransfer } from '@/lib/networks/families/tron/sending/read-draft';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import { CASES, digestOf, evmCase, solanaCase, tronCase } from '@/testing/drafts/draft-cases';
import recorded from '@/testing/drafts/recorded-drafts.json';
import { BadDraft } from './send';

const about = { intentId: 'intent_1', from: `0x${'11'.repeat(20)}` };
const families = {
  evm: { write: async (seed: number) => writeEvmDraft(evmCase(seed), about) },
  tron: { write: async (seed: number) => writeTronDraft(tronCase(seed), 'intent_1') },
  solana: { write: async (seed: number) => writeSolanaDraft(solanaCase(seed), 1000) },
} as const;
const NAMES = ['evm', 'tron', 'solana'] as const;

describe('drafts that the libraries write', () => {
  it.each(NAMES)('are byte for byte those of the first version of this service (%s)', async (family) => {
    expect(recorded[family]).toHaveLength(CASES);
    const digests = [];
    for (let seed = 0; seed < CASES; seed++) digests.push(digestOf((await families[family].write(seed)).unsigned));
    expect(digests).toEqual(recorded[family]);
  });

  // The reader encodes what it read again and refuses any other byte, so reading the same transfer proves the same bytes.
  it('are exactly what the signer’s reader would write, for any transfer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: CASES, max: 2 ** 31 }), async (seed) => {
        expect(readEvmTransfer(await families.evm.write(seed))).toEqual(evmCase(seed));
        expect(readTronTransfer(await families.tron.write(seed))).toEqual(tronCase(seed));
        const onSolana = await families.solana.write(seed);
        expect(readSolanaTransfer(onSolana)).toEqual(solanaCase(seed));
        expect(await unsignedTransaction(onSolana)).toBe(transactionBytes(Buffer.from(onSolana.unsigned, 'base64')));
      }),
      { numRuns: 50 },
    );
  });

  it('are not written for recipients that are no address, nor back to the paying account', async () => {
    const [evm, tron, solana] = [evmCase(1), tronCase(1), solanaCase(2)];
    await expect(writeEvmDraft({ ...evm, to: '0x12' }, about)).rejects.toThrow('invalid address');
    await expect(writeTronDraft({ ...tron, to: `${tron.to.slice(0, -1)}1` }, 'i')).rejects.toThrow('TRON address');
    await expect(writeSolanaDraft({ ...solana, to: 'no' }, 1)).rejects.toThrow('public key');
    await expect(writeSolanaDraft({ ...solana, to: solana.from }, 1)).rejects.toThrow(BadDraft);
  });

  it('are never written with an amount or a fee limit that does not fit its field', async () => {
    const [evm, tron, solana] = [evmCase(1), tronCase(1), solanaCase(1)];
    await expect(writeEvmDraft({ ...evm, amount: 1n << 256n }, about)).rejects.toThrow('out-of-bounds');
    await expect(writeTronDraft({ ...tron, amount: 1n << 256n }, 'i')).rejects.toThrow('out-of-bounds');
    await expect(writeTronDraft({ ...tron, feeLimit: 1n << 53n }, 'i')).rejects.toThrow('fee limit');
    for (const amount of [1n << 64n, -1n]) {
      await expect(writeSolanaDraft({ ...solana, amount }, 1)).rejects.toThrow(BadDraft);
    }
  });
});
