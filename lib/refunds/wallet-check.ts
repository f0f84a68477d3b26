// The gate before a refund is drafted on a network without account nonces. When a whole machine was restored, the database and the
// signer's journal agree that a later refund was never signed. On EVM the final nonce tells that it was; elsewhere only the coins
// that are missing from the refund wallet do. So nothing is drafted before the wallet was compared with the ledger (lib/reconcile).

import type { NetworkSpec } from '@/lib/chains/networks';
import type { Context } from '@/lib/context';
import type { Pool } from '@/lib/db';
import { isNotQuarantined } from '@/lib/quarantine';
import { FOR_A_PERSON } from './plan';

/** The refund wallet on a chain. */
export type ComparedWallet = { readonly chainId: number; readonly address: string };

export type WalletCheck = {
  /** Whether the wallet was compared since this check was opened or restarted, and held all that the ledger says. */
  readonly isCompared: (context: Pick<Context, 'pool'>, wallet: ComparedWallet) => Promise<boolean>;
  /** The signer was frozen, so its journal may be another one now: what was compared before no longer counts. */
  readonly restart: () => void;
};

/**
 * The check of one network. It remembers in this process alone, because a restored database would remember too much. It compares
 * no times, because other workers, whose clocks differ, write the readings and the attempts.
 */
export function openWalletCheck({ tokens }: Pick<NetworkSpec, 'tokens'>): WalletCheck {
  let check: Opened = { ...UNCOMPARED };
  return {
    async isCompared({ pool }, wallet) {
      const given = check;
      if (given.isDone) return true;
      given.attempts ??= await openAttempts(pool, wallet);
      if (given.readings === null) {
        if ((await openAttempts(pool, wallet, given.attempts)).length > 0) return false;
        given.readings = await readingsOf(pool, wallet, Object.keys(tokens));
        await compareNow(pool, wallet.chainId);
      }
      given.isDone = await wasCompared(pool, wallet, given.readings);
      return given.isDone;
    },
    restart() {
      check = { ...UNCOMPARED };
    },
  };
}

type Opened = {
  /** The attempts that were open when the check was opened. */
  attempts: readonly string[] | null;
  /** The last readings from before those attempts had ended. */
  readings: readonly Reading[] | null;
  isDone: boolean;
};

const UNCOMPARED: Opened = { attempts: null, readings: null, isDone: false };

/** `readAt`: as text, exactly as the row has it; null without a reading. */
type Reading = { readonly asset: string; readonly readAt: string | null };

/**
 * The open attempts on a chain, or those of `among` that are open still: payments on their way could account for missing coins. The
 * few that wait for a person are not waited for.
 */
async function openAttempts(
  pool: Pool,
  { chainId }: ComparedWallet,
  among: readonly string[] | null = null,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'wallet-open-attempts',
    text: `SELECT a.id::text AS id FROM refund_attempts a JOIN refunds r ON r.id = a.intent_id
           WHERE a.chain_id = $1 AND a.ended_at IS NULL AND ($2::bigint[] IS NULL OR a.id = ANY($2))
             AND r.hold IS DISTINCT FROM '${FOR_A_PERSON}' AND ${isNotQuarantined('refund', 'a.intent_id')}`,
    values: [chainId, among],
  });
  return rows.map(({ id }) => id);
}

async function readingsOf(
  pool: Pool,
  { chainId, address }: ComparedWallet,
  currencies: readonly string[],
): Promise<readonly Reading[]> {
  const { rows } = await pool.query<Reading>({
    name: 'wallet-readings',
    text: `SELECT t.asset, w.read_at::text AS "readAt" FROM unnest($3::text[]) AS t(asset)
           LEFT JOIN wallet_balances w ON w.chain_id = $1 AND w.address = $2 AND w.asset = t.asset`,
    values: [chainId, address, currencies],
  });
  return rows;
}

/** Once per check, so that no refund waits for the usual pause between two comparisons: due by the clock of every worker. */
async function compareNow(pool: Pool, chainId: number): Promise<void> {
  await pool.query({
    name: 'reconcile-now',
    text: 'UPDATE reconciliations SET next_at = to_timestamp(0) WHERE chain_id = $1',
    values: [chainId],
  });
}

/** Whether every token was read again, and nothing was missing. */
async function wasCompared(
  pool: Pool,
  { chainId, address }: ComparedWallet,
  before: readonly Reading[],
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'wallet-compared',
    text: `SELECT FROM unnest($3::text[], $4::text[]) AS before(asset, read_at)
           JOIN wallet_balances w ON w.chain_id = $1 AND w.address = $2 AND w.asset = before.asset
           WHERE w.read_at::text IS DISTINCT FROM before.read_at AND w.unexplained >= 0`,
    values: [chainId, address, before.map(({ asset }) => asset), before.map(({ readAt }) => readAt)],
  });
  return rowCount === before.length;
}
