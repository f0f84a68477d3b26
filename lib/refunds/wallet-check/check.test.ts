// A whole machine that was restored: the database and the signer's journal agree that a refund was never signed, and the chain has
// it. A real database, and the real signer with its journal; the chain is simulated.

import fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import type { RefundScene } from '@/testing/refunds/refund-scene';
import { evidenceKey, PAYERS } from '@/testing/signer/signer-scene';
import { openWalletChain, openWalletScene } from '@/testing/refunds/wallet-chain';
import { recheck } from '@/lib/refunds/sending/recheck';
import { orderFor } from '@/lib/refunds/sending/sending-context';
import { runSending } from '@/lib/refunds/sending/step';
import { openWalletCheck, type WalletCheck } from './check';

const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
const seconds = (): number => Math.floor(time.now / 1000);
const { chain, sender } = openWalletChain(clock);

const block = { number: 500, hash: 'b500', parentHash: 'b499', time: 0 };

let db: TestDatabase;
let scene: RefundScene;
let walletCheck: WalletCheck;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  // After the row of the scene's chain, which the database dates by its own clock.
  time.now = Date.now() + 3_600_000;
  chain.reset();
  scene = await openWalletScene({ db, clock, sender });
  walletCheck = openWalletCheck();
});

async function pass(): Promise<void> {
  time.now += 5000;
  await scene.pass({ walletCheck });
}
const restart = (): void => void (walletCheck = openWalletCheck());
const frozen = (): unknown => scene.signing.signer.state().reason;

/** The machine was restored to before this refund was paid: neither database nor journal knows the payment. */
async function paidAndForgotten(how: 'hash' | 'time'): Promise<string> {
  const id = await scene.refund({ to: PAYERS.tron });
  const journal = fs.readFileSync(scene.signing.journalFile);
  const { environment, network } = scene.sending;
  const refund = await db.prisma.refund.findUniqueOrThrow({ where: { id } });
  const work = { sending: scene.sending, payment: refund } as unknown as Parameters<typeof orderFor>[0];
  const { amount, ...payment } = orderFor(work, PAYERS.tron);
  const bound = { kind: 'payer', session: refund.sessionId, network, address: PAYERS.tron } as const;
  const evidence = makeEvidence(evidenceKey, 'test', { ...bound, reference: 'tron/0/0', mostCents: '10000' });
  const draft = await sender.draft({ ...payment, amount }, scene.signing.signer.state().wallets.test.tron);
  const order = { ...payment, currency: 'USDT', amount: String(amount), environment, network, evidence } as const;
  const { hash } = scene.signing.signer.sign({ order, draft });
  chain.signed = [{ hash: how === 'hash' ? hash : null, time: seconds() + 3 }];
  fs.writeFileSync(scene.signing.journalFile, journal);
  scene.signing.restart();
  time.now += 600_000;
  return id;
}

it('sends a refund at once when the wallet signed nothing unknown, and reads the chain once per start', async () => {
  const first = await scene.refund({ to: PAYERS.tron });
  await pass();
  const next = await scene.refund({ to: PAYERS.tron });
  await pass();
  expect(await scene.attempts(first)).toMatchObject([{ status: 'sent' }]);
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
  expect(chain.requests).toHaveLength(1);
});

it.each(['hash', 'time'] as const)(
  'pays nothing again after a restore to before a payment, which the chain names by its %s',
  async (how) => {
    const id = await paidAndForgotten(how);
    for (let turn = 0; turn < 4; turn++) await pass();
    expect(frozen()).toMatch(/^since \S+ the refund wallet on tron signed .* that the database does not know$/);
    expect(await scene.attempts(id)).toEqual([]);
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'frozen' });
    expect(scene.signing.signed).toBe(0);
  },
);

