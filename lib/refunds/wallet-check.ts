// The gate before a refund is drafted on a network without account nonces. When a whole machine was restored, the database and the
// signer's journal agree that a later refund was never signed. On EVM the final nonce tells that it was; elsewhere only the coins
// that are missing from the refund wallet do. So nothing is drafted before the wallet was compared with the ledger (lib/reconcile).

import type { NetworkSpec } from '@/lib/chains/networks';
import type { Context } from '@/lib/context';
import { isNotQuarantined } from '@/lib/quarantine';
import { FOR_A_PERSON } from './plan';

/** The refund wallet on a chain. */
export type ComparedWallet = { readonly chainId: number; readonly address: string };

export type WalletCheck = {
  /** Whether the wallet was compared since this check was opened or restarted, and held all that the ledger says. */
  readonly isCompared: (context: Pick<Context, 'pool' | 'clock'>, wallet: ComparedWallet) => Promise<boolean>;
  /** The signer was frozen, so its journal may be another one now: what was compared before no longer counts. */
  readonly restart: () => void;
};

/** The check of one network. It remembers in this process alone, because a restored database would remember too much. */
export function openWalletCheck({ tokens }: Pick<NetworkSpec, 'tokens'>): WalletCheck {
  let since: Date | null = null;
  let isDone = false;
  return {
    async isCompared(context, wallet) {
      if (isDone) return true;
      if (since === null) {
        since = context.clock.now();
        await compareNow(context, wallet.chainId);
      }
      isDone = await wasCompared(context, wallet, { since, currencies: Object.keys(tokens) });
      return isDone;
    },
    restart() {
      since = null;
      isDone = false;
    },
  };
}

/** Once per check, so that no refund waits for the usual pause between two comparisons. */
async function compareNow({ pool, clock }: Pick<Context, 'pool' | 'clock'>, chainId: number): Promise<void> {
  await pool.query({
    name: 'reconcile-now',
    text: 'UPDATE reconciliations SET next_at = least(next_at, $2) WHERE chain_id = $1',
    values: [chainId, clock.now()],
  });
}

/**
 * Every token was read since then, and nothing was missing. Payments on their way could account for missing coins, so those that were
 * open at that time must have ended before the reading; the few that wait for a person are not waited for.
 */
async function wasCompared(
  { pool }: Pick<Context, 'pool'>,
  { chainId, address }: ComparedWallet,
  { since, currencies }: { readonly since: Date; readonly currencies: readonly string[] },
): Promise<boolean> {
  const { rows } = await pool.query<{ compared: boolean }>({
    name: 'wallet-compared',
    text: `SELECT count(*) = cardinality($4::text[]) AS compared FROM wallet_balances w
           WHERE w.chain_id = $1 AND w.address = $2 AND w.read_at > $3 AND w.asset = ANY($4) AND w.unexplained >= 0
             AND NOT EXISTS (SELECT FROM refund_attempts a JOIN refunds r ON r.id = a.intent_id
               WHERE a.chain_id = $1 AND a.drafted_at <= $3 AND (a.ended_at IS NULL OR a.ended_at > w.read_at)
                 AND r.hold IS DISTINCT FROM '${FOR_A_PERSON}' AND ${isNotQuarantined('refund', 'a.intent_id')})`,
    values: [chainId, address, since, currencies],
  });
  return rows[0]?.compared ?? false;
}
