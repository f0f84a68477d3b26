// The command `npm run addresses -- scan`, bundled for scripts/stabletill/addresses.mjs. It makes the worker read the history of
// one deposit address again, for money that came before its network was followed or on a network that the session did
// not offer. The command only stores the order. The worker reads within its request budgets, continues after a restart,
// and stores what it finds as the watcher does.

import { recordAudit } from '@/lib/merchants/audit/record';
import { NETWORKS } from '@/lib/networks/networks';
import { systemClock, type Clock } from '@/lib/platform/clock';
import { openPool, transaction, type Db, type Pool } from '@/lib/platform/database/db';
import { moveSql } from '@/lib/platform/database/moves';
import type { Environment } from '@/lib/platform/ids';
import { longestScan } from './rescan';
import { BALANCE_CHECKS } from './states';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

/** Runs one command and returns the exit code. */
export async function runScan(
  words: readonly string[],
  { databaseUrl, print }: { readonly databaseUrl: string; readonly print: (line: string) => void },
): Promise<number> {
  const [address = '', network = '', ...blocks] = words;
  const [from = null, to = null] = blocks.map(blockOf);
  const isValid = network !== '' && blocks.length <= 2 && blocks.every((text) => blockOf(text) !== null);
  if (!isValid) {
    return WRONG_USAGE;
  }
  const pool = openPool(databaseUrl, 1);
  try {
    const request = { address, network };
    const result =
      from === null ? await progressOf(pool, request) : await orderScan(pool, systemClock, { ...request, from, to });
    print(result.text);
    return result.isRefused ? 1 : 0;
  } finally {
    await pool.end();
  }
}

const blockOf = (text: string): number | null => (/^[0-9]{1,12}$/.test(text) ? Number(text) : null);

type ScanRequest = { readonly address: string; readonly network: string };
type CommandResult = { readonly text: string; readonly isRefused: boolean };
const accepted = (text: string): CommandResult => ({ text, isRefused: false });
const refused = (text: string): CommandResult => ({ text, isRefused: true });

/** Orders the scan of an address, unless one is running. `to`: null for the last final block. */
export async function orderScan(
  pool: Pool,
  clock: Clock,
  request: ScanRequest & { readonly from: number; readonly to: number | null },
): Promise<CommandResult> {
  return transaction(pool, async (tx) => {
    const place = await placeOf(tx, request);
    if ('isRefused' in place) return place;
    const { family } = place;
    // On Solana one request for the address covers all of its history.
    const from = family === 'solana' ? place.final : request.from;
    const to = family === 'solana' ? place.final : (request.to ?? place.final);
    if (from > to || to > place.final) return refused(`Name blocks up to ${place.final}, the last one read.`);
    const most = longestScan(family);
    if (to - from >= most) return refused(`At most ${most} blocks are read at once, up to ${from + most - 1} here.`);
    const { rowCount } = await tx.query({
      name: 'address-scan-order',
      text: `INSERT INTO balance_checks AS b (session_id, chain_id, state, next_at, read_through, goal)
             VALUES ($1, $2, 'rescan', $3, $4, $5)
             ON CONFLICT (session_id, chain_id) DO UPDATE SET state = ${moveSql(BALANCE_CHECKS, 'rescan').to}, next_at = excluded.next_at, rescans = 0,
               read_through = excluded.read_through, goal = excluded.goal WHERE b.state <> 'rescan'`,
      values: [place.sessionId, place.chainId, clock.now(), from - 1, to],
    });
    if (rowCount !== 1) return progressOf(tx, request);
    await recordAudit(tx, {
      actor: 'system',
      storeId: null,
      action: 'address.scan',
      target: place.sessionId,
      details: { network: request.network, from, to },
      address: '',
      now: clock.now(),
    });
    return accepted(
      `The worker reads the blocks ${from} to ${to} of ${request.network} for the address of ${place.sessionId}.`,
    );
  });
}

/** The worker's progress with an address. */
async function progressOf(db: Db, request: ScanRequest): Promise<CommandResult> {
  const place = await placeOf(db, request);
  if ('isRefused' in place) return place;
  const { rows } = await db.query<{ read_through: string | null; goal: string | null }>({
    name: 'address-scan-progress',
    text: `SELECT read_through, goal FROM balance_checks WHERE session_id = $1 AND chain_id = $2 AND state = 'rescan'`,
    values: [place.sessionId, place.chainId],
  });
  const [running] = rows;
  if (!running) return accepted('The worker reads nothing for this address now.');
  return accepted(`The worker has read this address up to block ${running.read_through ?? 0} of ${running.goal}.`);
}

type Place = {
  readonly sessionId: string;
  readonly chainId: number;
  readonly final: number;
  readonly family: 'evm' | 'tron' | 'solana';
};

type PlaceRow = { id: string; environment: Environment } & ({ chain_id: null } | { chain_id: number; final: string });

/** The session of the address and the chain that is followed for its environment. */
async function placeOf(db: Db, { address, network }: ScanRequest): Promise<Place | CommandResult> {
  const { rows } = await db.query<PlaceRow>({
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
