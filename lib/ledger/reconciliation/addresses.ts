// The rolling check of deposit addresses. Nothing leaves them, so their final balance must equal the sum of their
// stored transfers. A reading is judged once the watcher has passed its blocks. A discrepancy is reported when the next
// reading confirms it.

import type { BalanceReader, Held, Holding } from '@/lib/networks/endpoints/balances-reader';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { eachAlone, endQuarantine } from '@/lib/platform/database/quarantine';
import { findChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { reportDiscrepancy } from '@/lib/ledger/reconciliation/report-discrepancy';
import { COMMON_CENT } from '@/lib/payments/sessions/settle/read-threshold';
import { closeDiscrepancy } from './discrepancies';
import { isSmallChange } from './unread-dust';
import { keyOf, roundOf, type Round } from './next-addresses';

/** Balances at the time of reading, per address and token. */
type Reading = ReadonlyMap<string, Held & { readonly address: string; readonly currency: string }>;

/** State between two runs: the reading that waits for the watcher, and the suspects of the last one. */
export type AddressMemory = { readonly waiting: Reading | null; readonly suspects: ReadonlySet<string> };

export type AddressTurn = {
  readonly chain: FollowedChain;
  readonly chainId: number;
  readonly reader: BalanceReader;
  readonly checkedThrough: number;
  readonly isSameChain: () => Promise<boolean>;
};

/**
 * Judges the previous reading once the watcher has got so far, and takes the next one. Returns the round's new
 * position. Taking a reading may throw a ChainError, so `keep` receives the new state as soon as it is valid.
 */
export async function checkAddresses(
  context: Context,
  turn: AddressTurn,
  { memory, keep }: { memory: AddressMemory; keep: (memory: AddressMemory) => void },
): Promise<number> {
  const { chain, chainId, checkedThrough } = turn;
  let { suspects } = memory;
  if (memory.waiting) {
    const row = await findChainRow(context.pool, chain.environment, chain.network);
    const last = Math.max(0, ...[...memory.waiting.values()].map(({ through }) => through.number));
    if (row?.id !== chainId || row.final.number < last) return checkedThrough;
    suspects = await judge(context, turn, memory.waiting, suspects);
    keep({ waiting: null, suspects });
  }
  const round = await roundOf(context.pool, { ...turn, suspects });
  const held = await read(turn, round);
  if (await turn.isSameChain()) keep({ waiting: held, suspects });
  return round.through;
}

/** The state in the format of the database. */
export const storedMemory = ({ waiting, suspects }: AddressMemory): StoredMemory => ({
  waiting: waiting && [...waiting.values()].map((one) => ({ ...one, amount: one.amount.toString() })),
  suspects: [...suspects],
});

/** The inverse of `storedMemory`; null when nothing is stored yet. */
export function addressMemory(stored: StoredMemory | null): AddressMemory {
  const waiting = stored?.waiting?.map((one) => ({ ...one, amount: BigInt(one.amount) })) ?? null;
  return {
    waiting: waiting && new Map(waiting.map((one) => [keyOf(one), one])),
    suspects: new Set(stored?.suspects ?? []),
  };
}

export type StoredMemory = {
  readonly waiting: readonly (Omit<Held, 'amount'> & { amount: string; address: string; currency: string })[] | null;
  readonly suspects: readonly string[];
};

async function read({ chain, reader }: AddressTurn, round: Round): Promise<Reading> {
  const found = new Map<string, Held & { address: string; currency: string }>();
  if (round.addresses.length === 0) return found;
  for (const currency of Object.keys(chain.spec.tokens)) {
    const holdings = round.addresses.map((address): Holding => {
      const accounts = round.accounts.get(keyOf({ address, currency }));
      return accounts ? { address, accounts } : { address };
    });
    for (const [address, held] of await reader.tokens(holdings, currency)) {
      found.set(keyOf({ address, currency }), { ...held, address, currency });
    }
  }
  return found;
}

/**
 * Reports balances that were wrong twice, closes discrepancies that are gone, and returns the keys that are wrong now.
 * An address for which this cannot be written is quarantined until it can.
 */
async function judge(
  context: Context,
  { chain, chainId }: AddressTurn,
  held: Reading,
  suspects: ReadonlySet<string>,
): Promise<Set<string>> {
  const { environment, network } = chain;
  const sums = await storedSums(context.pool, chainId, held);
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
    const isExplained = amount <= most || isSmallChange(chain, [{ currency, amount: amount - most }], COMMON_CENT);
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

/** The sums of the stored transfers up to the first and up to the last block that a reading may be of. */
export async function storedSums(
  db: Db,
  chainId: number,
  held: ReadonlyMap<string, HeldRange>,
): Promise<Map<string, { least: bigint; most: bigint }>> {
  const requested = [...held.values()];
  const { rows } = await db.query<{ address: string; currency: string; least: string; most: string }>({
    name: 'reconcile-stored',
    text: `SELECT requested.address, requested.currency,
             COALESCE(sum(t.amount) FILTER (WHERE t.block_number <= requested.first), 0) AS least,
             COALESCE(sum(t.amount) FILTER (WHERE t.block_number <= requested.last), 0) AS most
           FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) AS requested (address, currency, first, last)
           LEFT JOIN sessions s ON requested.address IN (s.evm_address, s.tron_address, s.solana_address)
           LEFT JOIN transfers t ON t.session_id = s.id AND t.chain_id = $1 AND t.recipient = requested.address
             AND t.currency = requested.currency
           GROUP BY requested.address, requested.currency`,
    values: [
      chainId,
      requested.map(({ address }) => address),
      requested.map(({ currency }) => currency),
      requested.map(({ from }) => from.number),
      requested.map(({ through }) => through.number),
    ],
  });
  return new Map(rows.map((row) => [keyOf(row), { least: BigInt(row.least), most: BigInt(row.most) }]));
}
