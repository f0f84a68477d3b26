// A paid session with refunds that wait for their destination. The watcher's own code stores the transfers; the rest is
// inserted into the database as session creation and the worker would have left it.

import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';
import type { AddressKind } from '@/lib/networks/sending/send';
import { findDestination } from '@/lib/refunds/destination/destination';
import type { DestinedRefund } from '@/lib/refunds/destination/payers';
import { proveTransfers, storeTransfers, type SessionTransfer } from '@/lib/payments/watcher/transfers/store';
import type { RefundStatus, SessionStatus } from '@/prisma/generated/enums';
import type { TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';

export const newEvmAddress = (): string => `0x${randomBytes(20).toString('hex')}`;
const local = (network: string) =>
  NETWORKS.find((row) => row.network === network && row.chain === 'local') as NetworkSpec;
export const ethereum = local('ethereum');
export const bsc = local('bsc');

/** The chain of a refund, on which every address is of this kind. */
export const chain = (kind: AddressKind = 'wallet', wallet = newEvmAddress()) => ({
  spec: ethereum,
  wallet,
  sender: { kindOf: () => Promise.resolve(kind) },
});
/** A main network with the test's transfers. */
export const mainnet = { ...chain(), spec: { ...ethereum, chain: 'mainnet' as const } };
/** The result for a refund that waits for an address. */
export const held = (why: string) => ({ hold: 'destination_needed', message: expect.stringContaining(why) });

let index = 5_000_000;

export type RefundChanges = {
  status?: RefundStatus;
  caseId?: bigint;
  hold?: string;
  signatureRequestedAt?: Date;
  destination?: string;
  /** The one payer that it pays back. */
  payer?: string;
  network?: string;
  cents?: bigint;
};

export type PaidChanges = Omit<Partial<SessionTransfer>, 'isPlain'> & {
  readonly isPlain?: boolean | null;
  readonly key?: MacKeys | null;
  readonly network?: NetworkSpec;
};

/** Everything belongs to one store and one Ethereum chain, both new. */
export async function openRefundScene(db: TestDatabase) {
  const clock = new TestClock();
  const config = testConfig({ EVIDENCE_KEY: randomBytes(32).toString('base64') });
  const context: Context = testContext(db, clock, config);
  const { storeId } = await makeStore(db, config);
  const chainOf = async ({ network }: NetworkSpec): Promise<number> => {
    const { rows } = await db.pool.query(`SELECT id FROM chains WHERE network = $1 AND retired_at IS NULL`, [network]);
    return rows[0]?.id ?? makeChain(db, network, unixSeconds(clock.now()));
  };
  const chainId = await chainOf(ethereum);
  const expires = unixSeconds(clock.now()) + 600;
  const scene = {
    context,
    clock,
    storeId,
    chainId,
    /** The same without the evidence key, as in the web process. */
    webContext: { ...context, config: { ...config, EVIDENCE_KEY: readConfig(MINIMUM).EVIDENCE_KEY } } as Context,
    /** A session over 12.50 USDT, completed on Ethereum or another network. */
    async session(status: SessionStatus = 'completed', network = 'ethereum'): Promise<string> {
      const id = `cs_test_${randomText()}`;
      await db.pool.query(
        `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
           created_at, expires_at, address_index, evm_address, tron_address, solana_address, status, closed_at,
           amount_received, completed_network, completed_currency, completed_transaction)
         SELECT $1, $2, 'test', $1, 1250, 'USDT', 1250, '{USDT}', $8, $3, $4, $5, $6, $1, $1, $7::"SessionStatus",
           CASE WHEN $7 <> 'pending' THEN $3::timestamptz END, CASE WHEN paid THEN 1250 ELSE 0 END,
           CASE WHEN paid THEN $9 END, CASE WHEN paid THEN 'USDT' END, CASE WHEN paid THEN '0xpaid' END
         FROM (SELECT $7 = 'completed' AS paid) AS it`,
        [
          ...[id, storeId, clock.now(), fromUnixSeconds(expires), ++index, newEvmAddress(), status],
          ...[[...new Set(['ethereum', 'bsc', network])], network],
        ],
      );
      return id;
    },
    /** A final transfer to a session, stored by the watcher; returns its row's id. `isPlain`: null as in old rows. */
    async paid(sessionId: string, given: PaidChanges = {}): Promise<bigint> {
      const { key = config.EVIDENCE_KEY, network = ethereum, ...over } = given;
      const find = {
        sessionId,
        transactionHash: `0x${randomBytes(32).toString('hex')}`,
        ordinal: 3,
        blockNumber: 50,
        blockHash: '0xb',
        blockTime: expires - 300,
        currency: 'USDT',
        contract: network.tokens.USDT!.contract,
        payer: newEvmAddress(),
        recipient: newEvmAddress(),
        amount: 12_500_000n,
        isPlain: true,
        ...over,
      } as SessionTransfer;
      const final = { chainId: await chainOf(network), foundTransfers: [find], now: clock.now() };
      const proven = await proveTransfers(db.pool, network, { ...final, evidenceKey: key ?? config.EVIDENCE_KEY });
      await transaction(db.pool, async (tx) => {
        await storeTransfers(tx, proven, final.now);
        if (key !== null) return;
        await tx.query('SET LOCAL session_replication_role = replica');
        await tx.query('UPDATE transfers SET mac = NULL WHERE transaction_hash = $1', [find.transactionHash]);
      });
      const stored = await db.prisma.transfer.findFirstOrThrow({
        where: { transactionHash: find.transactionHash, ordinal: find.ordinal },
      });
      return stored.id;
    },
    /** A refund of 5.00 USDT that the worker has leased. */
    async refund(sessionId: string, changes: RefundChanges = {}): Promise<DestinedRefund> {
      const {
        status = 'processing',
        caseId = null,
        hold = null,
        signatureRequestedAt = null,
        destination = null,
        payer = null,
      } = changes;
      const { network = 'ethereum', cents = 500n } = changes;
      const id = `re_${randomBytes(20).toString('hex')}`;
      const now = clock.now();
      await db.pool.query(
        `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, case_id, status, amount, currency,
           network, request_hash, day, created_at, sign_after, hold, hold_message, held_at, signature_requested_at, destination,
           destination_kind, destination_reference, next_at, payer)
         VALUES ($1, $2, 'test', $1, $3, $3, $4::bigint, $5::"RefundStatus", $11, 'USDT', $12, '', $6::timestamptz::date, $6, $6, $7,
           CASE WHEN $7::text IS NOT NULL THEN 'why' END, CASE WHEN $7::text IS NOT NULL THEN $6::timestamptz END, $8, $9,
           CASE WHEN $9::text IS NOT NULL THEN 'payer' END, CASE WHEN $9::text IS NOT NULL THEN 'reference' END,
           $6::timestamptz + interval '1 hour', $10)`,
        [id, storeId, sessionId, caseId, status, now, hold, signatureRequestedAt, destination, payer, cents, network],
      );
      return { id, storeId, environment: 'test', sessionId, network, caseId };
    },
    row: (id: string) => db.prisma.refund.findUniqueOrThrow({ where: { id } }),
    find: (refund: DestinedRefund, on = chain(), by: Context = context) => findDestination(by, on, refund),
    /** A refund of a session that these addresses paid. */
    async paidBy(...payers: string[]) {
      const sessionId = await scene.session();
      for (const payer of payers) await scene.paid(sessionId, { payer });
      return scene.refund(sessionId);
    },
  };
  return scene;
}

const MINIMUM = { DATABASE_URL: 'postgresql://unused', MASTER_KEYS: `1:${randomBytes(32).toString('base64')}` };

export type RefundScene = Awaited<ReturnType<typeof openRefundScene>>;
