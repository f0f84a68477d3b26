// What the recovery imports from the signer's journal, what it leaves to an operator, and that it signs nothing.

import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeFault } from '@/testing/database/database-fault';
import { openJournalScene, signerOf } from '@/testing/signer/journal-scene';
import { openScene, outcomeOf } from '@/testing/signer/signer-scene';
import { truncateFacts } from '@/testing/database/truncate';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { compare, recover } from './recover';
import { recoveredName } from './adopt';
import { runRefundsCommand } from './command';
import { openSignerCheck } from './signer-check';

const directory = useTemporaryDirectory();
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

async function open() {
  await truncateFacts(db.pool, 'refund_attempts');
  const scene = await openJournalScene(db, directory);
  const { context, signer, signing } = scene;
  return {
    ...scene,
    recover: async (accept = false) => {
      const { refunds, isLevel, comparison } = await recover(context, signer, accept);
      const done = refunds.map(({ recovered }) => ('done' in recovered ? recovered.done : recovered.notRecovered));
      return { done, isLevel, comparison };
    },
    /** A check by a worker that has just started, once the operator has unfrozen the signer. */
    checkUnfrozen: () => {
      const unfrozen = { ...signer, state: async () => ({ ...signing.signer.state(), frozen: false, reason: null }) };
      return openSignerCheck(unfrozen, [])(context);
    },
    owed: async () =>
      (await db.prisma.ledgerBalance.findMany({ where: { account: `refund:${scene.merchant.storeId}` } })).reduce(
        (sum, { amount }) => sum - Number(amount),
        0,
      ),
    today: async () =>
      Number((await db.prisma.refundDay.findFirst({ where: { storeId: scene.merchant.storeId } }))?.amount ?? 0),
  };
}

/** What the ledger's invariants require of a refund. */
const breachesOf = async (intentId: string) =>
  (await checkBooks(db.pool))
    .flatMap(({ violations }) => violations)
    .filter((violation) => violation.includes(intentId));

test('does and freezes nothing when the two agree', async () => {
  const scene = await open();
  const one = await scene.ask();
  await scene.store(one, one.sign());
  expect(await scene.recover()).toMatchObject({ done: [], isLevel: true });
  expect(scene.signing.signer.state().frozen).toBe(false);
});

