// What `npm run addresses -- scan` does, bundled for scripts/addresses.mjs: has the worker read the history of one deposit address
// again, for money that came before its network was followed or on a network that the session did not offer. The command only
// stores the order; the worker reads within its request budgets, continues after a restart, and stores what it finds as the
// watcher does.

import { recordAudit } from '@/lib/merchants/audit/record';
import { NETWORKS } from '@/lib/networks/networks';
import { systemClock, type Clock } from '@/lib/platform/clock';
import { openPool, transaction, type Db, type Pool } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { longestScan } from './rescan';

const USAGE = `npm run addresses -- scan ADDRESS NETWORK FROM [TO]

Has the worker read the blocks FROM to TO (default: the last final block) of NETWORK for transfers to one deposit address. ADDRESS
is a deposit address or the id of its session. What is found shows with the session, as if the watcher had found it. On Solana the
whole history of the address is read, whatever FROM says. Without FROM it tells how far the worker is. It needs DATABASE_URL.`;

/** Runs one command; the exit code. */
export async function runScan(
  words: readonly string[],
  { databaseUrl, print }: { readonly databaseUrl: string; readonly print: (line: string) => void },
): Promise<number> {
  const [address = '', network = '', ...blocks] = words;
  const [from = null, to = null] = blocks.map(blockOf);
  const isValid = network !== '' && blocks.length <= 2 && blocks.every((text) => blockOf(text) !== null);
  if (!isValid) {
    print(USAGE);
    return address === '--help' ? 0 : 1;
  }
  const pool = openPool(databaseUrl, 1);
  try {
    const asked = { address, network };
    const done =
      from === null ? await progressOf(pool, asked) : await orderScan(pool, systemClock, { ...asked, from, to });
    print(done.text);
    return done.isRefused ? 1 : 0;
  } finally {
    await pool.end();
  }
}

const blockOf = (text: string): number | null => (/^[0-9]{1,12}$/.test(text) ? Number(text) : null);

type Asked = { readonly address: string; readonly network: string };
type Told = { readonly text: string; readonly isRefused: boolean };
const told = (text: string): Told => ({ text, isRefused: false });
const refused = (text: string): Told => ({ text, isRefused: true });

/** Orders the scan of an address, unless one runs. `to`: null for the last final block. */
export async function orderScan(
  pool: Pool,
  clock: Clock,
  asked: Asked & { readonly from: number; readonly to: number | null },
): Promise<Told> {
  return transaction(pool, async (tx) => {
    const place = await placeOf(tx, asked);
    if ('isRefused' in place) return place;
    const { family } = place;
    // One look at the address covers all of its history there.
    const from = family === 'solana' ? place.final : asked.from;
    const to = family === 'solana' ? place.final : (asked.to ?? place.final);
    if (from > to || to > place.final) return refused(`Name blocks up to ${place.final}, the last one read.`);
    const most = longestScan(family);
    if (to - from >= most) return refused(`At most ${most} blocks are read at once, up to ${from + most - 1} here.`);
    const { rowCount } = await tx.query({
      name: 'address-scan-order',
      text: `INSERT INTO balance_checks AS b (session_id, chain_id, state, next_at, read_through, goal)
             VALUES ($1, $2, 'rescan', $3, $4, $5)
             ON CONFLICT (session_id, chain_id) DO UPDATE SET state = 'rescan', next_at = excluded.next_at, rescans = 0,
               read_through = excluded.read_through, goal = excluded.goal WHERE b.state <> 'rescan'`,
      values: [place.sessionId, place.chainId, clock.now(), from - 1, to],
    });
    if (rowCount !== 1) return progressOf(tx, asked);
    await recordAudit(tx, {
      actor: 'system',
      storeId: null,
      action: 'address.scan',
      target: place.sessionId,
      details: { network: asked.network, from, to },
      address: '',
      now: clock.now(),
    });
    return told(
      `The worker reads the blocks ${from} to ${to} of ${asked.network} for the address of ${place.sessionId}.`,
    );
  });
}

/** How far the worker is with an address. */
async function progressOf(db: Db, asked: Asked): Promise<Told> {
  const place = await placeOf(db, asked);
  if ('isRefused' in place) return place;
  const { rows } = await db.query<{ read_through: string | null; goal: string | null }>({
    name: 'address-scan-progress',
    text: `SELECT read_through, goal FROM balance_checks WHERE session_id = $1 AND chain_id = $2 AND state = 'rescan'`,
    values: [place.sessionId, place.chainId],
  });
  const [running] = rows;
  if (!running) return told('The worker reads nothing for this address now.');
  return told(`The worker has read this address up to block ${running.read_through ?? 0} of ${running.goal}.`);
}

type Place = {
  readonly sessionId: string;
  readonly chainId: number;
  readonly final: number;
  readonly family: 'evm' | 'tron' | 'solana';
};

/** The session of the address and the chain that is followed for its environment. */
async function placeOf(db: Db, { address, network }: Asked): Promise<Place | Told> {
  const { rows } = await db.query<{ id: string; environment: Environment; chain_id: number | null; final: string }>({
    name: 'address-scan-place',
    text: `SELECT s.id, s.environment, c.id AS chain_id, c.final_number AS final FROM sessions s
             LEFT JOIN chains c ON c.environment = s.environment AND c.network = $2 AND c.retired_at IS NULL
           WHERE s.id = $1 OR s.evm_address = lower($1) OR s.tron_address = $1 OR s.solana_address = $1`,
    values: [address, network],
  });
  const [row] = rows;
  const spec = NETWORKS.find((one) => one.network === network);
  if (!row) return refused('No session has this id or deposit address.');
  if (!spec || row.chain_id === null)
    return refused(`${network} is not followed in the ${row.environment} environment.`);
  return { sessionId: row.id, chainId: row.chain_id, final: Number(row.final), family: spec.family };
}
