// A store's month with many payments, and how long its statement takes as a file and how much memory.

import { downloadStatement, type StatementFormat } from '@/lib/dashboard/statements/download';
import { downloadPayers, downloadPayments, type ReportFormat } from '@/lib/dashboard/statements/reports';
import { closeMonths } from '@/lib/ledger/statements/close';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { systemClock } from '@/lib/platform/clock';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';

const MEBIBYTE = 2 ** 20;
const SAMPLE_MILLISECONDS = 20;
/** Below the statement timeout of the pool. */
const ROWS_AT_ONCE = 20_000;
/** Wallets that the payments come from. */
const PAYERS = 50_000;
/** A month that has ended whenever this runs. */
const MONTH = `(date_trunc('month', now()) - interval '2 months')`;

/** Inserts this many payments of a store in one month, each with its session, transfer and entry. Returns the month. */
export async function insertMonth(pool: Pool, storeId: string, count: number): Promise<string> {
  const at = `${MONTH} + n * (interval '28 days' / ${count})`;
  const id = `'cs_test_' || lpad(n::text, 22, '0')`;
  const amount = `(500 + n % 20000)::numeric * 10000000000000000`;
  for (let first = 1; first <= count; first += ROWS_AT_ONCE) {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      // Skips checking row by row, because the generated rows are valid.
      await client.query('SET LOCAL session_replication_role = replica');
      const numbers = `generate_series(${first}, ${Math.min(count, first + ROWS_AT_ONCE - 1)}) n`;
      const insert = (text: string) => client.query(`${text} FROM ${numbers}`);
      await insert(`INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
          created_at, expires_at, address_index, evm_address, tron_address, solana_address, offered_pairs)
        SELECT ${id}, '${storeId}', 'test', 'order-' || n, 1250, 'USD', 1250, '{USDT}', '{bsc}', ${at}, ${at}, n, 'e' || n, 't' || n, 's' || n, '{bsc:USDT}'`);
      await insert(`INSERT INTO transfers (id, chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
          currency, contract, payer, recipient, amount, decimals)
        SELECT n, 1, 'bsc', ${id}, '0x' || md5(n::text) || md5('-' || n), 0, n, '0xb', ${at}, 'USDT', '0xc', '0xp' || n % ${PAYERS}, 'e' || n, ${amount}, 18`);
      await insert(`INSERT INTO ledger_entries (id, kind, store_id, environment, session_id, transfer_id, created_at)
        SELECT n, 'transfer', '${storeId}', 'test', ${id}, n, ${at}`);
      for (const [account, sign] of [
        ['received', ''],
        [`store:${storeId}`, '-'],
      ])
        await insert(`INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
          SELECT n, '${account}', 'bsc', 'USDT', ${sign}${amount}`);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }
  await pool.query(`INSERT INTO ledger_balances (environment, account, network, currency, amount)
    SELECT 'test'::"Environment", account, network, currency, sum(amount) FROM ledger_postings GROUP BY 2, 3, 4`);
  const { rows } = await pool.query<{ month: string }>(`SELECT to_char(${MONTH}, 'YYYY-MM') AS month`);
  return rows[0]?.month ?? '';
}

/** For one process that does nothing else. `end` closes its connections. */
export function openReader(databaseUrl: string, masterKeys: string) {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: masterKeys,
    PUBLIC_URL: 'http://127.0.0.1:3000',
    TEST_CHAINS: 'local',
    LOG_LEVEL: 'silent',
  });
  const pool = openPool(databaseUrl, 10);
  const context: Context = { pool, config, clock: systemClock, log: openLog('web', 'silent') };
  return { context, pool, end: () => pool.end() };
}

export type Measured = {
  readonly seconds: number;
  /** Of this process. On a busy machine it says more than the seconds. */
  readonly cpuSeconds: number;
  /** The most memory that the process held at once beyond what it held before, in mebibytes. */
  readonly mebibytes: number;
  readonly bytes: number;
  readonly lines: number;
};

/** A file of the payments of a month, or of its year by payer. */
export const measureReport = (
  context: Context,
  storeId: string,
  {
    report,
    format,
    query,
  }: { readonly report: 'payments' | 'payers'; readonly format: ReportFormat; readonly query: string },
): Promise<Measured> =>
  measured(async (count) => {
    const download = report === 'payments' ? downloadPayments : downloadPayers;
    const file = await download(context, { storeId, environment: 'test' }, format, new URLSearchParams(query));
    for await (const chunk of file.body as ReadableStream<Uint8Array>) count(chunk);
  });

export async function measureDownload(
  context: Context,
  storeId: string,
  { format, query }: { readonly format: StatementFormat; readonly query: string },
): Promise<Measured> {
  const of = { storeId, environment: 'test' } as const;
  return measured(async (count) => {
    const file = await downloadStatement(context, of, format, new URLSearchParams(query));
    for await (const chunk of file.body as ReadableStream<Uint8Array>) count(chunk);
  });
}

/** Closes every ended month. */
export const measureClosing = (context: Context): Promise<Measured> =>
  measured(async () => {
    while ((await closeMonths(context)).more);
  });

const LINE_FEED = 10;

async function measured(work: (count: (chunk: Uint8Array) => void) => Promise<void>): Promise<Measured> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let [most, bytes, lines] = [before, 0, 0];
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), SAMPLE_MILLISECONDS);
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await work((chunk) => {
    bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines++;
  });
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: (user + system) / 1e6,
    mebibytes: (most - before) / MEBIBYTE,
    bytes,
    lines,
  };
}
