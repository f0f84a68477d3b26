// The command `npm run addresses -- holdings`, bundled for scripts/stabletill/addresses.mjs: what deposit addresses hold, for an operator who sweeps
// them with a wallet of their own.

import { minorUnitsToText } from '@/lib/money/amounts';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { systemClock, type Clock } from '@/lib/platform/clock';
import { openPool, type Db } from '@/lib/platform/database/db';
import { holdingsOf } from './holdings';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

const DEFAULT_HOURS = 24;
const DEFAULT_LEAST = 1;
const MILLISECONDS_PER_HOUR = 3_600_000;

type Output = { readonly print: (line: string) => void; readonly note: (line: string) => void };

/** Runs one command and returns the exit code. */
export async function runHoldings(
  words: readonly string[],
  { databaseUrl, ...output }: Output & { readonly databaseUrl: string },
): Promise<number> {
  const [name = '', hours = String(DEFAULT_HOURS), least = String(DEFAULT_LEAST), ...more] = words;
  const spec = NETWORKS.find(({ network, chain }) => `${network}@${chain}` === name);
  if (!spec || more.length > 0 || !isCount(hours) || !isCount(least)) {
    return WRONG_USAGE;
  }
  const pool = openPool(databaseUrl, 1);
  try {
    await printHoldings({ db: pool, clock: systemClock, output }, { spec, hours: Number(hours), least: BigInt(least) });
    return 0;
  } finally {
    await pool.end();
  }
}

const isCount = (text: string): boolean => /^[0-9]{1,6}$/.test(text);

type Deps = { readonly db: Db; readonly clock: Clock; readonly output: Output };
type Wanted = { readonly spec: NetworkSpec; readonly hours: number; readonly least: bigint };

/** `least`: whole tokens. */
export async function printHoldings({ db, clock, output }: Deps, { spec, hours, least }: Wanted): Promise<void> {
  const sums = new Map<string, { count: number; amount: bigint; decimals: number }>();
  const closedBefore = new Date(clock.now().getTime() - hours * MILLISECONDS_PER_HOUR);
  output.print('index,path,address,token,amount,session,closed_at');
  for await (const one of holdingsOf(db, { spec, closedBefore })) {
    if (one.amount < least * 10n ** BigInt(one.decimals)) continue;
    const { index, path, address, currency, amount, decimals, sessionId, closedAt } = one;
    const columns = [
      index,
      path,
      address,
      currency,
      minorUnitsToText(amount, decimals),
      sessionId,
      closedAt.toISOString(),
    ];
    output.print(columns.join());
    const sum = sums.get(currency) ?? { count: 0, amount: 0n, decimals };
    sums.set(currency, { ...sum, count: sum.count + 1, amount: sum.amount + amount });
  }
  if (sums.size === 0) output.note('No address holds that much.');
  for (const [currency, { count, amount, decimals }] of sums)
    output.note(`${minorUnitsToText(amount, decimals)} ${currency} at ${count} addresses`);
}
