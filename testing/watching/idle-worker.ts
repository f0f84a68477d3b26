// A whole worker as `npm start` runs it: four local chains, a signer, exchange rates and no session. The test moves its clock, by which the
// steps run, and learns what its connections committed.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Context } from '@/lib/platform/context';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { openDispatcher } from '@/lib/webhooks/delivery/deliver';
import type { NamedStep } from '@/lib/worker/named-step';
import { heartbeat } from '@/lib/worker/processes/heartbeat';
import { hasTurns, openTurns } from '@/lib/worker/processes/turns';
import { hasWork, openQuiet } from '@/lib/worker/quiet';
import { openSteps } from '@/lib/worker/steps';
import { startChains } from '@/sandbox/chains/start';
import { LocalRates } from '@/sandbox/rates/source';
import { readRefundWallet } from '@/sandbox/refund-wallet';
import { LOCAL_TREASURY, localEntries, signerWallets, withLocalCold } from '@/scripts/start/local-treasury.mjs';
import { localChains } from '@/scripts/start/local-chains.mjs';
import { openTestClock } from '@/testing/chain-clock';
import type { TestDatabase } from '@/testing/database/database';
import { testConfig } from '@/testing/fixtures';
import { openServer } from '@/testing/server';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** As main.ts and deliver/run.ts have them. */
const LOOK = { name: 'look for work', everyMilliseconds: 1000, quietMilliseconds: 1000 };
const DELIVER = { name: 'deliver webhooks', everyMilliseconds: 250, quietMilliseconds: 60_000 };

const [ROUND_SECONDS, MOST_ROUNDS] = [5, 30];

export type IdleWorker = Awaited<ReturnType<typeof startIdleWorker>>;

/** What the worker did in a while. Statements are counted by their names or beginnings. */
export type Done = {
  readonly transactions: number;
  readonly statements: ReadonlyMap<string, number>;
  /** Inserted, updated and deleted rows, by table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
};

export async function startIdleWorker(db: TestDatabase, directory: string) {
  const clock = openTestClock(Math.floor(Date.now() / 1000));
  const EVIDENCE_KEY = randomBytes(32).toString('base64');
  const signer = await startSigner(directory, EVIDENCE_KEY);
  const chains = await startChains({
    directory: path.join(directory, 'chains'),
    refundWallet: await readRefundWallet(signer.socket),
    onFault: (error) => {
      throw error;
    },
  });
  const rates = await serveRates(clock);
  const config = testConfig({
    ...localChains({
      origin: rates.url,
      networks: Object.fromEntries([...chains.networks].map(([name, { rpcUrl }]) => [name, { rpc_url: rpcUrl }])),
    }),
    ...{ TREASURY_WALLETS: localEntries(LOCAL_TREASURY), ...withLocalCold({} as never) },
    ...{ EVIDENCE_KEY, SIGNER_SOCKET: signer.socket, ADDRESS_POOL_SIZE: '20', SWEEP_DELAY_SECONDS: '5' },
  });
  const pool = openPool(db.url, 10);
  const counter = countStatements(pool);
  let failures: string[] = [];
  const context: Context = { pool, clock, config, log: openLog('test', 'silent') };
  const quiet = openQuiet(context);
  const steps = workerSteps(context, quiet.look);
  const due = new Map(steps.map((step) => [step, clock.now().getTime()]));

  async function runStep(step: NamedStep): Promise<void> {
    const { more, soon } = await step.run(context).catch((error: unknown): Awaited<ReturnType<NamedStep['run']>> => {
      failures.push(`${step.name}: ${String(error)}`);
      return { more: false };
    });
    due.set(step, clock.now().getTime() + (more ? 0 : soon ? step.everyMilliseconds : quiet.pauseOf(step)));
  }

  async function run(seconds: number): Promise<Done> {
    const before = await counter.rows(db.pool);
    counter.reset();
    failures = [];
    const end = clock.now().getTime() + seconds * 1000;
    for (;;) {
      const [next, at] = [...due].reduce((first, one) => (one[1] < first[1] ? one : first));
      if (at >= end) break;
      clock.advance(Math.max(0, at - clock.now().getTime()));
      await runStep(next);
    }
    clock.advance(Math.max(0, end - clock.now().getTime()));
    const after = await counter.rows(db.pool);
    const rows = new Map([...after].map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const));
    return { transactions: counter.transactions(), statements: counter.statements(), rows, failures };
  }

  return {
    /** Runs every step as often as its loop would in so many seconds. */
    run,
    /** Runs what the start brings, such as deposit addresses and contracts, until nothing more is to be done. */
    async becomeQuiet(): Promise<void> {
      for (let rounds = 0; rounds < MOST_ROUNDS && !quiet.isQuiet(); rounds++) {
        await run(ROUND_SECONDS);
        if (!(await hasWork(db.pool))) clock.advance(60_000);
      }
    },
    isQuiet: quiet.isQuiet,
    async stop(): Promise<void> {
      await pool.end();
      await Promise.all([rates.close(), chains.stop(), signer.stop()]);
    },
  };
}

