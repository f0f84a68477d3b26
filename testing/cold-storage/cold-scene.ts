// Cold transfers from the wallet of a refund scene: the marks, the wallet's balance in the ledger and as it was read, and the worker's
// runs over all that the wallet pays.

import { COLD_RULES } from '@/lib/cold-storage/rules';
import { coldStep } from '@/lib/cold-storage/step';
import { readRefundWallet } from '@/lib/ledger/balances';
import { postFunding } from '@/lib/ledger/post-refund';
import { COLD } from '@/lib/ledger/postings';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { PAYOUT_RULES } from '@/lib/payouts/rules';
import { openSignerCheck } from '@/lib/refunds/recovery/signer-check';
import { REFUND_RULES } from '@/lib/refunds/sending/refund-rules';
import type { SendingContext } from '@/lib/refunds/sending/sending-context';
import { runSending } from '@/lib/refunds/sending/step';
import type { TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { signerOf } from '@/testing/signer/journal-scene';
import { accounts, type policy } from '@/testing/signer/signer-scene';

export type ColdScene = Awaited<ReturnType<typeof openColdScene>>;

const ALL = { refunds: REFUND_RULES, payouts: PAYOUT_RULES, cold_transfers: COLD_RULES };

export async function openColdScene(given: {
  readonly db: TestDatabase;
  readonly clock: Clock;
  readonly spec: NetworkSpec;
  readonly sender: ChainSender;
  /** Of the worker. */
  readonly wallet: string;
  /** The signer's; the same unless given. */
  readonly pinned?: string;
  /** In whole tokens. */
  readonly marks?: string;
  readonly limits?: Partial<Parameters<typeof policy>[0]>;
}) {
  const { db, clock, spec, sender, wallet, pinned = wallet, marks = '100:500' } = given;
  const name = `${spec.network}@${spec.chain}`;
  const limits = { perRefund: 100_000n, perHour: 200_000n, perDay: 500_000n, ...given.limits };
  const refunds = await openRefundScene({
    ...{ db, clock, spec, sender, intervals: { lease: 0 } },
    rules: { cold: { wallets: [{ spec, address: pinned }], limits } },
    settings: { COLD_WALLETS: `${name}=${wallet}`, REFUND_WALLET_LEVELS: `${name}/USDT=${marks}` },
  });
  const { context, sending, chainId, signing } = refunds;
  const asset = { environment: 'test', network: spec.network, currency: 'USDT' } as const;
  const cent = 10n ** BigInt((spec.tokens.USDT?.decimals ?? 6) - 2);
  const journal = signerOf(() => signing.signer);
  const step = coldStep(context.config, {
    state: signing.calls.state,
    check: (of) => openSignerCheck(journal, [])(of),
    hasSigned: async (id) => (await journal.attempts(id)).length > 0,
  });
  await db.pool.query('DELETE FROM signer_marks');
  const scene = {
    ...{ db, context, sending, signing, refunds, journal },
    pass: (over: Partial<SendingContext> = {}, on: Context = context) =>
      runSending(on, { ...sending, ...over }, null, ALL),
    step: () => step(context),
    /** The wallet holds this much, by the ledger and by the last reading. */
    async holds(cents: bigint, read = cents) {
      const amount = cents * cent - (await readRefundWallet(db.pool, asset));
      if (amount !== 0n) await transaction(db.pool, (tx) => postFunding(tx, 'test', { ...asset, amount }));
      await scene.isRead(read);
    },
    async isRead(cents: bigint) {
      await db.pool.query(
        `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, $2, 'USDT', $3, 1, $4)
         ON CONFLICT (chain_id, address, asset) DO UPDATE SET amount = EXCLUDED.amount, read_at = EXCLUDED.read_at`,
        [chainId, accounts.of('test', spec.family).address, String(cents * cent), clock.now()],
      );
    },
    transfers: () => db.prisma.coldTransfer.findMany({ orderBy: { number: 'asc' } }),
    attempts: (id: string) => db.prisma.refundAttempt.findMany({ where: { intentId: id }, orderBy: { number: 'asc' } }),
    async hold(): Promise<string | null> {
      const { rows } = await db.pool.query('SELECT cold_hold FROM wallet_balances WHERE chain_id = $1', [chainId]);
      return rows[0]?.cold_hold ?? null;
    },
    /** Cents that the ledger has in the cold wallet and in the refund wallet. */
    async books() {
      const { rows } = await db.pool.query<{ cold: string }>(
        `SELECT coalesce(sum(amount), 0)::text AS cold FROM ledger_balances WHERE account = $1 AND network = $2`,
        [COLD, spec.network],
      );
      return { cold: BigInt(rows[0]?.cold ?? 0) / cent, wallet: (await readRefundWallet(db.pool, asset)) / cent };
    },
    /** Runs the worker until no transfer is open; `between` advances the chain. */
    async untilEnded(between: () => Promise<unknown> = async () => {}, passes = 60) {
      for (let turn = 0; turn < passes; turn++) {
        await scene.pass();
        const open = (await scene.transfers()).filter(({ status }) => status === 'pending' || status === 'processing');
        if (open.length === 0) return;
        await between();
      }
      throw new Error(
        `a cold transfer did not end: ${JSON.stringify((await scene.transfers()).map(({ hold }) => hold))}`,
      );
    },
  };
  return scene;
}
