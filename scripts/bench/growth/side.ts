// One of the two compared installations, as the processes of the product see it: its settings, its connections, and rows to work on.

import type { Services } from '@/lib/api/services';
import { openServices } from '@/lib/api/services';
import { answer } from '@/lib/api/answer';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { closeMonths } from '@/lib/ledger/statements/close';
import { BEGINNING, chainKey, entryHash, type AuditFacts } from '@/lib/merchants/audit/chain';
import { openChains, type FollowedChain } from '@/lib/networks/registry';
import { systemClock } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { openPool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { signedRequest, type TestStore } from '@/testing/fixtures';

const CONNECTIONS = 10;
/** What people did: one entry for so many sessions. */
const SESSIONS_PER_ENTRY = 100;
const AUDIT_ROWS = 5000;
const SESSIONS = '/api/v1/checkout/sessions';

export type Picked = {
  readonly id: string;
  readonly order_id: string;
  readonly status: string;
  readonly created_at: Date;
  readonly address_index: number;
};

/** `large`: the merchant with a fourth of all sessions, whose key it is. `ordinary`: a store with as many sessions on both sides. */
type Given = {
  readonly url: string;
  readonly masterKeys: string;
  readonly evidenceKey: string;
  readonly sessions: number;
  readonly key: TestStore;
  readonly large: readonly Picked[];
  readonly ordinary: readonly Picked[];
  readonly ordinaryStore: string;
};

export type Side = Given & {
  readonly context: Context;
  readonly services: Services;
  readonly chains: readonly FollowedChain[];
  readonly end: () => Promise<void>;
};

export function openSide(given: Given): Side {
  const nowhere = 'http://127.0.0.1:9';
  const settings = {
    DATABASE_URL: given.url,
    MASTER_KEYS: given.masterKeys,
    EVIDENCE_KEY: given.evidenceKey,
    PUBLIC_URL: 'http://127.0.0.1:3000',
    TEST_CHAINS: 'local',
    TEST_ETHEREUM_URLS: nowhere,
    TEST_BSC_URLS: nowhere,
    TEST_TRON_URLS: nowhere,
    TEST_SOLANA_URLS: nowhere,
    LIMIT_LOOPBACK: 'off',
    WEBHOOKS_TO_LOOPBACK: 'on',
    RATE_SOURCES: 'off',
    // Nothing of the half year is old enough to go, so that each run of the step only looks for old rows.
    DELIVERY_RETENTION_DAYS: '240',
    LOG_LEVEL: 'silent',
  };
  // The audit log reads the master keys, which both sides share, from the settings of the process.
  Object.assign(process.env, settings);
  const config = readConfig(settings);
  const pool = openPool(given.url, CONNECTIONS);
  const context: Context = { pool, config, clock: systemClock, log: openLog('test', 'silent') };
  const chains = openChains(config, context);
  const services = openServices(context, () => chains);
  return { ...given, context, services, chains, end: () => pool.end() };
}

/** Closes every ended month, as the worker has done by then, and writes what people did. */
export async function finish({ context, sessions, key: { storeId } }: Side): Promise<void> {
  await addAudit(context, Math.ceil(sessions / SESSIONS_PER_ENTRY), storeId);
  while ((await closeMonths(context)).more);
}

/** Entries of the audit log with their chain. */
async function addAudit({ pool, config }: Context, count: number, storeId: string): Promise<void> {
  const key = chainKey(config.MASTER_KEYS, 1);
  let hash: Uint8Array = BEGINNING;
  for (let first = 1; first <= count; first += AUDIT_ROWS) {
    const rows = [];
    for (let number = first; number < Math.min(first + AUDIT_ROWS, count + 1); number++) {
      const entry: AuditFacts = {
        number: BigInt(number),
        at: new Date(Date.now() - (count - number + 1) * 1000),
        actor: 'user:00000000-0000-4000-8000-000000000001',
        storeId: number % 4 === 0 ? storeId : `st_${number % 16}`,
        action: 'refund.create',
        target: `re_${number}`,
        details: { amount: '12.50', currency: 'USDT', network: 'bsc', refund_id: `refund-${number}` },
        address: '203.0.113.9',
      };
      hash = entryHash(hash, entry, key);
      rows.push({
        ...entry,
        number: String(number),
        store_id: entry.storeId,
        hash: `\\x${Buffer.from(hash).toString('hex')}`,
      });
    }
    await pool.query(
      `INSERT INTO audit_entries (number, at, actor, store_id, action, target, details, address, hash, key_version)
       SELECT number, at, actor, store_id, action, target, details, address, hash, 1 FROM json_populate_recordset(NULL::audit_entries, $1)`,
      [JSON.stringify(rows)],
    );
  }
}

/** The first violation of each invariant of the books that does not hold. */
export async function brokenInvariants({ context }: Side): Promise<readonly string[]> {
  const found = await checkBooks(context.pool);
  return found
    .filter(({ count }) => count > 0)
    .map(({ id, count, violations }) => `${id} (${count}): ${violations[0]}`);
}

/** A signed request to the API through all of its layers but the socket. Returns the body; throws when it is refused. */
export async function call(
  side: Side,
  method: string,
  target: string,
  body?: object,
): Promise<{ readonly id: string }> {
  const [path = '', query = ''] = target.split('?');
  const given = { method, path, now: new Date(), ...(body && { body: JSON.stringify(body) }) };
  const response = await answer(side.services, { ...signedRequest(side.key, given), query, address: '127.0.0.1' });
  if (response.status >= 300) throw new Error(`${method} ${target} answered ${response.status} ${response.body}`);
  return JSON.parse(response.body) as { id: string };
}

let orders = 0;
export const createSession = (side: Side) =>
  call(side, 'POST', `${SESSIONS}/create`, {
    amount: 1250,
    currency: 'USD',
    order_id: `bench-${process.pid}-${++orders}`,
    description: 'One blue mug',
    metadata: { cart: '42' },
  });

export const chainOf = ({ chains }: Side, network: string): FollowedChain => {
  const found = chains.find((one) => one.network === network);
  if (!found) throw new Error(`${network} is not followed`);
  return found;
};

const lists = new WeakMap<Side, Map<string, readonly unknown[]>>();

/**
 * The row of this turn from a statement that is run once for each side, in the warm-up. Rows are used again from the beginning, unless the
 * operation `isOnce` for each of them.
 */
export async function rowAt<Row>(
  side: Side,
  turn: number,
  {
    text,
    values = [],
    isOnce = false,
  }: { readonly text: string; readonly values?: unknown[]; readonly isOnce?: boolean },
): Promise<Row> {
  const known = lists.get(side) ?? new Map<string, readonly unknown[]>();
  lists.set(side, known);
  const rows = known.get(text) ?? (await side.context.pool.query(text, values)).rows;
  known.set(text, rows);
  if (rows.length === 0 || (isOnce && turn >= rows.length)) throw new Error(`no row ${turn} to measure: ${text}`);
  return rows[turn % rows.length] as Row;
}
