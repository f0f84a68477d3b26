// The rolling check of deposit addresses. Their final balance must equal the sum of their stored transfers, less what
// left them and is booked (outflows.ts). A reading is judged once the watcher has passed its blocks. A discrepancy is
// reported when the next reading confirms it.

import type { BalanceReader, FinalBalance, BalanceRequest } from '@/lib/networks/endpoints/balances-reader';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { eachAlone, endQuarantine } from '@/lib/platform/database/quarantine';
import { findChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { reportDiscrepancy } from '@/lib/ledger/reconciliation/report-discrepancy';
import { COMMON_CENT } from '@/lib/payments/sessions/settle/read-threshold';
import { closeDiscrepancy } from './discrepancies';
import { isUnreadDust } from './unread-dust';
import { keyOf, nextAddresses, type AddressPage } from './next-addresses';

/** Balances at the time of reading, per address and token. */
type Reading = ReadonlyMap<string, FinalBalance & { readonly address: string; readonly currency: string }>;

/** State between two runs: the reading that waits for the watcher, and the suspects of the last one. */
export type AddressCheckState = { readonly waiting: Reading | null; readonly suspects: ReadonlySet<string> };

export type AddressRun = {
  readonly chain: FollowedChain;
  readonly chainId: number;
  readonly reader: BalanceReader;
  readonly checkedThrough: number;
  readonly isSameChain: () => Promise<boolean>;
};

/**
 * Judges the previous reading once the watcher has passed its blocks, and takes the next one. Returns the position in
 * the rotation. A reading may throw a ChainError, so `keep` receives the new state as soon as it is valid.
 */
export async function checkAddresses(
  context: Context,
  run: AddressRun,
  { state, keep }: { state: AddressCheckState; keep: (state: AddressCheckState) => void },
): Promise<number> {
  const { chain, chainId, checkedThrough } = run;
  let { suspects } = state;
  if (state.waiting) {
    const row = await findChainRow(context.pool, chain.environment, chain.network);
    const last = Math.max(0, ...[...state.waiting.values()].map(({ through }) => through.number));
    if (row?.id !== chainId || row.final.number < last) return checkedThrough;
    suspects = await judge(context, run, state.waiting, suspects);
    keep({ waiting: null, suspects });
  }
  const page = await nextAddresses(context.pool, { ...run, suspects });
  const held = await read(run, page);
  if (await run.isSameChain()) keep({ waiting: held, suspects });
  return page.through;
}

/** The state in the format of the database. */
export const toStoredCheck = ({ waiting, suspects }: AddressCheckState): StoredAddressCheck => ({
  waiting: waiting && [...waiting.values()].map((one) => ({ ...one, amount: one.amount.toString() })),
  suspects: [...suspects],
});

/** The inverse of `toStoredCheck`; null when nothing is stored yet. */
export function fromStoredCheck(stored: StoredAddressCheck | null): AddressCheckState {
  const waiting = stored?.waiting?.map((one) => ({ ...one, amount: BigInt(one.amount) })) ?? null;
  return {
    waiting: waiting && new Map(waiting.map((one) => [keyOf(one), one])),
    suspects: new Set(stored?.suspects ?? []),
  };
}

export type StoredAddressCheck = {
  readonly waiting:
    readonly (Omit<FinalBalance, 'amount'> & { amount: string; address: string; currency: string })[] | null;
  readonly suspects: readonly string[];
};

async function read({ chain, reader }: AddressRun, page: AddressPage): Promise<Reading> {
  const found = new Map<string, FinalBalance & { address: string; currency: string }>();
  if (page.addresses.length === 0) return found;
  for (const currency of Object.keys(chain.spec.tokens)) {
    const holdings = page.addresses.map((address): BalanceRequest => {
      const accounts = page.accounts.get(keyOf({ address, currency }));
      return accounts ? { address, accounts } : { address };
    });
    for (const [address, held] of await reader.tokens(holdings, currency)) {
      found.set(keyOf({ address, currency }), { ...held, address, currency });
    }
  }
  return found;
}

/**
 * Reports balances that were wrong twice, closes discrepancies that no longer exist, and returns the keys that are
 * wrong now. An address for which this cannot be written is quarantined until it can.
 */
async function judge(
  context: Context,
  { chain, chainId }: AddressRun,
  held: Reading,
  suspects: ReadonlySet<string>,
): Promise<Set<string>> {
  const { environment, network } = chain;
  const sums = await storedSums(context.pool, { chainId, without: 'booked' }, held);
  const wrong = new Set<string>();
  const now = context.clock.now();
  const places = [...held].map(
    ([key, one]) => ({ kind: 'address', id: `${chainId} ${key}`, network, key, ...one }) as const,
  );
  const judged = await eachAlone(context, 'compare deposit addresses', places, async (one) => {
    const { key, address, currency, amount } = one;
    const { least, most } = sums.get(key) ?? { least: 0n, most: 0n };
    const place = { chainId, address, currency };
    const about = { environment, network, currency, address };
    const isExplained = amount <= most || isUnreadDust(chain, [{ currency, amount: amount - most }], COMMON_CENT);
    if (amount >= least && isExplained) {
      if (await closeDiscrepancy(context.pool, place, now)) {
        context.log.warn(about, 'a deposit address matches its stored transfers again');
      }
      return;
    }
    wrong.add(key);
    if (!suspects.has(key)) return;
    const found = { ...place, environment, network, expected: most, found: amount, now };
    if (await reportDiscrepancy(context.pool, found)) {
      const amounts = { expected: String(most), found: String(amount) };
      context.log.error(
        { ...about, ...amounts },
        'a deposit address holds a different amount than its stored transfers',
      );
    }
  });
  await endQuarantine(context.pool, { kind: 'address', ids: judged.map(({ id }) => id), now });
  return wrong;
}

type HeldRange = {
  readonly address: string;
  readonly currency: string;
  readonly from: { readonly number: number };
  readonly through: { readonly number: number };
};

/**
 * What an address holds according to the stored transfers: the least and the most for the blocks that a reading may be
 * of. `without`: the outgoing transfers to deduct, those that the ledger has or all of them.
 */
export async function storedSums(
  db: Db,
  { chainId, without }: { readonly chainId: number; readonly without: 'booked' | 'all' },
  held: ReadonlyMap<string, HeldRange>,
): Promise<Map<string, { least: bigint; most: bigint }>> {
  const requested = [...held.values()];
  const { rows } = await db.query<{ address: string; currency: string; least: string; most: string }>({
    name: 'reconcile-stored',
    text: `SELECT requested.address, requested.currency,
             COALESCE(sum(t.amount) FILTER (WHERE t.block_number <= requested.first), 0) - ${sent('last')} AS least,
             COALESCE(sum(t.amount) FILTER (WHERE t.block_number <= requested.last), 0) - ${sent('first')} AS most
           FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) AS requested (address, currency, first, last)
           LEFT JOIN sessions s ON requested.address IN (s.evm_address, s.tron_address, s.solana_address)
           LEFT JOIN transfers t ON t.session_id = s.id AND t.chain_id = $1 AND t.recipient = requested.address
             AND t.currency = requested.currency
           GROUP BY requested.address, requested.currency, requested.first, requested.last`,
    values: [
      chainId,
      requested.map(({ address }) => address),
      requested.map(({ currency }) => currency),
      requested.map(({ from }) => from.number),
      requested.map(({ through }) => through.number),
      without === 'all',
    ],
  });
  return new Map(rows.map((row) => [keyOf(row), { least: BigInt(row.least), most: BigInt(row.most) }]));
}

/** SQL: what left the requested address up to its `first` or `last` block. */
const sent = (block: 'first' | 'last'): string =>
  `(SELECT COALESCE(sum(o.amount), 0) FROM outgoing_transfers o WHERE o.payer = requested.address AND o.chain_id = $1
     AND o.currency = requested.currency AND o.block_number <= requested.${block} AND ($6::boolean OR o.booked_at IS NOT NULL))`;
