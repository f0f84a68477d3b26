// Twenty thousand requests drawn from the OpenAPI document, against the real server and database. None may make the
// service fail, and every response matches the document. `npm run fuzz` sends a million (scripts/fuzz.mjs).

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeChain, makeStore } from '@/testing/fixtures';
import { openFrontServer, type FrontServer } from '@/testing/front-server';
import { makeRates } from '@/testing/rates';
import { openSettledSessions } from '@/testing/payments/settled-session';
import { fuzz, type FuzzOptions } from './run';

/** Fixed in the tests, so that a failure comes from a change; `npm run fuzz` draws a new seed each time. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const MILLISECONDS_EACH = 30;
const RATES = { EUR: '0.867', JPY: '156.5', KWD: '0.307', GBP: '0.79', USDT: '1' };
const [REFILL_EVERY, REFILL] = [1600, 2000];

let front: FrontServer;
let sandbox: http.Server;
let callers: FuzzOptions['callers'];

beforeAll(async () => {
  sandbox = http.createServer((request, response) => void standIn(request, response));
  await new Promise<void>((listening) => sandbox.listen(0, '127.0.0.1', listening));
  front = await openFrontServer({
    SANDBOX_ORIGIN: `http://127.0.0.1:${(sandbox.address() as AddressInfo).port}`,
    RATE_SOURCES: 'coinbase er-api',
    LIVE_BSC_URLS: 'default',
  });
  // A thousandth of the real wait: nothing arrives while the only caller waits.
  front.services.listenMilliseconds = 20;
  await makeRates(front.db, front.clock.now(), RATES);
  await makeChain(front.db, 'bsc', front.clock.now().getTime() / 1000, 'live');
  const [other, narrow, live] = [
    await makeStore(front.db, front.config),
    await makeStore(front.db, front.config),
    await makeStore(front.db, front.config, 'live'),
  ];
  await front.db.pool.query(`UPDATE api_keys SET scopes = '{}' WHERE id = $1`, [narrow.keyId]);
  callers = [
    { name: 'a store', ...front.store },
    { name: 'another store', ...other },
    { name: 'a key without scopes', ...narrow },
    { name: 'a live key', ...live },
  ];
});
afterAll(async () => {
  sandbox.closeAllConnections();
  sandbox.close();
  await front.close();
});

/** Does the work of the sandbox process on its chains: payments arrive, become final and settle their session. */
async function standIn(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  let text = '';
  for await (const part of request as AsyncIterable<Buffer>) text += part.toString();
  const asked = JSON.parse(text) as Record<string, string | number>;
  const answer = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (request.url === '/control/mine') return void answer(200, { blocks: asked.blocks, tip: 1000 });
  if (request.url === '/control/reorg') return void answer(200, { depth: asked.depth });
  // Each session needs a separate address, as the sandbox gives it.
  if (request.url === '/control/blocked-address') return void answer(200, { address: `blocked-${++blocked}` });
  if (request.url !== '/control/pay' || !/^USD[TC]$/.test(String(asked.currency)))
    return void answer(400, { message: 'Not here.' });
  const hash = await pay(asked);
  answer(200, { transaction_hash: hash, network: asked.network });
}

let paid = 0;
let blocked = 0;
async function pay({ network, currency, recipient, cents }: Record<string, string | number>): Promise<string> {
  const hash = `0x${(++paid).toString(16).padStart(64, '0')}`;
  const { pool, prisma } = front.db;
  const { rows } = await pool.query('SELECT id FROM sessions WHERE $1 IN (evm_address, tron_address, solana_address)', [
    recipient,
  ]);
  const followed = await prisma.chain.findMany({ where: { environment: 'test' } });
  const sessions = openSettledSessions(
    front.db,
    front.clock,
    Object.fromEntries(followed.map((one) => [one.network, one.id])),
  );
  const time = front.clock.now().getTime() / 1000;
  await sessions.transfer(rows[0].id, {
    cents: Number(cents),
    network: String(network),
    currency: String(currency),
    time,
    hash,
  });
  await sessions.settle(rows[0].id);
  return hash;
}

let addresses = 1_000_000;
/** Adds addresses for the sessions of the next rounds, and prints the progress of a long run. */
async function refill(sent: number): Promise<void> {
  if (sent > 0 && sent % 100_000 === 0) console.log(`${sent} requests`);
  if (sent % REFILL_EVERY !== 0) return;
  for (const environment of ['test', 'live']) {
    await front.db.pool.query(
      `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address)
       SELECT $1::"Environment", n, '0x' || lpad(to_hex(n), 40, '0'), 'T' || n, 'S' || n FROM generate_series($2::int, $3::int) AS n`,
      [environment, addresses, addresses + REFILL - 1],
    );
    addresses += REFILL;
  }
}

test(
  `${REQUESTS} requests drawn from the document get documented responses, and none makes the service fail`,
  { timeout: 120_000 + REQUESTS * MILLISECONDS_EACH },
  async () => {
    const started = performance.now();
    const now = () => Math.floor(front.clock.now().getTime() / 1000);
    const options = {
      origin: `http://127.0.0.1:${front.port}`,
      callers,
      seed: SEED,
      requests: REQUESTS,
      now,
      beforeRound: refill,
    };
    const { fault, answers } = await fuzz(options);
    console.log(`seed ${SEED}, ${Math.round(performance.now() - started)} ms`);
    for (const [operation, tally] of Object.entries(answers)) console.log(operation, JSON.stringify(tally));
    expect(fault).toBeNull();
    // An operation that no request got through to was not really tested.
    const lacks = (has: (status: string) => boolean) =>
      Object.entries(answers).flatMap(([name, tally]) => (Object.keys(tally).some(has) ? [] : [name]));
    expect(lacks((status) => !/^(401|404 NOT_FOUND|405)/.test(status))).toEqual([]);
    expect(lacks((status) => status.startsWith('401'))).toEqual([]);
  },
);
