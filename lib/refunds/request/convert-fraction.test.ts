// A refund whose money lacks less than a base unit of the asset that it is paid in: the rest came in an asset with fewer decimals, which
// cannot hold such a small amount. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChainSender } from '@/lib/networks/sending/send';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { transaction } from '@/lib/platform/database/db';
import { planRefund } from '@/lib/ledger/sources';
import { postFunding } from '@/lib/ledger/post-refund';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { landed } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const GWEI = 10n ** 9n;
const bsc = localSpec('bsc');
const clock = { now: () => new Date('2026-11-21T12:00:00Z') };
const sender: ChainSender = {
  async draft({ intentId, contract, to, amount }, from, { nonce = 0 } = {}) {
    const fees = { maxPriorityFeePerGas: GWEI, maxFeePerGas: GWEI, gasLimit: 90_000n };
    return writeEvmDraft({ chainId: bsc.chainId ?? 0, nonce, ...fees, contract, to, amount }, { intentId, from });
  },
  nextNonce: async () => 0,
  finalNonce: async () => 0,
  broadcast: async () => 'accepted',
  outcome: async ({ hash }) => landed(hash),
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it('the operator pays a refund of 5.00 in full that takes a fraction of a base unit less, and the ledger balances', async () => {
  const scene = await openRefundScene({ db, clock, spec: bsc, sender });
  const session = await scene.session('USDT', 1000n);
  const short = 5n * 10n ** 11n;
  const left = [
    { network: 'bsc', currency: 'USDT', amount: 5n * 10n ** 18n - short },
    { network: 'ethereum', currency: 'USDT', amount: 1n },
  ];
  const requested = { cents: 500n, currency: 'USDT', networks: ['bsc'] };
  const plan = planRefund(left, requested, ({ network }) => (network === 'bsc' ? 18 : 6));
  expect(plan?.takes).toEqual([left[0]]);
  const id = await scene.refund({ cents: 500n, to: PAYERS.evm, sessionId: session, takes: plan?.takes ?? [] });
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'no_float' });
  await transaction(db.pool, (tx) => postFunding(tx, 'test', { network: 'bsc', currency: 'USDT', amount: short }));
  await db.pool.query('UPDATE refunds SET next_at = created_at WHERE id = $1', [id]);
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
  const { rows } = await db.pool.query(
    `SELECT account, amount::text FROM ledger_balances WHERE account = 'refund:' || $1 AND amount <> 0`,
    [scene.storeId],
  );
  expect(rows).toEqual([]);
  const broken = (await checkBooks(db.pool)).filter(({ count }) => count > 0);
  expect(broken.filter(({ id: of }) => /^INV-(2|3c)/.test(of))).toEqual([]);
});
