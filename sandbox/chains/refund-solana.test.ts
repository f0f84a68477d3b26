// Refunds paid on the local Solana chain by the worker's steps and the real signer. The test controls blocks and clock,
// so that height proves lapsing, and the signer's own time makes it ambiguous.

import type { Address } from '@solana/kit';
import { getBurnInstruction, getCloseAccountInstruction, getFreezeAccountInstruction } from '@solana-program/token';
import { Keypair } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSolanaSender } from '@/lib/networks/families/solana/sending/send';
import type { ChainSender } from '@/lib/networks/sending/send';
import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { crashAt } from '@/testing/refunds/crash';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { truncateFacts } from '@/testing/database/truncate';
import { FINALITY_LAG } from './solana/blocks';
import { startSolanaNode, type SolanaNode } from './solana/node';

const USD = 1_000_000n;
const FIVE = 5n * USD;
const wallet = accounts.of('test', 'solana').address as Address;

let now = Date.parse('2026-11-21T12:00:00Z');
const clock = { now: () => new Date(now) };
let db: TestDatabase;
let node: SolanaNode;
let sender: ChainSender;
let scene: RefundScene;

beforeAll(async () => {
  db = await openTestDatabase();
  node = await startSolanaNode({ tick: 'manual' });
  const { spec } = node;
  sender = openSolanaSender({ spec, urls: [node.rpcUrl], needed: 1, clock, log: silentLog(), timeoutMs: 5000 });
  await node.bank.airdrop(wallet, 10_000_000_000n);
  for (const currency of ['USDT', 'USDC'])
    await node.bank.mint({ to: wallet, mint: mint(currency), amount: 10_000n * USD });
  node.tick(FINALITY_LAG);
}, 60_000);
afterAll(async () => {
  await node.stop();
  await db.close();
});
afterEach(() => armCrashPoint(undefined));
beforeEach(async () => {
  scene = await openRefundScene({ db, clock, spec: node.spec, sender, intervals: { lease: 0 } });
});

const mint = (currency: string): Address => node.mints.genuine[currency] as Address;
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const mine = async () => node.tick(FINALITY_LAG + 1);
const held = (owner: string) => node.bank.balanceOf(owner as Address, mint('USDT'));
const statuses = async (id: string) => (await scene.attempts(id)).map(({ status }) => status);
async function freeze(owner: string): Promise<void> {
  const account = await node.bank.associatedAccount(owner as Address, mint('USDT'));
  const { issuer } = node.bank;
  await node.bank.send(issuer, [getFreezeAccountInstruction({ account, mint: mint('USDT'), owner: issuer })]);
  node.tick();
}

it('has raised the payer’s balance when it is completed, with one event and a receipt', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  const refund = await scene.untilEnded(id, mine);
  expect(refund).toMatchObject({ status: 'completed', destination: to });
  expect([held(to), await scene.events(id)]).toEqual([FIVE, ['refund.succeeded']]);
});

it.each(CRASH_POINTS)('a crash at %s leads to one payment with the same signed bytes', async (point) => {
  const to = newAddress();
  const id = await scene.refund({ to });
  await crashAt(point, scene, () => node.tick(2));
  expect((await scene.untilEnded(id, mine)).status).toBe('completed');
  expect([await statuses(id), held(to)]).toEqual([['landed'], FIVE]);
  const [attempt] = await scene.attempts(id);
  expect(scene.signing.signer.attempts(id).attempts.map(({ hash }) => hash)).toEqual([attempt?.hash]);
  expect(await scene.events(id)).toEqual(['refund.succeeded']);
});

it('is drafted and signed a second time only when the first attempt has provably lapsed, and paid once', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  const away = { sender: { ...sender, broadcast: async () => 'accepted' as const } };
  await scene.pass(away);
  const [first] = await scene.attempts(id);
  const { lastValidBlockHeight: last } = first!.validity as { lastValidBlockHeight: number };
  const height = () => node.ledger.blocks.at('finalized').height;
  // The chain rejects it already, but the signer's safety margin has not passed.
  while (height() < last + 31) node.tick();
  expect((await sender.outcome({ ...(await attemptOf(id)) })).kind).toBe('lapsed');
  await scene.pass(away);
  expect(await statuses(id)).toEqual(['sent']);
  node.tick();
  await scene.pass();
  expect([await statuses(id), scene.signing.signed]).toEqual([['lapsed'], 1]);
  await scene.pass();
  expect(await statuses(id)).toEqual(['lapsed']);
  now += 91_000;
  expect((await scene.untilEnded(id, mine)).status).toBe('completed');
  expect([await statuses(id), held(to), scene.signing.signed]).toEqual([['lapsed', 'landed'], FIVE, 2]);
});

/** The only attempt, in the sender's format. */
async function attemptOf(id: string) {
  const [attempt] = await scene.attempts(id);
  const { destination } = await scene.read(id);
  const { contract } = node.spec.tokens.USDT!;
  const order = { intentId: id, currency: 'USDT', contract, to: destination ?? '', amount: FIVE };
  const validity = attempt?.validity as { kind: 'height'; lastValidBlockHeight: number };
  return { hash: attempt?.hash ?? '', validity, from: wallet, order };
}

it('fails without a signature when the issuer has frozen the recipient’s account', async () => {
  const to = newAddress();
  await node.bank.mint({ to: to as Address, mint: mint('USDT'), amount: 1n });
  await freeze(to);
  const id = await scene.refund({ to });
  const refund = await scene.untilEnded(id, mine);
  expect(refund.failureReason).toBe("The issuer of USDT has frozen the recipient's account.");
  expect([await statuses(id), await scene.events(id), refund.toRelease]).toEqual([[], ['refund.failed'], false]);
});

