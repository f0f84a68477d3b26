// Stores one payment of a session as the watcher does: unconfirmed (unconfirmed_transfers) or final (transfers).

import { randomUUID } from 'node:crypto';
import { fromUnixSeconds } from '@/lib/platform/clock';
import type { TestDatabase } from '@/testing/database/database';

export type PaymentRow = {
  readonly table: 'unconfirmed_transfers' | 'transfers';
  readonly network?: string;
  readonly currency?: string;
  readonly contract?: string;
  /** Base units of a token with six decimals. */
  readonly amount?: number;
  /** Unix seconds. */
  readonly time: number;
};

export async function addPayment({ pool }: TestDatabase, sessionId: string, payment: PaymentRow): Promise<void> {
  const { table, network = 'ethereum', currency = 'USDT', amount = 10_000, time } = payment;
  const contract = payment.contract ?? '0xdac17f958d2ee523a2206206994597c13d831ec7';
  const chain = await pool.query<{ id: number }>(
    `SELECT id FROM chains WHERE environment = 'test' AND network = $1 AND retired_at IS NULL`,
    [network],
  );
  const final = table === 'transfers' ? { names: ', network, decimals', values: ', $9, 6' } : { names: '', values: '' };
  await pool.query(
    `INSERT INTO ${table} (chain_id, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
       contract, payer, recipient, amount${final.names})
     VALUES ($1, $2, $3, 0, 95, '0xbb', $4, $5, $6, $7, '0xdd', $8${final.values})`,
    [
      chain.rows[0]?.id,
      sessionId,
      `0x${randomUUID()}`,
      fromUnixSeconds(time),
      currency,
      contract,
      '0xcc',
      amount,
      ...(table === 'transfers' ? [network] : []),
    ],
  );
}