describe('a refund that the database has', () => {
  test.each(['pending', 'processing', 'drafted'] as const)('%s: its transactions are taken over', async (state) => {
    const scene = await open();
    const one = await scene.ask();
    const { intentId, to } = one.order;
    if (state === 'drafted') await scene.store({ ...one, draft: (await scene.ask()).draft });
    else await scene.create({ session_id: one.session, refund_id: one.refundId, amount: 100 });
    if (state === 'processing') {
      await db.pool.query(`UPDATE refunds SET status = 'processing', sign_after = now() WHERE id = $1`, [intentId]);
    }
    one.sign();
    expect(await scene.recover()).toMatchObject({ done: ['imported'], isLevel: true });
    expect(await scene.refund(intentId)).toMatchObject({
      ...{ status: 'processing', destination: to, destinationKind: 'payer', hold: null, refundId: one.refundId },
      ...{ signatureRequestedAt: expect.any(Date), amount: 100n },
    });
    const attempts = await scene.attempts(intentId);
    expect(attempts.map(({ status }) => status)).toEqual(state === 'drafted' ? ['refused', 'drafted'] : ['drafted']);
    expect(attempts.at(-1)?.draft).toEqual(one.draft);
    expect([await scene.owed(), await scene.today()]).toEqual([1_000_000, 100]);
    expect(await scene.checkUnfrozen()).toBe('ok');
    expect(await scene.recover()).toMatchObject({ done: [], isLevel: true });
  });

  test('released: it fails, and everything is released', async () => {
    const scene = await open();
    const one = await scene.ask();
    const signed = one.sign();
    await scene.create({ session_id: one.session, refund_id: one.refundId, amount: 100 });
    const result = { outcome: 'reverted', finalized: 1 } as const;
    scene.signing.signer.release(outcomeOf(one.order, signed, result));
    expect(await scene.recover()).toMatchObject({ done: ['ended'], isLevel: true });
    expect(await scene.refund(one.order.intentId)).toMatchObject({
      status: 'failed',
      failureReason: 'It had ended without a payment before the database was restored.',
    });
    expect([await scene.owed(), await scene.today()]).toEqual([0, 0]);
    expect((await scene.session(one.session)).amountRefunded).toBe(0n);
    expect(await scene.checkUnfrozen()).toBe('ok');
    expect(await db.prisma.event.findMany({ where: { objectId: one.order.intentId } })).toMatchObject([
      { type: 'refund.failed' },
    ]);
    expect(await breachesOf(one.order.intentId)).toEqual([]);
  });

  test('that the database refuses does not block the recovery of others, and cannot be accepted', async () => {
    const scene = await open();
    const [bad, good] = [await scene.ask(), await scene.ask()];
    for (const one of [bad, good]) {
      await scene.create({ session_id: one.session, refund_id: one.refundId, amount: 100 });
      one.sign();
    }
    const row = `NEW.intent_id = '${bad.order.intentId}'`;
    const endFault = await makeFault(db.pool, { table: 'refund_attempts', on: 'INSERT', row });
    const first = await scene.recover(true);
    expect(first).toMatchObject({ done: [expect.stringContaining('a fault of this row'), 'imported'], isLevel: false });
    await endFault();
    expect(await scene.recover()).toMatchObject({ done: ['imported'], isLevel: true });
  });

  test('that had waited for its store’s balance is reserved when its transactions are taken over, or left while it cannot be', async () => {
    const scene = await open();
    const one = await scene.ask();
    const { storeId } = scene.merchant;
    const charge = (units: number) =>
      db.pool.query(
        `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment) VALUES ('test', $1, 'test') RETURNING id),
           asset AS (SELECT network, currency FROM ledger_balances WHERE account = 'store:' || $1 LIMIT 1)
         INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
         SELECT entry.id, line.account, network, currency, line.amount FROM entry, asset,
           LATERAL (VALUES ('store:' || $1, $2::numeric), ('cost_recovery', -$2::numeric)) AS line (account, amount)`,
        [storeId, units],
      );
    const available = async () =>
      (await db.prisma.ledgerBalance.findMany({ where: { account: `store:${storeId}` } })).reduce(
        (sum, { amount }) => sum - Number(amount),
        0,
      );
    const before = await available();
    await charge(before);
    await scene.create({ session_id: one.session, refund_id: one.refundId, amount: 100 });
    expect(await scene.owed()).toBe(0);
    one.sign();
    expect((await scene.recover()).done).toEqual([expect.stringContaining('its store has less than that')]);
    await charge(-before);
    expect(await scene.recover()).toMatchObject({ done: ['imported'], isLevel: true });
    expect([await scene.owed(), await scene.today()]).toEqual([1_000_000, 100]);
    expect(await breachesOf(one.order.intentId)).toEqual([]);
  });

  test('that differs from the one in the journal is left to an operator', async () => {
    const scene = await open();
    const [amount, canceled, elsewhere] = [await scene.ask(), await scene.ask(), await scene.ask()];
    await scene.create({ session_id: amount.session, refund_id: amount.refundId, amount: 101 });
    await scene.create({ session_id: canceled.session, refund_id: canceled.refundId, amount: 100 });
    await db.pool.query(`UPDATE refunds SET status = 'canceled', processed_at = now() WHERE id = $1`, [
      canceled.order.intentId,
    ]);
    const other = { ...elsewhere, draft: amount.draft, order: { ...elsewhere.order, to: canceled.order.contract } };
    await scene.store(other);
    for (const one of [amount, canceled, elsewhere]) one.sign();
    expect(await scene.recover()).toMatchObject({
      done: [
        'the database has another refund of this name',
        'it is canceled in the database',
        'in the database it goes to another address',
      ],
      isLevel: false,
    });
    expect(await scene.checkUnfrozen()).toBe('frozen');
    expect(await scene.recover(true)).toMatchObject({ isLevel: true });
    expect(await scene.checkUnfrozen()).toBe('ok');
  });
});

