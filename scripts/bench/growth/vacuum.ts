// Keeps 200 creates a second up and closes what was created, as an installation under load does: seventy in a hundred are paid, the others
// are canceled, and every event is delivered. Then prints what autovacuum left.

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sealSecret } from '@/lib/platform/crypto';
import { clearSpent } from '@/lib/merchants/api-keys/nonces';
import { rollUpSessions } from '@/lib/payments/totals/roll-up';
import { openDispatcher } from '@/lib/webhooks/delivery/deliver';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import { addAddresses } from '../database.mjs';
import { payFor } from './payments';
import { call, createSession, type Side } from './side';

const PER_SECOND = 200;
const PAID_OF_TEN = 7;
/** Sessions credited at once. */
const BLOCK = 50;
const MINUTE = 60_000;
/** More than are created in a minute. */
const ADDRESSES_A_MINUTE = 13_000;
/** Dead rows may be this part of a table, or this many in a small one: what autovacuum waits for, twice. */
const [MOST_DEAD, MOST_DEAD_ROWS] = [0.1, 20_000];
const HOT = [
  'sessions',
  'address_pool',
  'nonces',
  'deliveries',
  'delivery_attempts',
  'ledger_balances',
  'webhook_endpoints',
  'session_total_changes',
];

type Goal = { readonly what: string; readonly value: string; readonly target: string; readonly met: boolean };

export async function keepUp(side: Side, minutes: number): Promise<readonly Goal[]> {
  const receiver = await openReceiver(side);
  const dispatcher = openDispatcher(side.context);
  const created: string[] = [];
  const made = { created: 0, failed: 0 };
  const end = Date.now() + minutes * MINUTE;
  const until = async (every: number, work: () => Promise<unknown>): Promise<void> => {
    while (Date.now() < end) {
      await work();
      await sleep(every);
    }
  };
  let addresses = side.sessions + 100_000;
  const began = Date.now();
  let due = 0;
  const running = new Set<Promise<void>>();
  await Promise.all([
    until(5, async () => {
      for (; due < ((Date.now() - began) / 1000) * PER_SECOND; due++) {
        const one = createSession(side).then(
          ({ id }) => void (created.push(id), made.created++),
          () => void made.failed++,
        );
        running.add(one);
        void one.finally(() => running.delete(one));
      }
    }),
    until(50, async () => {
      while (created.length >= BLOCK) await close(side, created.splice(0, BLOCK));
    }),
    until(250, () => dispatcher.pump()),
    until(MINUTE, async () => {
      await addAddresses(side.context.pool, ADDRESSES_A_MINUTE, addresses);
      addresses += ADDRESSES_A_MINUTE;
      while ((await clearSpent(side.context)).more);
      while ((await rollUpSessions(side.context)).more);
    }),
    until(MINUTE, () => printTables(side, `${((Date.now() - began) / MINUTE).toFixed(0)} min`)),
  ]);
  await Promise.all(running);
  await dispatcher.idle(MINUTE);
  dispatcher.close();
  receiver.close();
  const tables = await printTables(side, 'at the end');
  return [
    {
      what: `creates a second for ${minutes} minutes (${made.failed} failed)`,
      value: (made.created / (minutes * 60)).toFixed(0),
      target: `${PER_SECOND}, none failed`,
      met: made.failed === 0 && made.created >= minutes * 60 * PER_SECOND * 0.98,
    },
    ...tables.map(({ name, live, dead }) => ({
      what: `dead rows of ${name} beside ${live} live ones`,
      value: String(dead),
      target: `at most ${MOST_DEAD * 100} %, or ${MOST_DEAD_ROWS}`,
      met: dead <= Math.max(MOST_DEAD_ROWS, live * MOST_DEAD),
    })),
  ];
}

async function close(side: Side, ids: readonly string[]): Promise<void> {
  const paid = ids.filter((_, n) => n % 10 < PAID_OF_TEN);
  await payFor(side, paid);
  for (const id of ids.filter((_, n) => n % 10 >= PAID_OF_TEN))
    await call(side, 'POST', `/api/v1/checkout/sessions/${id}/cancel`, {});
}

/** Every webhook of the measured store comes here. */
async function openReceiver({ context: { pool, config }, key: { storeId } }: Side): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-length': '0' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const secret = sealSecret(config.MASTER_KEYS, `whsec_${'0'.repeat(43)}`, webhookSecretPurpose(storeId, 'test'));
  await pool.query('UPDATE webhook_endpoints SET url = $2, secret_ciphertext = $3 WHERE store_id = $1', [
    storeId,
    `http://127.0.0.1:${port}/hook`,
    secret,
  ]);
  return server;
}

type Table = {
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  readonly vacuums: number;
  readonly bytes: number;
};

async function printTables({ context: { pool } }: Side, when: string): Promise<readonly Table[]> {
  const { rows } = await pool.query<Table>(
    `SELECT relname AS name, n_live_tup::float8 AS live, n_dead_tup::float8 AS dead, autovacuum_count::float8 AS vacuums,
       pg_total_relation_size(relid)::float8 AS bytes FROM pg_stat_user_tables WHERE relname = ANY ($1) ORDER BY array_position($1, relname::text)`,
    [HOT],
  );
  console.log(
    `${`\n${when}`.padEnd(28)}${['live', 'dead', 'autovacuums', 'MB'].map((one) => one.padStart(13)).join('')}`,
  );
  for (const { name, live, dead, vacuums, bytes } of rows)
    console.log(
      `${name.padEnd(27)}${[live, dead, vacuums, (bytes / 1e6).toFixed(0)].map((one) => String(one).padStart(13)).join('')}`,
    );
  return rows;
}
