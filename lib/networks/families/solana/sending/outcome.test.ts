// Whether a payment lapsed, as reported by an honest endpoint that is minutes behind the chain.

import { base58 } from '@scure/base';
import { expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import type { SentAttempt } from '@/lib/networks/sending/send';
import { openNode, type SolanaNode } from '@/lib/networks/families/solana/node';
import { solanaOutcome } from './outcome';

const solana = networkSpec('live', 'solana', 'local')!;
const SIGNED = 1_800_000_000;
const HEIGHT = 300_000_000;
const HASH = base58.encode(new Uint8Array(64).fill(1));
const KEY = '1'.repeat(32);

/** Its final block is this many seconds later than the signature, and one past the reported last valid height. */
function nodeAt(seconds: number): SolanaNode {
  const slot = HEIGHT + 22_000_000;
  const block = {
    blockhash: KEY,
    previousBlockhash: KEY,
    parentSlot: slot - 1,
    blockTime: SIGNED + seconds,
    blockHeight: 1,
  };
  const answers: Readonly<Record<string, unknown>> = {
    getEpochInfo: { absoluteSlot: slot, blockHeight: HEIGHT + 1 },
    getSignatureStatuses: { context: { slot }, value: [null] },
    getTransaction: null,
    getFirstAvailableBlock: 0,
    getBlock: block,
  };
  const call = async <T>({ method, shape }: { method: string; shape: { parse: (value: unknown) => T } }): Promise<T> =>
    shape.parse(answers[method]);
  const batch = () => Promise.reject(new Error('not requested'));
  return openNode('endpoint 1', { name: 'endpoint 1', source: 'endpoint 1', call, batch } as never);
}
const attempt: SentAttempt = {
  hash: HASH,
  validity: { kind: 'height', lastValidBlockHeight: HEIGHT },
  from: KEY,
  order: { intentId: 'x', currency: 'USDT', contract: KEY, to: KEY, amount: 1n },
  signedAt: SIGNED,
};

it('a payment does not lapse before the endpoint’s own final block is past every block that could hold it', async () => {
  expect(await solanaOutcome(nodeAt(-240), solana, attempt)).toEqual({ kind: 'waiting' });
  expect(await solanaOutcome(nodeAt(149), solana, attempt)).toEqual({ kind: 'waiting' });
  expect(await solanaOutcome(nodeAt(150), solana, attempt)).toMatchObject({ kind: 'lapsed' });
});