describe('a refund that the database lacks', () => {
  test('is recreated with everything that its creation reserved, and gets its name back when it is requested again', async () => {
    const scene = await open();
    const one = await scene.ask();
    one.sign();
    expect(await scene.recover()).toMatchObject({ done: ['recreated'], isLevel: true });
    const { intentId } = one.order;
    expect(await scene.refund(intentId)).toMatchObject({
      ...{ status: 'processing', refundId: recoveredName(intentId), amount: 100n, network: 'tron', currency: 'USDT' },
      ...{ storeId: scene.merchant.storeId, sessionId: one.session, orderId: one.session },
    });
    expect([await scene.owed(), await scene.today()]).toEqual([1_000_000, 100]);
    expect((await scene.session(one.session)).amountRefunded).toBe(100n);

    const request = { session_id: one.session, refund_id: one.refundId, amount: 100 };
    await expect(scene.create({ ...request, amount: 99 })).rejects.toMatchObject({ code: 'REFUND_ID_CONFLICT' });
    await expect(scene.create({ ...request, currency: 'USDC' })).rejects.toMatchObject({ code: 'REFUND_ID_CONFLICT' });
    await expect(scene.create({ ...request, session_id: await scene.paid('tron') })).rejects.toMatchObject({
      code: 'REFUND_ID_CONFLICT',
    });
    const full = { ...request, reason: 'duplicate', description: 'twice', metadata: { a: [1] } } as const;
    for (let times = 0; times < 2; times++) {
      expect(await scene.create(full)).toMatchObject({ id: intentId, refundId: one.refundId, reason: 'duplicate' });
    }
    await expect(scene.create(request)).rejects.toMatchObject({ code: 'REFUND_ID_CONFLICT' });
    expect(await scene.refund(intentId)).toMatchObject({ refundId: one.refundId, metadata: { a: [1] } });
    // A name that a merchant gave never changes.
    const renamed = db.pool.query(`UPDATE refunds SET refund_id = 'other' WHERE id = $1`, [intentId]);
    await expect(renamed).rejects.toThrow(/stays as it is/);
    expect([await scene.owed(), await scene.today()]).toEqual([1_000_000, 100]);
  });

  test('but that had ended is recreated as failed, and counts for nothing', async () => {
    const scene = await open();
    const one = await scene.ask();
    const signed = one.sign();
    scene.signing.signer.release(outcomeOf(one.order, signed, { outcome: 'reverted', finalized: 1 }));
    expect(await scene.recover()).toMatchObject({ done: ['ended'], isLevel: true });
    expect(await scene.create({ session_id: one.session, refund_id: one.refundId, amount: 100 })).toMatchObject({
      status: 'failed',
    });
    expect([await scene.owed(), await scene.today()]).toEqual([0, 0]);
    expect(await breachesOf(one.order.intentId)).toEqual([]);
  });

  test('and cannot be recreated yet, or ever, is listed until it can or is accepted', async () => {
    const scene = await open();
    const unpaid = await scene.ask({ session: await scene.paid('tron', 'pending') });
    const unknown = await scene.ask({ session: 'cs_test_ofnobodyatall0000' });
    const ofCase = await scene.ask({ session: 'case:77' });
    const good = await scene.ask();
    for (const one of [unpaid, unknown, ofCase, good]) one.sign();
    const left = [
      expect.stringContaining('is not paid in this database'),
      expect.stringContaining('session is unknown'),
      expect.stringContaining('sends a payment back that this database has not got'),
    ];
    expect(await scene.recover()).toMatchObject({ done: [...left, 'recreated'], isLevel: false });
    expect(await scene.recover()).toMatchObject({ done: left, isLevel: false });
    expect(await scene.checkUnfrozen()).toBe('frozen');
    expect(await scene.recover(true)).toMatchObject({ done: left, isLevel: true });
    expect(await scene.checkUnfrozen()).toBe('ok');
    expect(await scene.recover()).toMatchObject({ done: [], isLevel: true });
  });

  test('of a session that has refunded everything, or of a store that has nothing left, is left', async () => {
    const scene = await open();
    const [full, poor] = [await scene.ask({ cents: 600n }), await scene.ask({ cents: 600n })];
    await scene.create({ session_id: full.session, amount: 500 });
    full.sign();
    poor.sign();
    await scene.create({ session_id: await scene.paid('tron'), amount: 1000 });
    await db.pool.query(
      `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment) VALUES ('test', $1, 'test') RETURNING id)
       INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
       SELECT entry.id, account, 'tron', 'USDT', amount FROM entry, (VALUES ($2, 14500000), ('elsewhere', -14500000)) AS line (account, amount)`,
      [scene.merchant.storeId, `store:${scene.merchant.storeId}`],
    );
    expect((await scene.recover()).done).toEqual([
      'the refunds of its session would be more than it paid',
      expect.stringContaining('its store has less than that'),
    ]);
    expect(await scene.refund(poor.order.intentId)).toBeNull();
    expect((await scene.session(poor.session)).amountRefunded).toBe(0n);
  });
});

