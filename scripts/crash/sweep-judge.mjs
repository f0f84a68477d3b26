// The guarantees about sweeps after many kills: what the treasury wallets received on the chains, what the sweeps say that they
// moved, and what the ledger holds must be the same.

import { setTimeout as sleep } from 'node:timers/promises';
import { inDatabase } from './database.mjs';

/** A run of the worker that began before the pause may still plan a sweep. */
const LAST_RUN_MS = 5000;
/** Finality takes a few blocks, and a sweep that a kill interrupted goes on with the worker's next run. */
const SETTLE_LIMIT_MS = 120_000;

/**
 * Pauses sweeping, waits until the open sweeps have ended and are booked, and compares.
 * @param {{ dataDir: string, wallets: Record<string, any> }} scene
 * @returns {Promise<{ guarantee: string, broken: string[] }[]>}
 */
export async function judgeSweeps({ dataDir, wallets }) {
  await inDatabase(dataDir, (query) =>
    query(`UPDATE sweep_states SET paused_at = now(), paused_by = 'the crash test'`),
  );
  await sleep(LAST_RUN_MS);
  const end = Date.now() + SETTLE_LIMIT_MS;
  let facts = await readFacts(dataDir);
  while (Date.now() < end && facts.unsettled.length > 0) {
    await sleep(1000);
    facts = await readFacts(dataDir);
  }
  const chains = await Promise.all(
    Object.entries(wallets).map(async ([network, wallet]) => {
      const treasury = facts.treasuries.get(network);
      const received = treasury ? (await wallet.received([treasury])).get(treasury) : undefined;
      return { network, cents: received?.cents ?? 0n, count: received?.count ?? 0 };
    }),
  );
  console.log(`swept on: ${chains.map(({ network, count }) => `${network} ${count}`).join(', ')}`);
  const broken = (of) => chains.flatMap((chain) => of(chain, facts.networks.get(chain.network) ?? NOTHING) ?? []);
  return [
    {
      guarantee: 'money was swept on every network',
      broken: broken(({ network, count }) => (count > 0 ? null : network)),
    },
    { guarantee: 'every sweep ends and is booked', broken: facts.unsettled },
    {
      guarantee: 'each transfer to the treasury is stored and booked exactly once',
      broken: broken(({ network, count }, { stored }) =>
        count === stored ? null : `${network}: ${count} on the chain, ${stored} stored`,
      ),
    },
    {
      guarantee:
        'the ledger has in the treasury, or in the refund wallet where that is swept to, what the chains carried there',
      broken: broken(({ network, cents }, { held }) =>
        cents === held ? null : `${network}: ${cents} cents on the chain, ${held} in the ledger`,
      ),
    },
    {
      guarantee: 'the sweeps say that they moved what the chains carried',
      broken: broken(({ network, cents }, { moved }) =>
        cents === moved ? null : `${network}: ${cents} cents on the chain, ${moved} in the sweeps`,
      ),
    },
    { guarantee: 'no deposit address holds less than nothing', broken: facts.negative },
  ];
}

const NOTHING = { stored: 0, held: 0n, moved: 0n };

/**
 * What the database knows of sweeps. Networks appear once something of them is known. On Solana the wallet counts transactions,
 * each of which may empty several addresses.
 */
function readFacts(dataDir) {
  return inDatabase(dataDir, async (query) => {
    const states = await query('SELECT network, treasury FROM sweep_states');
    const rows = await query(
      `SELECT n.network,
         (SELECT (CASE n.network WHEN 'solana' THEN count(DISTINCT o.transaction_hash) ELSE count(*) END)::int
            FROM outgoing_transfers o WHERE o.network = n.network AND o.booked_at IS NOT NULL
            AND o.recipient = n.treasury) AS stored,
         (SELECT coalesce(sum(p.amount / (10::numeric ^ (o.decimals - 2))), 0)::bigint::text FROM ledger_postings p
            JOIN ledger_entries e ON e.id = p.entry_id JOIN outgoing_transfers o ON o.id = e.outgoing_transfer_id
            WHERE p.account IN ('treasury', 'refund_wallet') AND p.network = n.network) AS held,
         (SELECT coalesce(sum(i.moved / (10::numeric ^ (i.decimals - 2))), 0)::bigint::text FROM sweep_items i
            JOIN sweeps s ON s.id = i.sweep_id WHERE s.network = n.network AND i.moved IS NOT NULL) AS moved
       FROM sweep_states n`,
    );
    const unsettled = await query(
      `SELECT concat_ws(' ', network, kind, 'sweep', id, 'is', status) AS what FROM sweeps WHERE ended_at IS NULL
       UNION ALL SELECT concat_ws(' ', network, 'transfer', transaction_hash, 'is not booked') FROM outgoing_transfers
         WHERE booked_at IS NULL
       UNION ALL SELECT concat_ws(' ', s.network, 'sweep', s.id, 'moved', i.address, 'and no transfer is stored') FROM sweep_items i
         JOIN sweeps s ON s.id = i.sweep_id
         WHERE i.moved > 0 AND NOT EXISTS (SELECT FROM outgoing_transfers o WHERE o.payer = i.address AND o.chain_id = i.chain_id)`,
    );
    const negative = await query(
      `SELECT concat_ws(' ', address, currency, amount) AS what FROM deposit_balances WHERE amount < 0`,
    );
    return {
      treasuries: new Map(states.map(({ network, treasury }) => [network, treasury])),
      networks: new Map(
        rows.map(({ network, stored, held, moved }) => [network, { stored, held: BigInt(held), moved: BigInt(moved) }]),
      ),
      unsettled: unsettled.map(({ what }) => what),
      negative: negative.map(({ what }) => what),
    };
  });
}