it('continues after an operator has unfrozen the signer, and stops again for the next unknown transaction', async () => {
  const id = await paidAndForgotten('time');
  const reasons: string[] = [];
  // An operator unfreezes the signer at once.
  const calls = {
    ...scene.signing.calls,
    freeze: async (reason: string) => void reasons.push(reason),
    state: async () => ({ ...scene.signing.signer.state(), reason: reasons.at(-1) ?? null }),
  };
  const sending = { walletCheck, signer: { calls, evidenceKey } };
  await scene.pass(sending);
  expect(reasons).toHaveLength(1);
  expect(await scene.attempts(id)).toEqual([]);
  walletCheck.restart();
  time.now += 5000;
  await scene.pass(sending);
  expect(reasons).toHaveLength(1);
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  chain.signed = [{ hash: null, time: seconds() + 500 }];
  time.now += 600_000;
  walletCheck.restart();
  const next = await scene.refund({ to: PAYERS.tron });
  await scene.pass(sending);
  expect(reasons).toHaveLength(2);
  expect(await scene.attempts(next)).toEqual([]);
});

it('does not wait for a payment that is still followed, so a second worker continues beside a busy one', async () => {
  const first = await scene.refund({ to: PAYERS.tron });
  await pass();
  const [{ hash } = { hash: null }] = await scene.attempts(first);
  chain.signed = [{ hash, time: seconds() + 3 }];
  restart();
  const next = await scene.refund({ to: PAYERS.tron });
  await pass();
  expect(await scene.attempts(first)).toMatchObject([{ status: 'sent', endedAt: null }]);
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
});

it('stops for an unknown payment that landed beside a known one', async () => {
  const first = await scene.refund({ to: PAYERS.tron });
  await pass();
  const [{ hash } = { hash: null }] = await scene.attempts(first);
  const at = seconds();
  chain.outcomes.set(hash ?? '', { kind: 'landed', hash: hash ?? '', block: { ...block, time: at } });
  await pass();
  expect(await scene.read(first)).toMatchObject({ status: 'completed' });
  chain.signed = [
    { hash, time: at },
    { hash: 'unknown', time: at },
  ];
  restart();
  const next = await scene.refund({ to: PAYERS.tron });
  await pass();
  expect(frozen()).toMatch(/signed 1 transactions that the database does not know$/);
  expect(await scene.attempts(next)).toEqual([]);
});

it('is not stopped by a payment that another worker sends while the endpoints are read', async () => {
  const first = await scene.refund({ to: PAYERS.tron });
  const takeFirst = (at: Date) => db.pool.query('UPDATE refunds SET next_at = $2 WHERE id = $1', [first, at]);
  await takeFirst(new Date(time.now + 86_400_000));
  chain.meanwhile = async () => {
    chain.meanwhile = async () => {};
    await takeFirst(clock.now());
    await scene.pass({ walletCheck: openWalletCheck() });
    const [{ hash } = { hash: null }] = await scene.attempts(first);
    chain.signed = [{ hash, time: seconds() }];
  };
  const next = await scene.refund({ to: PAYERS.tron });
  await pass();
  expect(frozen()).toBeNull();
  expect(chain.requests).toHaveLength(2);
  expect(await scene.attempts(first)).toMatchObject([{ status: 'sent' }]);
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
});

it('reports all unknown transactions that the network lists, because one unfreeze lets signing continue after all of them', async () => {
  await paidAndForgotten('hash');
  const [{ time: at } = { time: 0 }] = chain.signed;
  chain.signed = [...chain.signed, { hash: 'second', time: at + 60 }, { hash: 'second', time: at + 60 }];
  await pass();
  expect(frozen()).toMatch(/signed 2 transactions that the database does not know$/);
  // The signer refuses a longer reason.
  expect(String(frozen()).length).toBeLessThan(200);
});

it.each([
  ['the signer does not answer', 'unavailable'],
  ['the signer is frozen', 'frozen'],
] as const)('reads the chain again after %s, because it may have been restored in the meantime', async (_, verdict) => {
  await scene.refund({ to: PAYERS.tron });
  const sending = { ...scene.sending, walletCheck };
  await runSending(scene.context, sending, async () => 'ok');
  await runSending(scene.context, sending, async () => verdict);
  await scene.refund({ to: PAYERS.tron });
  time.now += 5000;
  await runSending(scene.context, sending, async () => 'ok');
  expect(chain.requests).toHaveLength(2);
});

it('reads the chain again after the database was away', async () => {
  await scene.refund({ to: PAYERS.tron });
  const sending = { ...scene.sending, walletCheck };
  await runSending(scene.context, sending, async () => 'ok');
  const away = async (): Promise<never> => {
    throw new Error('Connection terminated unexpectedly');
  };
  await expect(runSending(scene.context, sending, away)).rejects.toThrow('terminated');
  await scene.refund({ to: PAYERS.tron });
  time.now += 5000;
  await runSending(scene.context, sending, async () => 'ok');
  expect(chain.requests).toHaveLength(2);
});

