// The guarantees about moves from the refund wallet to the cold wallets after many kills: what the chains carried there, the rows of the
// cold transfers, the signer's journal and the ledger must be the same.

import path from 'node:path';
import { inDatabase } from './database.mjs';
import { grouped, inBatches, send } from './refund-judge.mjs';

/** From now on the worker requests no signature for a cold transfer. What is signed is sent. */
export const pauseColdTransfers = (dataDir) =>
  inDatabase(dataDir, (query) =>
    query(
      `INSERT INTO payment_pauses (environment, network, kind, paused_at, paused_by)
       SELECT DISTINCT environment, network, 'cold_transfers', now(), 'the kill campaign' FROM chains`,
    ),
  );

/**
 * @param {{ dataDir: string, wallets: Record<string, any>, coldWallets: Record<string, string>, moves: Record<string, { hash: string, currency: string, cents: bigint }[]> }} scene
 * `moves`: the transfers to the cold wallet on each chain.
 * @returns {Promise<{ guarantee: string, broken: string[] }[]>}
 */
export async function judgeColdTransfers({ dataDir, wallets, coldWallets, moves }) {
  const rows = await readRows(dataDir);
  const journal = await inBatches(rows, ({ id }) =>
    send(path.join(dataDir, 'signer.sock'), 'attempts', { intentId: id }),
  );
  const hashesOf = (n) => journal[n].attempts.map(({ hash }) => hash).toSorted();
  const brokenRows = (isWhole) => rows.flatMap((row, n) => (isWhole(row, n) ? [] : [`${row.id} ${row.status}`]));
  const completed = rows.filter(({ status }) => status === 'completed');
  const chains = Object.keys(wallets).map((network) => ({ network, carried: moves[network] ?? [] }));
  const unknown = [];
  const lost = [];
  for (const { network, carried } of chains) {
    const keyOf = ({ hash, currency, cents }) => `${hash} ${currency} ${cents}`;
    const open = grouped(
      completed.filter((row) => row.network === network),
      keyOf,
    );
    for (const one of carried)
      if (open.get(keyOf(one))?.pop() === undefined) unknown.push(`${network}: ${one.cents} cents in ${one.hash}`);
    lost.push(...[...open.values()].flat().map(({ id }) => id));
  }
  console.log(`moved to cold wallets: ${chains.map((one) => `${one.network} ${one.carried.length}`).join(', ')}`);
  return [
    {
      guarantee: 'money went to the cold wallet of every network',
      broken: chains.flatMap(({ network, carried }) => (carried.length > 0 ? [] : [network])),
    },
    { guarantee: 'every transfer to a cold wallet is one completed cold transfer of that amount', broken: unknown },
    { guarantee: 'every completed cold transfer is one transfer on the chain', broken: lost },
    {
      guarantee: 'of a completed cold transfer exactly one transaction landed, of another one none, and none is open',
      broken: brokenRows(({ status, landed, open }) => landed === (status === 'completed' ? 1 : 0) && open === 0),
    },
    {
      guarantee: 'the journal of the signer holds the same transactions of cold transfers as the database',
      broken: brokenRows(({ hashes }, n) => hashes.join() === hashesOf(n).join()),
    },
    {
      guarantee: 'the ledger has in the cold wallets what the chains have there',
      broken: await differingBalances({ dataDir, wallets, coldWallets }),
    },
  ];
}

const readRows = (dataDir) =>
  inDatabase(dataDir, async (query) => {
    const rows = await query(
      `SELECT c.id, c.network, c.currency, c.amount::text AS cents, c.status, c.transaction_hash AS hash,
         count(*) FILTER (WHERE a.status = 'landed')::int AS landed,
         count(*) FILTER (WHERE a.id IS NOT NULL AND a.ended_at IS NULL)::int AS open,
         coalesce(array_agg(a.hash ORDER BY a.hash COLLATE "C") FILTER (WHERE a.hash IS NOT NULL), '{}') AS hashes
       FROM cold_transfers c LEFT JOIN refund_attempts a ON a.intent_id = c.id GROUP BY c.id`,
    );
    return rows.map((row) => ({ ...row, cents: BigInt(row.cents) }));
  });

async function differingBalances({ dataDir, wallets, coldWallets }) {
  const booked = await inDatabase(dataDir, (query) =>
    query(`SELECT network, currency, amount::text FROM ledger_balances WHERE account = 'cold'`),
  );
  const different = [];
  for (const { network, currency, amount } of booked) {
    const held = await wallets[network].balance(currency, coldWallets[network]);
    if (held !== BigInt(amount))
      different.push(`${network} ${currency}: ${held} on the chain, ${amount} in the ledger`);
  }
  return different;
}
