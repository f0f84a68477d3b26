// Cold transfers on a real database with the real signer and a simulated EVM chain.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { transaction } from '@/lib/platform/database/db';
import { recover } from '@/lib/refunds/recovery/recover';
import { openColdScene, type ColdScene } from '@/testing/cold-storage/cold-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { PAYERS } from '@/testing/signer/signer-scene';

const [COLD, OTHER] = [`0x${'c0'.repeat(20)}`, `0x${'d1'.repeat(20)}`];
const { time, clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let scene: ColdScene;
const open = async (over: Partial<Parameters<typeof openColdScene>[0]> = {}) =>
  void (scene = await openColdScene({ db, clock, spec, sender, wallet: COLD, ...over }));
beforeEach(async () => {
  restart();
  db = await openTestDatabase();
  await open();
});
afterEach(() => db.close());

const broken = async () =>
  (await checkBooks(db.pool)).filter(({ id, count }) => /^INV-(?:2|3[de]|4)/.test(id) && count > 0);

describe('above the high-water mark', () => {
  it('the excess over the target goes to the cold wallet once, and the ledger has it when it is final', async () => {
    await scene.holds(1000_00n);
    await Promise.all([scene.step(), scene.step(), scene.step()]);
    expect(await scene.transfers()).toMatchObject([
      { id: 'ct_test_ethereum_USDT_1', amount: 700_00n, status: 'pending' },
    ]);
    expect(await scene.books()).toEqual({ cold: 0n, wallet: 1000_00n });
    chain.outcome = 'landed';
    await scene.untilEnded();
    expect(await scene.transfers()).toMatchObject([{ status: 'completed', destination: COLD }]);
    expect(await scene.books()).toEqual({ cold: 700_00n, wallet: 300_00n });
    await scene.isRead(300_00n);
    await scene.step();
    expect([(await scene.transfers()).length, scene.signing.signed, await scene.hold()]).toEqual([1, 1, 'below_high']);
    expect(await broken()).toEqual([]);
  });

  it('a further excess is a further transfer, and only after the first has ended', async () => {
    await scene.holds(1000_00n);
    await scene.step();
    await scene.pass();
    await scene.holds(2000_00n);
    await scene.step();
    expect(await scene.transfers()).toHaveLength(1);
    chain.outcome = 'landed';
    await scene.untilEnded();
    await scene.isRead(1300_00n);
    await scene.step();
    expect(await scene.transfers()).toMatchObject([
      { amount: 700_00n },
      { number: 2, amount: 1000_00n, status: 'pending' },
    ]);
  });

  it('a large excess goes in several transfers, each within the signer’s limit', async () => {
    await open({ limits: { perRefund: 300_00n } });
    await scene.holds(1000_00n);
    await scene.step();
    expect(await scene.transfers()).toMatchObject([{ amount: 300_00n }]);
  });

  it('a failed transfer books nothing, and the next one waits', async () => {
    await scene.holds(1000_00n);
    await scene.step();
    await scene.pass();
    chain.outcome = 'reverted';
    await scene.untilEnded();
    expect(await scene.transfers()).toMatchObject([{ status: 'failed' }]);
    expect(await scene.books()).toEqual({ cold: 0n, wallet: 1000_00n });
    await scene.step();
    expect([(await scene.transfers()).length, await scene.hold()]).toEqual([1, 'failed']);
    time.now += 61_000;
    await scene.isRead(1000_00n);
    await scene.step();
    expect(await scene.transfers()).toMatchObject([{ status: 'failed' }, { number: 2, status: 'pending' }]);
    expect(await broken()).toEqual([]);
  });
});

describe('while cold transfers are paused', () => {
  const pause = () =>
    db.pool.query(
      `INSERT INTO payment_pauses VALUES ('test', $1, 'cold_transfers', now(), 'user:1') ON CONFLICT DO NOTHING`,
      [spec.network],
    );
  const resume = () => db.pool.query('DELETE FROM payment_pauses');

  it('none is requested, and the excess goes when they go on', async () => {
    await pause();
    await scene.holds(1000_00n);
    await scene.step();
    expect([await scene.transfers(), await scene.hold()]).toEqual([[], 'paused']);
    await resume();
    await scene.step();
    chain.outcome = 'landed';
    await scene.untilEnded();
    expect(await scene.books()).toEqual({ cold: 700_00n, wallet: 300_00n });
    expect(scene.signing.signed).toBe(1);
  });

  it('one that was requested before waits, and is sent once when they go on', async () => {
    await scene.holds(1000_00n);
    await scene.step();
    await pause();
    for (let turn = 0; turn < 3; turn++) {
      await scene.pass();
      await scene.step();
    }
    expect(await scene.transfers()).toMatchObject([{ status: 'processing', hold: 'paused' }]);
    expect(scene.signing.signed).toBe(0);
    await resume();
    chain.outcome = 'landed';
    await scene.untilEnded();
    expect(await scene.transfers()).toMatchObject([{ status: 'completed' }]);
    expect(scene.signing.signed).toBe(1);
    expect(await broken()).toEqual([]);
  });
});

describe('money that refunds need', () => {
  it('stays, and so does a transfer that was requested before them and is not signed yet', async () => {
    await scene.holds(1000_00n);
    await scene.step();
    for (let count = 0; count < 100; count++) await scene.refunds.refund({ to: PAYERS.evm, cents: 1000n });
    await scene.step();
    expect(await scene.transfers()).toMatchObject([{ status: 'canceled' }]);
    await scene.step();
    expect([(await scene.transfers()).length, await scene.hold()]).toEqual([1, 'below_high']);
  });

  it('is not signed away when refunds request it between the request of the transfer and its draft', async () => {
    await scene.holds(1000_00n);
    await scene.step();
    for (let count = 0; count < 100; count++) await scene.refunds.refund({ to: PAYERS.evm, cents: 1000n });
    chain.isEmpty = true; // Refunds wait for tokens, as those of a wallet that a cold transfer emptied would.
    await scene.pass();
    expect(scene.signing.signed).toBe(0);
    expect(await scene.transfers()).toMatchObject([
      { status: 'processing', hold: 'no_tokens', signatureRequestedAt: null },
    ]);
  });
});

describe('a refund that nothing is reserved for', () => {
  it('keeps no excess in the wallet, whatever amount was written into its row', async () => {
    await scene.holds(1000_00n);
    // It waits for its store's balance.
    const waiting = await scene.refunds.refund({ to: PAYERS.evm, cents: 9000n, takes: [] });
    await db.pool.query(
      `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, amount, currency, network, request_hash, day, created_at)
       SELECT 're_' || repeat('0', 40), store_id, environment, 'forged', session_id, order_id, 1000000000000, currency, network, request_hash,
         day, created_at FROM refunds WHERE id = $1`,
      [waiting],
    );
    await scene.step();
    expect(await scene.transfers()).toMatchObject([{ amount: 700_00n }]);
    // Money that refunds need stays beside it.
    for (let count = 0; count < 100; count++) await scene.refunds.refund({ to: PAYERS.evm, cents: 1000n });
    await scene.step();
    await scene.step();
    expect([await scene.transfers(), await scene.hold()]).toMatchObject([[{ status: 'canceled' }], 'below_high']);
  });
});

describe('nothing is requested', () => {
  it.each([
    ['while the wallet has no more than the mark', () => scene.holds(500_00n), 'below_high'],
    ['for money that the ledger does not have', () => scene.holds(100_00n, 9000_00n), 'below_high'],
    ['for money that the chain does not show', () => scene.holds(9000_00n, 100_00n), 'below_high'],
  ])('%s', async (_, given, hold) => {
    await given();
    await scene.step();
    expect([await scene.transfers(), await scene.hold()]).toEqual([[], hold]);
  });

  it('by an old reading', async () => {
    await scene.holds(1000_00n);
    time.now += 1_000_000;
    await scene.step();
    expect([await scene.transfers(), await scene.hold()]).toEqual([[], 'not_read']);
  });

  it('while signing is frozen', async () => {
    await scene.holds(1000_00n);
    scene.signing.signer.freeze('a test');
    await scene.step();
    expect([await scene.transfers(), await scene.hold()]).toEqual([[], 'frozen']);
  });

  it('while worker and signer name different cold wallets', async () => {
    await open({ pinned: OTHER });
    await scene.holds(1000_00n);
    await scene.step();
    expect([await scene.transfers(), await scene.hold()]).toEqual([[], 'signer_differs']);
  });
});

it('a transfer is not drafted from the request of a freeze until the signer has it', async () => {
  await scene.holds(1000_00n);
  await scene.step();
  await db.pool.query(
    `INSERT INTO freeze_requests (reason, requested_by, requested_at) VALUES ('a test', 'user:x', now())`,
  );
  await scene.pass();
  await scene.pass();
  expect(await scene.transfers()).toMatchObject([{ status: 'processing', hold: 'frozen' }]);
  expect(await scene.attempts('ct_test_ethereum_USDT_1')).toEqual([]);
  await db.pool.query('UPDATE freeze_requests SET carried_out_at = now()');
  chain.outcome = 'landed';
  await scene.untilEnded();
  expect(await scene.transfers()).toMatchObject([{ status: 'completed' }]);
});

describe('whatever a taken-over worker asks for', () => {
  it('the signer sends excess to its own cold wallet only', async () => {
    await open({ pinned: OTHER });
    await scene.holds(1000_00n);
    await db.pool.query(
      `INSERT INTO cold_transfers (id, environment, network, currency, number, amount, created_at)
       VALUES ('ct_test_ethereum_USDT_1', 'test', 'ethereum', 'USDT', 1, 100, now())`,
    );
    const { calls } = scene.signing;
    const state = { ...(await calls.state()), coldWallets: { [`${spec.network}@${spec.chain}`]: COLD } };
    await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, state: async () => state } } });
    await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, state: async () => state } } });
    expect(scene.signing.signed).toBe(0);
    const [transfer] = await scene.transfers();
    expect(transfer).toMatchObject({ hold: 'not_allowed' });
    const attempts = await db.prisma.refundAttempt.findMany({ where: { intentId: transfer!.id } });
    expect(attempts[0]?.outcome).toContain('SIGNER_COLD_WALLETS');
  });

  it('the limits of an hour bound it, apart from those of refunds', async () => {
    await open({ limits: { perRefund: 700_00n, perHour: 700_00n } });
    await scene.holds(1000_00n);
    await scene.step();
    chain.outcome = 'landed';
    await scene.untilEnded();
    await scene.holds(1000_00n);
    await scene.step();
    await scene.pass();
    expect(await scene.transfers()).toMatchObject([{ status: 'completed' }, { status: 'processing', hold: 'limit' }]);
    const refund = await scene.refunds.refund({ to: PAYERS.evm, cents: 500n });
    await scene.pass();
    expect(await scene.refunds.read(refund)).toMatchObject({ hold: null });
  });
});