it('reads the chain again when its process was asleep, or its clock went back', async () => {
  await scene.refund({ to: PAYERS.tron });
  const sending = { ...scene.sending, walletCheck };
  const ok = async () => 'ok' as const;
  await runSending(scene.context, sending, ok);
  time.now += 20_000;
  await scene.refund({ to: PAYERS.tron });
  await runSending(scene.context, sending, ok);
  expect(chain.requests).toHaveLength(1);
  time.now += 31_000;
  await scene.refund({ to: PAYERS.tron });
  await runSending(scene.context, sending, ok);
  expect(chain.requests).toHaveLength(2);
});

it.each([
  ['reports a transaction that the other one does not', 3, 'endpoint 2 alone reports a transaction'],
  ['dates a transaction in the future', 86_400 * 365, 'endpoint 2 dates a transaction of the refund wallet in the'],
])('lets no endpoint stop all signing that %s; refunds wait until they agree', async (_, later, named) => {
  const first = await scene.refund({ to: PAYERS.tron });
  chain.second = [{ hash: null, time: seconds() + later }];
  time.now += 5000;
  await pass();
  expect(frozen()).toBeNull();
  const holdMessage = expect.stringContaining(named) as string;
  expect(await scene.read(first)).toMatchObject({ hold: 'chain_unavailable', holdMessage });
  chain.second = [];
  await pass();
  expect(await scene.attempts(first)).toMatchObject([{ status: 'sent' }]);
});

it('does not count as checked what another freeze hid from the operator', async () => {
  await paidAndForgotten('hash');
  // Another network freezes the signer while this one is read.
  chain.meanwhile = async () => void scene.signing.signer.freeze('something else');
  await pass();
  expect(frozen()).toBe('something else');
  expect(await db.prisma.chain.findUniqueOrThrow({ where: { id: scene.chainId } })).toMatchObject({
    walletReviewedUntil: null,
  });
});

it('is not stopped by a payment that failed on the chain', async () => {
  const first = await scene.refund({ to: PAYERS.tron });
  await pass();
  const [{ hash } = { hash: null }] = await scene.attempts(first);
  chain.outcomes.set(hash ?? '', { kind: 'reverted', hash: hash ?? '', reason: 'out of energy' });
  await pass();
  chain.signed = [{ hash, time: seconds() - 2 }];
  restart();
  const next = await scene.refund({ to: PAYERS.tron });
  await pass();
  expect(frozen()).toBeNull();
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
});

it('sends nothing while too few endpoints list the transactions', async () => {
  chain.isDown = true;
  const id = await scene.refund({ to: PAYERS.tron });
  await pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'chain_unavailable' });
  chain.isDown = false;
  await pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('sends all other refunds after a restart when the endpoints no longer have the blocks of one payment', async () => {
  const old = await scene.refund({ to: PAYERS.tron });
  await pass();
  const [{ hash } = { hash: null }] = await scene.attempts(old);
  chain.outcomes.set(hash ?? '', { kind: 'pruned', reason: 'the oldest block is newer' });
  // The worker was stopped for a month.
  time.now += 30 * 86_400_000;
  restart();
  const next = await scene.refund({ to: PAYERS.tron });
  const passes = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) {
      time.now += 60_000;
      await pass();
    }
  };
  await passes(6);
  expect(await scene.read(old)).toMatchObject({ status: 'processing', hold: 'chain_unavailable' });
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
  await passes(12);
  expect(await scene.read(old)).toMatchObject({ status: 'processing', hold: 'unclear' });
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
  expect(await scene.attempts(old)).toMatchObject([{ status: 'sent', hash }]);
  expect(scene.signing.signed).toBe(2);
  // An endpoint that keeps the blocks was added, and the operator requests a check.
  chain.outcomes.set(hash ?? '', { kind: 'landed', hash: hash ?? '', block });
  await recheck(scene.context, { refund: old, note: 'added an archive node', by: 'user:x', address: '192.0.2.1' });
  await pass();
  expect(await scene.read(old)).toMatchObject({ status: 'completed', hold: null });
});
