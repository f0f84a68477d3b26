// Payouts of the store of a refund scene: its payout address, requests as its owner makes them, and the worker's runs over both refunds and
// payouts of the wallet.

import { randomUUID } from 'node:crypto';
import type { Context } from '@/lib/platform/context';
import { cancelPayout } from '@/lib/payouts/cancel';
import { requestPayout, type PayoutRequest } from '@/lib/payouts/request';
import { PAYOUT_RULES } from '@/lib/payouts/rules';
import { REFUND_RULES } from '@/lib/refunds/sending/refund-rules';
import type { SendingContext } from '@/lib/refunds/sending/sending-context';
import { runSending } from '@/lib/refunds/sending/step';
import type { RefundScene } from '@/testing/refunds/refund-scene';
import { announcedAddress } from './announced-address';

export type PayoutScene = ReturnType<typeof openPayoutScene>;

/** A payout that the ledger does not know. */
export const UNRESERVED_PAYOUT = `INSERT INTO payouts (id, store_id, environment, payout_id, amount, currency, network, request_hash,
  created_at) VALUES ('po_${'0'.repeat(40)}', '-', 'test', 'p', 100, 'USDT', 'ethereum', '', now())`;

/** A completed cold transfer that the ledger does not know. */
export const UNBOOKED_COLD_TRANSFER = `INSERT INTO cold_transfers (id, environment, network, currency, number, amount, status, created_at,
  sign_after, transaction_hash, processed_at) VALUES ('ct_test_ethereum_USDT_1', 'test', 'ethereum', 'USDT', 1, 100, 'completed', now(), now(),
  '0xcold', now())`;

const BOTH = { refunds: REFUND_RULES, payouts: PAYOUT_RULES };

export function openPayoutScene({ db, context, sending, storeId, signing, session }: RefundScene) {
  const { network } = sending;
  const pass = (over: Partial<SendingContext> = {}, on: Context = context) =>
    runSending(on, { ...sending, ...over }, null, BOTH);
  const read = (id: string) => db.prisma.payout.findUniqueOrThrow({ where: { id } });
  const maker = { storeId, environment: 'test', record: async () => {} } as const;
  const tryRequest = (over: Partial<PayoutRequest> = {}, by: string = storeId) =>
    requestPayout(
      context,
      { ...maker, storeId: by },
      { payoutId: randomUUID(), amount: 500n, currency: 'USDT', network, description: null, ...over },
    );
  return {
    ...{ db, context, sending, storeId, signing, session, pass, read, tryRequest },
    /** An address of the store that the worker has announced. `payAfter`: when its delay ends, now by default. */
    address: (address: string, payAfter = context.clock.now(), of = storeId): Promise<string> =>
      announcedAddress(db.pool, { storeId: of, network, address, payAfter }),
    async request(over: Partial<PayoutRequest> = {}, by = storeId): Promise<string> {
      const made = await tryRequest(over, by);
      if ('id' in made) return made.id;
      throw new Error(`the payout was refused: ${made.refused.code}`);
    },
    cancel: (id: string, by: string = storeId) => cancelPayout(context, { ...maker, storeId: by }, id),
    attempts: (id: string) => db.prisma.refundAttempt.findMany({ where: { intentId: id }, orderBy: { number: 'asc' } }),
    /** Base units of the store, by account kind, in this network's token. */
    async balance(kind: 'store' | 'payout' | 'refund', currency = 'USDT'): Promise<bigint> {
      const { rows } = await db.pool.query<{ amount: string }>(
        `SELECT -amount AS amount FROM ledger_balances WHERE account = $1 AND network = $2 AND currency = $3`,
        [`${kind}:${storeId}`, network, currency],
      );
      return BigInt(rows[0]?.amount ?? 0);
    },
    /** Runs the worker until the payout is closed; `between` advances the chain. */
    async untilEnded(id: string, between: () => Promise<unknown> = async () => {}, passes = 60) {
      for (let turn = 0; turn < passes; turn++) {
        await pass();
        const payout = await read(id);
        if (payout.status !== 'pending' && payout.status !== 'processing') return payout;
        await between();
      }
      const { hold, holdMessage } = await read(id);
      throw new Error(`payout ${id} did not end: ${hold} (${holdMessage})`);
    },
  };
}
