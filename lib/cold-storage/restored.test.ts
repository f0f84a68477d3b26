// A database that was restored to before several cold transfers of one token were signed. A real database and the real signer; the chain is
// simulated.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { transaction } from '@/lib/platform/database/db';
import { openSignerCheck } from '@/lib/refunds/recovery/signer-check';
import { recover } from '@/lib/refunds/recovery/recover';
import { markCanceled } from '@/lib/refunds/states';
import { openColdScene, type ColdScene } from '@/testing/cold-storage/cold-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';

const COLD = `0x${'c0'.repeat(20)}`;
const [FIRST, SECOND] = ['ct_test_ethereum_USDT_1', 'ct_test_ethereum_USDT_2'];
const { time, clock, chain, sender: simulated, spec, restart } = openPayoutChain();

/** The signer forgets its nonces when it is unfrozen, so the chain has to know them. It takes all that was signed, or nothing yet. */
const landed = async (): Promise<number> => (chain.outcome === 'landed' ? signatures(FIRST) + signatures(SECOND) : 0);
const sender = { ...simulated, nextNonce: landed, finalNonce: landed };

let db: TestDatabase;
let scene: ColdScene;
beforeEach(async () => {
  restart();
  db = await openTestDatabase();
  scene = await openColdScene({ db, clock, spec, sender, wallet: COLD, limits: { perRefund: 700_00n } });
});
afterEach(() => db.close());

/** The database as it was before these transfers were signed; `then` says what it had of them. */
const restore = (ids: readonly string[], then: string) =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    for (const table of ['refund_attempts', 'refund_status_changes', 'cold_transfers'])
      await tx.query(`DELETE FROM ${table} WHERE ${table === 'cold_transfers' ? 'id' : 'intent_id'} = ANY($1)`, [ids]);
    await tx.query(
      `DELETE FROM ledger_postings p USING ledger_entries e WHERE e.id = p.entry_id AND e.intent_id = ANY($1)`,
      [ids],
    );
    await tx.query('DELETE FROM ledger_entries WHERE intent_id = ANY($1)', [ids]);
    await tx.query(
      `UPDATE ledger_balances b SET amount = coalesce((SELECT sum(p.amount) FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id
         WHERE e.environment = b.environment AND p.account = b.account AND p.network = b.network AND p.currency = b.currency), 0)
       WHERE account IN ('cold', 'refund_wallet')`,
    );
    await tx.query('DELETE FROM signer_marks');
    if (then) await tx.query(then);
  });

/** As the operator recovers, and unfreezes the signer after it. */
async function recovered() {
  const { refunds, isLevel } = await recover(scene.context, scene.journal, false);
  scene.signing.unfreeze();
  expect(await openSignerCheck(scene.journal, [])(scene.context)).toBe(isLevel ? 'ok' : 'frozen');
  return { done: refunds.map((one) => one.recovered), isLevel };
}

const signatures = (id: string): number => scene.signing.signer.attempts(id).attempts.length;
const broken = async () =>
  (await checkBooks(db.pool)).filter(({ id, count }) => /^INV-(?:2|3[de]|4)/.test(id) && count > 0);

it('two signed transfers of one token are recovered, and each pays once', async () => {
  await scene.holds(2000_00n);
  await scene.step();
  chain.outcome = 'landed';
  await scene.untilEnded();
  await scene.isRead(1300_00n);
  await scene.step();
  chain.outcome = 'waiting';
  await scene.pass();
  expect([signatures(FIRST), signatures(SECOND)]).toEqual([1, 1]);
  await restore([FIRST, SECOND], '');

  expect(await recovered()).toEqual({ done: [{ done: 'recreated' }, { done: 'recreated' }], isLevel: true });
  await scene.step();
  expect(await scene.transfers()).toMatchObject([
    { id: FIRST, amount: 700_00n, status: 'processing', destination: COLD },
    { id: SECOND, amount: 700_00n, status: 'processing', destination: COLD },
  ]);
  chain.outcome = 'landed';
  await scene.untilEnded();
  expect(await scene.transfers()).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  expect([signatures(FIRST), signatures(SECOND)]).toEqual([1, 1]);
  expect(await scene.books()).toEqual({ cold: 1400_00n, wallet: 600_00n });
  expect((await recover(scene.context, scene.journal, false)).isLevel).toBe(true);
  expect(await broken()).toEqual([]);
});

describe('a signed transfer, where the backup has an older one open and unsigned', () => {
  /** The first transfer was canceled after the backup, and the second one was signed. */
  async function restored(cents: bigint) {
    await scene.holds(cents);
    await scene.step();
    await transaction(db.pool, (tx) => markCanceled(tx, { table: 'cold_transfers', id: FIRST }, clock.now()));
    await scene.step();
    await scene.pass();
    expect([signatures(FIRST), signatures(SECOND)]).toEqual([0, 1]);
    const at = clock.now().toISOString();
    await restore(
      [FIRST, SECOND],
      `INSERT INTO cold_transfers (id, environment, network, currency, number, amount, created_at, next_at)
       VALUES ('${FIRST}', 'test', 'ethereum', 'USDT', 1, 70000, '${at}', '${at}')`,
    );
    expect(await recovered()).toEqual({ done: [{ done: 'recreated' }], isLevel: true });
  }

  it('is recovered, and the older one is canceled when the wallet has not enough for both', async () => {
    await restored(1000_00n);
    // Without the step, too, the older one takes nothing.
    await scene.pass();
    await scene.pass();
    expect([signatures(FIRST), signatures(SECOND)]).toEqual([0, 1]);
    await scene.step();
    expect(await scene.transfers()).toMatchObject([{ status: 'canceled' }, { status: 'processing' }]);
    chain.outcome = 'landed';
    await scene.untilEnded();
    expect(await scene.books()).toEqual({ cold: 700_00n, wallet: 300_00n });
    expect(await broken()).toEqual([]);
  });

  it('is recovered, and both pay once when the wallet has enough for both', async () => {
    await restored(2000_00n);
    await scene.step();
    expect(await scene.transfers()).toHaveLength(2);
    chain.outcome = 'landed';
    await scene.untilEnded(async () => void (time.now += 1000));
    expect(await scene.transfers()).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect([signatures(FIRST), signatures(SECOND)]).toEqual([1, 1]);
    expect(await scene.books()).toEqual({ cold: 1400_00n, wallet: 600_00n });
    expect(await broken()).toEqual([]);
  });
});