it('a final failure on the chain fails the refund, and the signer no longer counts it', async () => {
  const to = newAddress();
  await node.bank.mint({ to: to as Address, mint: mint('USDT'), amount: 1n });
  node.tick();
  const id = await scene.refund({ to });
  const hasty: ChainSender = {
    ...sender,
    async broadcast(bytes) {
      await freeze(to);
      return sender.broadcast(bytes);
    },
  };
  await scene.pass({ sender: hasty });
  const refund = await scene.untilEnded(id, mine);
  expect([refund.status, await statuses(id)]).toEqual(['failed', ['reverted']]);
  expect(refund.failureReason).toMatch(/the issuer has frozen an account of this payment\.$/);
  await scene.pass();
  expect([(await scene.read(id)).toRelease, scene.signing.signer.state().journal.released]).toEqual([false, 1]);
});

it('waits for tokens with a reason and continues by itself', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  const greedy: ChainSender = {
    ...sender,
    draft: (order, from) => sender.draft({ ...order, amount: 1_000_000n * USD }, from),
  };
  await scene.pass({ sender: greedy });
  expect(await scene.read(id)).toMatchObject({ hold: 'no_tokens', signatureRequestedAt: null });
  expect(await scene.untilEnded(id, mine)).toMatchObject({ status: 'completed', hold: null });
  expect(held(to)).toBe(FIVE);
});

it('a restored database adopts lost payments from the signer and pays none again', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  await scene.pass();
  await mine();
  await truncateFacts(db.pool, 'refund_attempts');
  await db.pool.query('UPDATE refunds SET signature_requested_at = NULL WHERE id = $1', [id]);
  expect((await scene.untilEnded(id, mine)).status).toBe('completed');
  expect([held(to), await statuses(id)]).toEqual([FIVE, ['refused', 'landed']]);
});

describe('a payee who closes its token account for its rent', () => {
  /** Of a token account. */
  const rentOf = () => node.ledger.vm.rent(165n);
  const lamports = () => node.ledger.accounts.now(wallet)?.lamports ?? 0n;
  const states = async (ids: readonly string[]) =>
    (
      await db.pool.query<{ status: string; hold: string | null; count: number }>(
        'SELECT status::text, hold, count(*)::int FROM refunds WHERE id = ANY($1) GROUP BY 1, 2 ORDER BY 1, 2',
        [ids],
      )
    ).rows;

  /** `hasty`: a sender for whose payments the payee closes the account after they were drafted and before they land. */
  async function openPayee(count: number) {
    const payee = await node.bank.newHolder();
    const to = payee.address;
    const account = await node.bank.associatedAccount(to, mint('USDT'));
    const ids: string[] = [];
    for (let made = 0; made < count; made++) ids.push(await scene.refund({ to }));
    async function close() {
      if (held(to) === 0n) return;
      const burn = getBurnInstruction({ account, mint: mint('USDT'), authority: payee, amount: held(to) });
      await node.bank.send(payee, [burn, getCloseAccountInstruction({ account, destination: to, owner: payee })]);
      node.tick();
    }
    const hasty: ChainSender = {
      ...sender,
      async broadcast(bytes) {
        await close();
        return sender.broadcast(bytes);
      },
    };
    const turn = async (by: ChainSender) => {
      for (let pass = 0; pass < 3; pass++) {
        await Promise.all([scene.pass({ sender: by }), scene.pass({ sender: by })]);
        await mine();
      }
      // A refund that is held is tried again.
      now += 6 * 3_600_000;
    };
    return { to, ids, hasty, turn, open: () => node.bank.mint({ to, mint: mint('USDT'), amount: 1n }) };
  }

  it('before each of fifty refunds gets the rent of four at most, and the others wait', async () => {
    const { ids, hasty, turn } = await openPayee(50);
    const before = lamports();
    for (let times = 0; times < 2; times++) await turn(hasty);
    const [completed, waiting, ...more] = await states(ids);
    expect([completed, waiting, more]).toMatchObject([
      { status: 'completed' },
      { status: 'processing', hold: 'account_limit' },
      [],
    ]);
    const opened = BigInt(completed!.count);
    // A fourth one may be drafted while the account of a former one is open.
    expect([3n, 4n]).toContain(opened);
    expect(before - lamports()).toBeGreaterThan(opened * rentOf());
    expect(before - lamports()).toBeLessThan(opened * rentOf() + rentOf() / 10n);
  }, 120_000);

  it('between draft and block is found out when the payment is final, and is not paid beyond the limit', async () => {
    const { to, ids, hasty, turn, open } = await openPayee(0);
    const before = lamports();
    for (let times = 0; times < 7; times++) {
      await open();
      await mine();
      ids.push(await scene.refund({ to }));
      await turn(hasty);
    }
    // One more than with accounts that the draft opened.
    expect(await states(ids)).toEqual([
      { status: 'completed', hold: null, count: 4 },
      { status: 'processing', hold: 'account_limit', count: 3 },
    ]);
    const attempts = await db.prisma.refundAttempt.findMany({ where: { intentId: { in: ids } } });
    expect(attempts.map(({ rent }) => String(rent))).toEqual(Array(4).fill(String(rentOf())));
    expect(before - lamports()).toBeLessThan(4n * rentOf() + rentOf() / 10n);
    // Another payee does not wait for it.
    const other = await scene.refund({ to: newAddress() });
    expect(await scene.untilEnded(other, mine)).toMatchObject({ status: 'completed' });
  }, 120_000);
});