test('after a lost journal nothing is signed until what is open has ended and the operator accepts the new one', async () => {
  const scene = await open();
  const one = await scene.ask();
  await scene.store(one, one.sign());
  const check = openSignerCheck(scene.signer, []);
  expect(await check(scene.context)).toBe('ok');
  fs.rmSync(scene.signing.journalFile);
  const fresh = scene.signing.restart();
  expect(fresh.state()).toMatchObject({ frozen: true, reason: 'the journal was missing at start' });
  expect(await scene.checkUnfrozen()).toBe('frozen');

  const open_ = { isLevel: false, comparison: { fault: 'the journal is older than the database', strangers: 1 } };
  expect(await scene.recover(true)).toMatchObject(open_);
  expect(await scene.checkUnfrozen()).toBe('frozen');
  await db.pool.query(`UPDATE refund_attempts SET status = 'landed', ended_at = now()`);
  expect(await scene.recover()).toMatchObject({ isLevel: false, comparison: { strangers: 0 } });
  expect(await scene.recover(true)).toMatchObject({ isLevel: true });
  expect(await compare(scene.context, scene.signer)).toMatchObject({ fault: null, unknown: [], strangers: 0 });
  expect(await scene.checkUnfrozen()).toBe('ok');
});

test('a journal of another installation with more records is read completely', async () => {
  const scene = await open();
  const one = await scene.ask();
  await scene.store(one, one.sign());
  expect(await scene.checkUnfrozen()).toBe('ok');
  const strange = openScene(directory);
  for (let count = 0; count < 4; count++) strange.signer.sign(await scene.ask());
  expect(
    await compare(
      scene.context,
      signerOf(() => strange.signer),
    ),
  ).toMatchObject({
    fault: 'the journal is not the one that the database knows',
    unknown: { length: 4 },
    strangers: 1,
  });
});

test('the command refuses wrong words, and reports a signer that does not respond', async () => {
  const lines: string[] = [];
  const settings = { databaseUrl: db.url, signerSocket: `${directory}/none.sock`, testChains: 'local' };
  const run = (...words: string[]) => runRefundsCommand(words, settings, (line) => void lines.push(line));
  expect([await run(), await run('recover', '--all'), await run('unfreeze')]).toEqual([2, 2, 2]);
  expect(lines).toEqual([]);
  await expect(run('status')).rejects.toThrow(/The signer cannot be reached/);
});
