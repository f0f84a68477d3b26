// How long the planner of sweeps takes with a hundred thousand deposit addresses that hold money, and how much memory.

import { transaction, type Pool } from '@/lib/platform/database/db';
import { isKeptBack, readCandidates } from '@/lib/sweeps/candidates';
import { nextBatch, rulesOf } from '@/lib/sweeps/rules';

const MEBIBYTE = 2 ** 20;
const MOST = 50;
const ROWS_AT_ONCE = 10_000;
const OWNER = '00000000-0000-4000-8000-0000000000aa';
/** Cents that the sweep of one address costs. */
const COST = 2n;

export type Planned = {
  readonly seconds: number;
  /** Memory that the process took in addition, in mebibytes. */
  readonly mebibytes: number;
  /** Statements. */
  readonly queries: number;
  /** Addresses in the batch. */
  readonly addresses: number;
};

/** Inserts closed sessions, each with a deposit address that holds this many cents of USDT on a chain of Ethereum. Returns the chain. */
export async function insertDeposits(pool: Pool, count: number, cents: number): Promise<number> {
  await pool.query(
    `INSERT INTO users (id, email, password_hash, role) VALUES ($1, 'planner@example.com', '-', 'merchant')`,
    [OWNER],
  );
  await pool.query(`INSERT INTO stores (id, owner_id, name, status) VALUES ('st_planner', $1, 'Planner', 'approved')`, [
    OWNER,
  ]);
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO chains (environment, network, genesis, final_number, final_hash, final_time, tip_number, tip_hash)
     VALUES ('live', 'ethereum', '0xplanner', 1, '0x1', now(), 1, '0x1') RETURNING id`,
  );
  const chainId = rows[0]?.id;
  if (chainId === undefined) throw new Error('PostgreSQL returned no row for a new chain');
  await insertMany(
    pool,
    count,
    (
      numbers,
    ) => `INSERT INTO sessions (id, store_id, environment, order_id, status, amount_total, currency, amount_due, currencies,
        networks, created_at, expires_at, closed_at, address_index, evm_address, tron_address, solana_address)
      SELECT 'cs_planner_' || n, 'st_planner', 'live', n, 'expired', $1, 'USD', $1, '{USDT}', '{ethereum}',
        now() - interval '2 days', now() - interval '47 hours', now() - interval '47 hours', n,
        '0x' || lpad(to_hex(n), 40, '0'), 'T' || n, 'S' || n FROM ${numbers}`,
    [cents],
  );
  await insertMany(
    pool,
    count,
    (numbers) => `INSERT INTO deposit_balances (chain_id, address, currency, decimals, session_id, amount, since)
      SELECT $1, '0x' || lpad(to_hex(n), 40, '0'), 'USDT', 6, 'cs_planner_' || n, $2::numeric * 10000, now() - interval '2 days'
      FROM ${numbers}`,
    [chainId, cents],
  );
  await pool.query('ANALYZE sessions, deposit_balances');
  return chainId;
}

/** Inserts the payment of each deposit address, whose sender is not screened yet. */
export async function insertPayments(pool: Pool, chainId: number, count: number): Promise<void> {
  await insertMany(
    pool,
    count,
    (
      numbers,
    ) => `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash,
        block_time, currency, contract, payer, recipient, amount, decimals)
      SELECT $1, 'ethereum', 'cs_planner_' || n, '0x' || n, 0, 1, '0x1', now() - interval '2 days', 'USDT', '0xc',
        '0xp' || n, '0x' || lpad(to_hex(n), 40, '0'), 1, 6 FROM ${numbers}`,
    [chainId],
    // A trigger would add each payment to the balance of its address.
    false,
  );
  await pool.query('ANALYZE transfers');
}

/** Clears the sender of each payment. */
export async function screenSenders(pool: Pool, count: number): Promise<void> {
  await insertMany(
    pool,
    count,
    (
      numbers,
    ) => `INSERT INTO screenings (environment, network, address, role, transaction_hash, verdict, requested_at, checked_at)
      SELECT 'live', 'ethereum', '0xp' || n, 'sender', '0x' || n, 'clear', now(), now() FROM ${numbers}`,
    [],
  );
  await pool.query('ANALYZE screenings');
}

/** From now on every deposit address holds dust: 12 cents. */
export async function makeDust(pool: Pool): Promise<void> {
  await pool.query('UPDATE deposit_balances SET amount = 120000');
  await pool.query('VACUUM ANALYZE deposit_balances');
}

/** Inserts rows numbered `n`, ten thousand by each statement, which keeps below the pool's timeout. */
async function insertMany(
  pool: Pool,
  count: number,
  insert: (numbers: string) => string,
  values: readonly unknown[],
  triggers = true,
): Promise<void> {
  for (let first = 1; first <= count; first += ROWS_AT_ONCE) {
    const last = Math.min(count, first + ROWS_AT_ONCE - 1);
    await transaction(pool, async (tx) => {
      if (!triggers) await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(insert(`generate_series(${first}, ${last}) n`), [...values]);
    });
  }
}

/** Plans the next batch once, as `beginSweeps` does. Without a batch it also reads whether money is kept back. */
export async function measurePlanner(
  pool: Pool,
  chainId: number,
  { isScreened }: { readonly isScreened: boolean },
): Promise<Planned> {
  const rules = rulesOf({ chain: 'mainnet', network: 'ethereum' });
  const now = new Date();
  let queries = 0;
  const counted = new Proxy(pool, {
    get(own, key) {
      if (key === 'query') queries++;
      const value = Reflect.get(own, key) as unknown;
      return typeof value === 'function' ? (value.bind(own) as unknown) : value;
    },
  });
  const before = process.memoryUsage().rss;
  const start = performance.now();
  const query = { chainId, currencies: ['USDT', 'USDC'], closedBefore: now, rules, cost: COST, now, isScreened };
  const batch = nextBatch(rules, await readCandidates(counted, query), { cost: COST, now, most: MOST });
  if (batch.length === 0) await isKeptBack(counted, query);
  const seconds = (performance.now() - start) / 1000;
  const mebibytes = (process.memoryUsage().rss - before) / MEBIBYTE;
  return { seconds, mebibytes, queries, addresses: batch.length };
}