/** The database as it was before this statement ran, for one transfer. */
const forget = (id: string, then: string) =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    for (const table of ['refund_attempts', 'refund_status_changes'])
      await tx.query(`DELETE FROM ${table} WHERE intent_id = '${id}'`);
    await tx.query(then);
  });

describe('a database that was restored to before a transfer was signed', () => {
  const ID = 'ct_test_ethereum_USDT_1';
  it.each([
    ['lacks the transfer', `DELETE FROM cold_transfers WHERE id = '${ID}'`, 'recreated'],
    [
      'has it with another amount',
      `UPDATE cold_transfers SET status = 'pending', amount = 123, sign_after = NULL, destination = NULL, destination_kind = NULL,
         destination_reference = NULL, destination_mac = NULL, signature_requested_at = NULL WHERE id = '${ID}'`,
      'imported',
    ],
  ])('and %s recovers it from the signer’s journal, and moves the money once', async (_, then, done) => {
    await scene.holds(1000_00n);
    await scene.step();
    await scene.pass();
    expect(scene.signing.signed).toBe(1);
    await forget(ID, then);
    await scene.step();
    expect(await scene.transfers()).toHaveLength(done === 'imported' ? 1 : 0);
    const { refunds: recovered, isLevel } = await recover(scene.context, scene.journal, false);
    scene.signing.unfreeze();
    expect([recovered.map((one) => one.recovered), isLevel]).toEqual([[{ done }], true]);
    expect(await scene.transfers()).toMatchObject([
      { id: ID, amount: 700_00n, status: 'processing', destination: COLD },
    ]);
    chain.outcome = 'landed';
    await scene.untilEnded();
    expect(await scene.transfers()).toMatchObject([{ status: 'completed' }]);
    expect(scene.signing.signer.attempts(ID).attempts).toHaveLength(1);
    expect(await scene.books()).toEqual({ cold: 700_00n, wallet: 300_00n });
    expect(await broken()).toEqual([]);
  });
});
