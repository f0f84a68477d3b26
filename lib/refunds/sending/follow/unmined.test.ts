// What a draft leaves of the wallet's balance for its other payments. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import type { ChainSender, AttemptOutcome, Unmined } from '@/lib/networks/sending/send';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { landed } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const GWEI = 10n ** 9n;
const evm = localSpec('ethereum');
const time = { now: Date.parse('2026-11-21T12:00:00Z') };
const clock = { now: () => new Date(time.now) };
const left: (Unmined | undefined)[] = [];
const sent: string[] = [];
const chain = { nonce: 0, final: 0, confirmations: 0, landed: '', forgotten: '' };
const sender: ChainSender = {
  async draft({ intentId, contract, to, amount }, from, { nonce = 0, unmined } = {}) {
    left.push(unmined);
    const fees = { maxPriorityFeePerGas: GWEI, maxFeePerGas: GWEI, gasLimit: 90_000n };
    return writeEvmDraft({ chainId: evm.chainId ?? 0, nonce, ...fees, contract, to, amount }, { intentId, from });
  },
  nextNonce: async () => chain.nonce,
  finalNonce: async () => chain.final,
  async broadcast(bytes) {
    sent.push(bytes);
    return 'accepted';
  },
  async outcome({ hash, others = [] }): Promise<AttemptOutcome> {
    if (hash === chain.forgotten) return { kind: 'pruned', reason: 'the nonces of old blocks are forgotten' };
    return [hash, ...others].includes(chain.landed)
      ? landed(chain.landed)
      : { kind: 'seen', hash, confirmations: chain.confirmations };
  },
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it('a draft leaves a payment its tokens until a minute after a block took it, because the endpoints’ balances do not contain it', async () => {
  const intervals = { recent: 1000, old: 1000, leastHold: 1000, mostHold: 1000 };
  const scene = await openRefundScene({ db, clock, spec: evm, sender, intervals });
  const next = async (): Promise<Unmined | undefined> => {
    await scene.refund({ cents: 100n, to: PAYERS.evm });
    await scene.pass();
    time.now += 2000;
    await scene.pass();
    chain.nonce++;
    return left.at(-1);
  };
  expect(await next()).toEqual({ payments: 0, tokens: 0n });
  expect(await next()).toEqual({ payments: 1, tokens: 1_000_000n });
  chain.confirmations = 1;
  time.now += 2000;
  await scene.pass();
  // An endpoint has both of them in a block; the one that drafts may be behind it.
  expect(await next()).toEqual({ payments: 2, tokens: 2_000_000n });
  time.now += 61_000;
  expect(await next()).toEqual({ payments: 0, tokens: 0n });
});

it('what only one endpoint has, in no block, is sent to all endpoints again at every check', async () => {
  Object.assign(chain, { confirmations: 0, nonce: 0 });
  const scene = await openRefundScene({ db, clock, spec: evm, sender, intervals: { recent: 1000, old: 1000 } });
  await scene.refund({ cents: 100n, to: PAYERS.evm });
  await scene.pass();
  const before = sent.length;
  for (let check = 0; check < 5; check++) {
    time.now += 2000;
    await scene.pass();
  }
  expect(sent.length - before).toBe(5);
});

it('a paid refund that cannot be completed blocks no other: its tokens are gone, and its nonce is used', async () => {
  Object.assign(chain, { confirmations: 0, nonce: 0 });
  const intervals = { recent: 1000, old: 1000, leastHold: 1000, mostHold: 1000, replaceAfter: 10_000 };
  const scene = await openRefundScene({ db, clock, spec: evm, sender, intervals });
  const first = await scene.refund({ cents: 100n, to: PAYERS.evm });
  await scene.pass();
  chain.landed = (await scene.attempts(first))[0]?.hash ?? '';
  // Any fault will do: here the ledger refuses the entry.
  const spoil = () =>
    db.pool.query(`UPDATE ledger_balances SET amount = 0 WHERE account = 'refund:' || $1`, [scene.storeId]);
  await spoil();
  time.now += 2000;
  await scene.pass();
  expect(await scene.read(first)).toMatchObject({ status: 'processing' });
  chain.nonce = 1;
  time.now += 61_000;
  const second = await scene.refund({ cents: 100n, to: PAYERS.evm });
  await spoil();
  await scene.pass();
  expect(left.at(-1)).toEqual({ payments: 0, tokens: 0n });
  time.now += 11_000;
  await scene.pass();
  await scene.pass();
  // Offered again with a higher fee.
  expect(await scene.attempts(second)).toHaveLength(2);
});

it('a payment whose nonce an unknown transaction took blocks no other', async () => {
  Object.assign(chain, { confirmations: 0, nonce: 0, landed: '' });
  const intervals = { recent: 1000, old: 1000, leastHold: 1000, mostHold: 1000, replaceAfter: 10_000 };
  const scene = await openRefundScene({ db, clock, spec: evm, sender, intervals });
  const first = await scene.refund({ cents: 100n, to: PAYERS.evm });
  await scene.pass();
  chain.forgotten = (await scene.attempts(first))[0]?.hash ?? '';
  chain.final = 1;
  time.now += 2000;
  await scene.pass();
  expect(await scene.read(first)).toMatchObject({ status: 'processing', hold: 'chain_unavailable' });
  chain.nonce = 1;
  time.now += 61_000;
  const second = await scene.refund({ cents: 100n, to: PAYERS.evm });
  await scene.pass();
  expect(left.at(-1)).toEqual({ payments: 0, tokens: 0n });
  time.now += 11_000;
  await scene.pass();
  await scene.pass();
  expect(await scene.attempts(second)).toHaveLength(2);
});
