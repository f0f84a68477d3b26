// Whether a payment lapsed, as reported by an honest endpoint that is minutes behind the chain.

import { base58 } from '@scure/base';
import { expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import type { RpcCall } from '@/lib/networks/endpoints/json-rpc/client';
import { answerFault } from '@/lib/networks/endpoints/json-rpc/faults';
import type { SentAttempt } from '@/lib/networks/sending/send';
import { openNode, type SolanaNode } from '@/lib/networks/families/solana/node';
import { solanaOutcome } from './outcome';

const solana = networkSpec('live', 'solana', 'local')!;
const SIGNED = 1_800_000_000;
const HEIGHT = 300_000_000;
const HASH = base58.encode(new Uint8Array(64).fill(1));
const KEY = '1'.repeat(32);

/** Its final block is this many seconds later than the signature, and one past the reported last valid height. */
function nodeAt(seconds: number, over: Readonly<Record<string, unknown>> = {}): SolanaNode {
  const slot = HEIGHT + 22_000_000;
  const block = {
    blockhash: KEY,
    previousBlockhash: KEY,
    parentSlot: 4,
    blockTime: SIGNED + seconds,
    blockHeight: 1000,
  };
  const answers: Readonly<Record<string, unknown>> = {
    getEpochInfo: { absoluteSlot: slot, blockHeight: HEIGHT + 1 },
    getSignatureStatuses: { context: { slot }, value: [null] },
    getTransaction: null,
    getFirstAvailableBlock: 0,
    getBlock: block,
    ...over,
  };
  const call = async <T>({ method, params, shape }: RpcCall<T>): Promise<T> => {
    const answer = answers[method];
    return shape.parse(typeof answer === 'function' ? answer(params) : answer);
  };
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

const [VALUE, NEXT_VALUE] = [2, 3].map((byte) => base58.encode(new Uint8Array(32).fill(byte))) as [string, string];
const lasting: SentAttempt = { ...attempt, validity: { kind: 'durable', account: KEY, value: VALUE } };

/** The answer for a nonce account; the authority is another one than that of the attempt. */
function nonceAccount(value: string, slot = HEIGHT): Record<string, unknown> {
  const data = Buffer.alloc(80);
  data.writeUInt32LE(1, 0);
  data.writeUInt32LE(1, 4);
  data.fill(7, 8, 40);
  data.set(base58.decode(value), 40);
  const account = { lamports: 1, owner: '1'.repeat(32), data: [data.toString('base64'), 'base64'] };
  return { getMultipleAccounts: { context: { slot }, value: [account] } };
}

it('a payment with a durable nonce waits while its nonce account has the value of any authority', async () => {
  const node = nodeAt(864_000, { ...nonceAccount(VALUE), getFirstAvailableBlock: 5 });
  expect(await solanaOutcome(node, solana, lasting)).toEqual({ kind: 'waiting' });
});

it.each([
  ['lapsed', 'the endpoint keeps all blocks', 0, 864_000],
  ['lapsed', 'the endpoint’s oldest block is from before the request', 5, -150],
  ['pruned', 'the endpoint’s oldest block is later than the request', 5, 1],
] as const)('a payment whose durable nonce was advanced is %s if %s', async (kind, _, first, seconds) => {
  const node = nodeAt(seconds, { ...nonceAccount(NEXT_VALUE), getFirstAvailableBlock: first });
  expect(await solanaOutcome(node, solana, lasting)).toMatchObject({ kind });
});

it('a payment whose durable nonce was advanced is not judged by a node that lags behind the one that reported it', async () => {
  const node = nodeAt(864_000, nonceAccount(NEXT_VALUE, HEIGHT + 30_000_000));
  await expect(solanaOutcome(node, solana, lasting)).rejects.toMatchObject({ fault: 'unavailable' });
});

it.each([-32001, -32007, -32009])(
  'a payment lapses at a node that has deleted or skipped the first blocks that it names: %i',
  async (code) => {
    const block = { blockhash: KEY, previousBlockhash: KEY, parentSlot: 4, blockTime: SIGNED - 150, blockHeight: 1000 };
    const final = { ...block, blockTime: SIGNED + 864_000 };
    const getBlock = ([slot]: readonly unknown[]) => {
      if (Number(slot) >= 5 + 3) return Number(slot) > HEIGHT ? final : block;
      throw answerFault('endpoint 1', { method: 'getBlock', calls: 1 }, { code, message: 'Block is not available' });
    };
    const over = { ...nonceAccount(NEXT_VALUE), getFirstAvailableBlock: 5, getBlock };
    expect(await solanaOutcome(nodeAt(0, over), solana, attempt)).toMatchObject({ kind: 'lapsed' });
    expect(await solanaOutcome(nodeAt(0, over), solana, lasting)).toMatchObject({ kind: 'lapsed' });
  },
);
