// Whether many people share, or may share, a payer's wallet, such as an exchange's: the customer loses what is paid back there. Three
// things decide: the operator's list, the wallet's behavior, and a presumption. The presumption applies where most payments come from
// exchanges and the list is missing or old. Public test networks and local chains have no exchanges, so only the list counts there.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import type { Payer } from './payers';
import { isListFresh } from './exchange-wallets/age';

/** A person rarely pays this many unrelated stores of one installation within a month, but an exchange's wallet soon does. */
const SHARED_FROM_STORES = 3;
const SHARED_WITHIN_DAYS = 30;
/** Reads only the payer's newest transfers, so that a busy wallet costs no more than a quiet one. */
const TRANSFERS_READ = 1000;

/** Why nothing may be paid back to the payer of these transfers without asking the customer; null when there is no objection. */
export async function exchangeObjection(
  context: Context,
  spec: NetworkSpec,
  payments: Payments,
): Promise<string | null> {
  const { pool, clock } = context;
  const label = await exchangeLabel(pool, payments);
  if (label !== null) return `The payment came from ${label}, which does not pass coins on to its customer.`;
  if (spec.chain !== 'mainnet') return null;
  if (await isShared(pool, payments, clock.now())) {
    return 'The payment came from a wallet that paid several stores here, as the wallets of exchanges do.';
  }
  if (!spec.isPaidFromExchanges || (await isListFresh(context, spec.network))) return null;
  return 'Most payments on this network come from exchanges, and this installation has no current list of their wallets.';
}

type Payments = readonly Pick<Payer, 'address' | 'network'>[];

/** The operator's label for an exchange wallet among the payers; null for all others. */
export async function exchangeLabel(db: Db, payments: Payments): Promise<string | null> {
  const { rows } = await db.query<{ label: string }>({
    name: 'held-sender',
    text: `SELECT label FROM exchange_wallets JOIN unnest($1::text[], $2::text[]) AS paid (network, address) USING (network, address)
           ORDER BY label LIMIT 1`,
    values: [payments.map(({ network }) => network), payments.map(({ address }) => address)],
  });
  return rows[0]?.label ?? null;
}

/** Whether the payer recently paid sessions of several stores, on any network. */
async function isShared(db: Db, [payment]: Payments, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - SHARED_WITHIN_DAYS * 86_400_000);
  const { rows } = await db.query<{ stores: number }>({
    name: 'payer-stores',
    text: `SELECT count(DISTINCT s.store_id)::int AS stores
           FROM (SELECT session_id, block_time FROM transfers WHERE payer = $1 ORDER BY id DESC LIMIT ${TRANSFERS_READ}) t
           JOIN sessions s ON s.id = t.session_id WHERE s.environment = 'live' AND t.block_time >= $2`,
    values: [payment?.address, since],
  });
  return (rows[0]?.stores ?? 0) >= SHARED_FROM_STORES;
}