/** The steps of lib/worker/main.ts. */
function workerSteps(context: Context, look: () => Promise<void>): NamedStep[] {
  const own = openSteps(context).filter(({ onlyInPass }) => !onlyInPass);
  const id = randomUUID();
  const turns = openTurns(context, id);
  const names = own.map(({ name }) => name);
  const dispatcher = openDispatcher(context);
  return [
    ...own.map((step) => (hasTurns(step) ? turns.share(step) : step)),
    heartbeat({ id, runs: names, knows: names }),
    turns.renewal,
    { ...LOOK, run: async () => (await look(), { more: false }) },
    { ...DELIVER, run: async () => (await dispatcher.pump(), { more: false }) },
  ];
}

/** A statement outside a transaction is one of its own. */
function countStatements(pool: Pool) {
  const flushes = new Map<object, () => Promise<unknown>>();
  pool.on('remove', (client) => void flushes.delete(client));
  let statements = new Map<string, number>();
  let transactions = 0;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
    flushes.set(client, () => query('SELECT pg_stat_force_next_flush()'));
    let isInside = false;
    client.query = ((first: string | { name?: string; text: string }, ...others: unknown[]) => {
      const name = typeof first === 'string' ? first : (first.name ?? first.text.slice(0, 60));
      statements.set(name, (statements.get(name) ?? 0) + 1);
      if (name === 'BEGIN') isInside = true;
      else if (name === 'COMMIT' || name === 'ROLLBACK') isInside = false;
      if (!isInside) transactions++;
      return query(first, ...others);
    }) as typeof client.query;
  });
  return {
    reset: () => void ((statements = new Map()), (transactions = 0)),
    statements: () => statements,
    transactions: () => transactions,
    /** PostgreSQL counts changed rows of a connection when it is told to, or some seconds later. */
    async rows(reader: Pool): Promise<Map<string, number>> {
      for (const flush of flushes.values()) await flush();
      const { rows } = await reader.query<{ name: string; changes: number }>(
        'SELECT relname AS name, (n_tup_ins + n_tup_upd + n_tup_del)::int AS changes FROM pg_stat_user_tables',
      );
      return new Map(rows.map(({ name, changes }) => [name, changes]));
    },
  };
}

async function serveRates(clock: Context['clock']) {
  const rates = new LocalRates(clock);
  return openServer(
    http.createServer((request, response) => {
      void rates.serve({ request, response, url: new URL(request.url ?? '/', 'http://sandbox.invalid') });
    }),
  );
}

async function startSigner(directory: string, EVIDENCE_KEY: string) {
  const socket = path.join(directory, 'signer.sock');
  const env = {
    ...{ NODE_ENV: 'test', LOG_LEVEL: 'silent', EVIDENCE_KEY, SIGNER_SOCKET: socket },
    ...{ KEYSTORE_FILE: path.join(directory, 'keystore.json'), KEYSTORE_PASSPHRASE: 'a passphrase for a test only' },
    SIGNER_NETWORKS: Object.keys(LOCAL_TREASURY)
      .map((network) => `${network}@local`)
      .join(','),
    ...signerWallets({}),
  } as unknown as NodeJS.ProcessEnv;
  const start = (words: string[]): ChildProcess =>
    spawn(process.execPath, ['--import', 'tsx', 'lib/signer/main.ts', ...words], {
      ...{ cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] },
    });
  await new Promise((resolve) => start(['init']).once('exit', resolve));
  const child = start([]);
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the signer ended with ${code}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => line === '{"ready":true}' && resolve());
  });
  return {
    socket,
    stop: () => new Promise<void>((resolve) => (child.once('exit', () => resolve()), void child.kill('SIGTERM'))),
  };
}
