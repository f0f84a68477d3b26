// Sessions with transfers for tests of decisions about them. They are inserted in the state that creation and watching
// leave, and settled by the real code.

import { randomUUID } from 'node:crypto';
import { fromUnixSeconds, type Clock } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import { silentLog } from '@/testing/chain-clock';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { TestDatabase } from '@/testing/database/database';
import { proveBalances } from './proven-balances';
import { depositKeys } from '@/testing/refunds/deposit-keys';
import { depositAddressOf, macOfTransfer } from './proven-transfer';

export const EXPIRES = 1_800_000_600;
/** Cents. */
export const PRICE = 1250;

export type GivenTransfer = {
  cents: number;
  network?: string;
  currency?: string;
  time?: number;
  hash?: string;
  payer?: string;
};

let index = 1_000_000;

export function openSettledSessions(db: TestDatabase, clock: Clock, chains: Readonly<Record<string, number>>) {
  const one = async <Row>(text: string, values: unknown[]): Promise<Row> => (await db.pool.query(text, values)).rows[0];
  return {
    /** A session over 12.50 USDT that is offered on Ethereum and BSC. */
    async make(storeId: string, status: SessionStatus = 'pending'): Promise<string> {
      const id = `cs_test_${randomText()}`;
      const at = depositKeys.addressesAt(++index);
      await db.pool.query(
        `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
           created_at, expires_at, address_index, evm_address, tron_address, solana_address, status, closed_at)
         VALUES ($1, $2, 'test', $1, $3, 'USDT', $3, '{USDT}', '{ethereum,bsc}', $4, $5, $6, $7, $9, $10, $8::"SessionStatus",
           CASE WHEN $8 = 'pending' THEN NULL ELSE $5::timestamptz END)`,
        [
          ...[id, storeId, PRICE, fromUnixSeconds(EXPIRES - 1800), fromUnixSeconds(EXPIRES), at.index, at.evm, status],
          ...[at.tron, at.solana],
        ],
      );
      await proveBalances(db.pool);
      return id;
    },
    /** A final transfer; returns its id. */
    async transfer(sessionId: string, given: GivenTransfer): Promise<string> {
      const {
        network = 'ethereum',
        currency = 'USDT',
        time = EXPIRES - 300,
        hash = `0x${randomUUID()}`,
        payer = '0x1111111111111111111111111111111111111111',
      } = given;
      const decimals = network === 'bsc' ? 18 : 6;
      // A fraction of a cent, with up to four digits.
      const amount = BigInt(Math.round(given.cents * 10_000)) * 10n ** BigInt(decimals - 6);
      const family = network === 'tron' || network === 'solana' ? network : 'evm';
      const recipient = await depositAddressOf(db.pool, sessionId, family);
      const inserted = {
        recipient,
        network,
        sessionId,
        transactionHash: hash,
        blockTime: time,
        currency,
        payer,
        amount,
        decimals,
      };
      const mac = await macOfTransfer(db.pool, chains[network], inserted);
      const { id } = await one<{ id: string }>(
        `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
           currency, contract, payer, recipient, amount, decimals, mac)
         VALUES ($1, $2, $3, $4, 0, 50, '0xb', $5, $6, '0xc', $9, $11, $7, $8, $10) RETURNING id`,
        [
          chains[network],
          network,
          sessionId,
          hash,
          fromUnixSeconds(time),
          currency,
          amount.toString(),
          decimals,
          payer,
          mac,
          recipient,
        ],
      );
      return id;
    },
    settle: (id: string) =>
      transaction(db.pool, (tx) => settleSessions(tx, [id], { now: clock.now(), log: silentLog(), holdSeconds: 3600 })),
    read: (id: string) => db.prisma.session.findUniqueOrThrow({ where: { id } }),
    casesOf: (sessionId: string) =>
      db.prisma.paymentException.findMany({ where: { sessionId }, orderBy: { id: 'asc' } }),
    eventsOf: async (id: string) =>
      (await db.prisma.event.findMany({ where: { objectId: id }, orderBy: { createdAt: 'asc' } })).map(
        ({ type }) => type,
      ),
    /** Cents by ledger account of a session; USDT and USDC together. */
    async ledgerOf(sessionId: string): Promise<Record<string, number>> {
      const { rows } = await db.pool.query(
        `SELECT split_part(p.account, ':', 1) AS account,
                (sum(p.amount / power(10::numeric, CASE p.network WHEN 'bsc' THEN 16 ELSE 4 END)))::float8 AS cents
           FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id WHERE e.session_id = $1 GROUP BY 1`,
        [sessionId],
      );
      return Object.fromEntries(
        rows.filter(({ cents }) => cents !== 0).map(({ account, cents }) => [account as string, cents as number]),
      );
    },
  };
}
