// Until when the refund wallet is known, and what the operator reads about it: a start that compares an hour, a database that was replaced
// under a running worker, endpoints that delete old blocks, wrong clocks and test networks. Two simulated endpoints, a real
// database and the real signer.

import fs from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { openPool } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import type { RefundScene } from '@/testing/refunds/refund-scene';
import { evidenceKey, PAYERS } from '@/testing/signer/signer-scene';
import { openWalletChain, openWalletScene } from '@/testing/refunds/wallet-chain';
import { runRefundsCommand } from '@/lib/refunds/recovery/command';
import { runSending } from '@/lib/refunds/sending/step';
import { openWalletCheck, type WalletCheck } from './check';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TEN_MINUTES = 600_000;
const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
const seconds = (): number => Math.floor(time.now / 1000);
const { chain, sender } = openWalletChain(clock);

let db: TestDatabase;
let scene: RefundScene;
let walletCheck: WalletCheck;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  time.now = Date.now() + HOUR;
  chain.reset();
  scene = await openWalletScene({ db, clock, sender });
  walletCheck = openWalletCheck();
});

const ok = async () => 'ok' as const;
const refund = () => scene.refund({ to: PAYERS.tron });
/** One run of a worker, five seconds after the previous one. */
async function pass(check = walletCheck, context = scene.context): Promise<void> {
  time.now += 5000;
  await runSending(context, { ...scene.sending, walletCheck: check }, ok);
}
async function idle(hours: number): Promise<void> {
  for (const end = time.now + hours * HOUR; time.now < end; time.now += 20_000) await pass();
}
const frozen = (): unknown => scene.signing.signer.state().reason;
const row = () => db.prisma.chain.findUniqueOrThrow({ where: { id: scene.chainId } });
const knownUntil = async (): Promise<number> => ((await row()).walletKnownUntil?.getTime() ?? 0) / 1000;

it('a start after weeks without refunds compares only the last hour, because the worker compares hourly', async () => {
  const first = await refund();
  await pass();
  expect(await scene.attempts(first)).toMatchObject([{ status: 'sent' }]);
  chain.requests.length = 0;
  await idle(3);
  // Once an hour, and not in each run.
  expect(chain.requests).toHaveLength(2);
  time.now += 21 * DAY;
  await pass(openWalletCheck());
  walletCheck = openWalletCheck();
  time.now += HOUR / 2;
  const next = await refund();
  await pass();
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
  expect(seconds() - (chain.requests.at(-1)?.since ?? 0)).toBeLessThan(HOUR / 1000 + 200);
});

it('workers and single runs of cron share the hourly comparison', async () => {
  await pass();
  expect(chain.requests).toHaveLength(1);
  for (let passes = 0; passes < 50; passes++) {
    time.now += 60_000;
    await pass(openWalletCheck());
  }
  expect(chain.requests).toHaveLength(1);
  time.now += HOUR;
  await pass(openWalletCheck());
  expect(chain.requests).toHaveLength(2);
});

it('sends refunds in single runs of cron', async () => {
  for (let passes = 0; passes < 3; passes++) {
    const id = await refund();
    time.now += 60_000;
    await pass(openWalletCheck());
    expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  }
});

it('a new and an idle installation start again without a freeze, whatever the wallet signed before', async () => {
  const { createdAt } = await row();
  chain.signed = [{ hash: 'old', time: Math.floor(createdAt.getTime() / 1000) - 60 }];
  for (const hours of [0, 3, 30]) {
    time.now += hours * HOUR;
    const id = await refund();
    await pass(openWalletCheck());
    expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  }
  expect(frozen()).toBeNull();
});

it('a restored machine freezes before a refund is due, and stores nothing as known', async () => {
  chain.signed = [{ hash: 'later', time: seconds() }];
  await pass();
  expect(frozen()).toMatch(/signed 1 transactions that the database does not know$/);
  expect(await row()).toMatchObject({ walletKnownUntil: null, walletReviewedUntil: new Date((seconds() - 5) * 1000) });
});

it('stores nothing as known while a single endpoint differs, and freezes nothing', async () => {
  await pass();
  const known = await knownUntil();
  time.now += HOUR;
  chain.second = [{ hash: 'made up', time: seconds() }];
  walletCheck.detectPause(clock);
  const before = await refund();
  await pass();
  expect(await scene.attempts(before)).toEqual([]);
  expect(await scene.read(before)).toMatchObject({
    holdMessage: expect.stringContaining('endpoint 2 alone reports a transaction') as string,
  });
  expect(await knownUntil()).toBe(known);
  expect(frozen()).toBeNull();
});

it('reads the endpoints once in five seconds while they disagree, for any number of refunds', async () => {
  for (let count = 0; count < 5; count++) await refund();
  chain.second = [{ hash: 'made up', time: seconds() }];
  const sending = { ...scene.sending, walletCheck };
  await scene.pass(sending);
  time.now += 2000;
  await scene.pass(sending);
  expect(chain.requests).toHaveLength(1);
  time.now += 3000;
  await scene.pass(sending);
  expect(chain.requests).toHaveLength(2);
  chain.isDown = true;
  time.now += 5000;
  await scene.pass(sending);
  chain.isDown = false;
  time.now += 2000;
  await scene.pass(sending);
  expect(chain.requests).toHaveLength(2);
});

it('compares again when the stored time went back, although no connection broke', async () => {
  await refund();
  await pass();
  const before = chain.requests.length;
  await db.pool.query(`UPDATE chains SET wallet_known_until = wallet_known_until - interval '1 hour' WHERE id = $1`, [
    scene.chainId,
  ]);
  chain.signed = [{ hash: 'forgotten', time: seconds() }];
  const next = await refund();
  await pass();
  expect(chain.requests.length).toBe(before + 1);
  expect(frozen()).toMatch(/does not know$/);
  expect(await scene.attempts(next)).toEqual([]);
});

it('pays nothing again when a copy from before the payment replaces the database', async () => {
  await refund();
  await pass();
  const again = await refund();
  const copy = await copyDatabase();
  try {
    const journal = fs.readFileSync(scene.signing.journalFile);
    await pass();
    const [{ hash } = { hash: null }] = await scene.attempts(again);
    expect(hash).not.toBeNull();
    chain.signed = [{ hash, time: seconds() }];
    fs.writeFileSync(scene.signing.journalFile, journal);
    scene.signing.restart();
    const signed = scene.signing.signed;
    await pass(walletCheck, { ...scene.context, pool: copy.pool });
    await pass(walletCheck, { ...scene.context, pool: copy.pool });
    expect(scene.signing.signed).toBe(signed);
    expect(frozen()).toMatch(/does not know$/);
  } finally {
    await copy.drop();
  }
});

/** The present state of the database, in a separate database. */
async function copyDatabase() {
  const onServer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: inject('databaseServer') });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const url = new URL(db.url);
  const source = url.pathname.slice(1);
  url.pathname = `/${source}_copy`;
  await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${source}'`);
  await onServer(`CREATE DATABASE ${source}_copy TEMPLATE ${source}`);
  const pool = openPool(url.href, 4);
  const drop = async () => {
    await pool.end();
    await onServer(`DROP DATABASE ${source}_copy WITH (FORCE)`);
  };
  return { pool, drop };
}

it('a backup older than what the endpoints keep freezes once, and not again after the operator has checked', async () => {
  await refund();
  await pass();
  // The backup is three weeks old, and the endpoints keep two days.
  time.now += 21 * DAY;
  const keepTwoDays = (): void => void (chain.kept = [seconds() - 172_800, seconds() - 172_000]);
  keepTwoDays();
  walletCheck = openWalletCheck();
  // An operator unfreezes the signer at once.
  const reasons: string[] = [];
  const calls = {
    ...scene.signing.calls,
    freeze: async (reason: string) => void reasons.push(reason),
    state: async () => ({ ...scene.signing.signer.state(), reason: reasons.at(-1) ?? null }),
  };
  scene = { ...scene, sending: { ...scene.sending, signer: { calls, evidenceKey } } };
  const next = await refund();
  // Only the run: the hourly comparison would find the wallet known already.
  time.now += 5000;
  await scene.pass({ ...scene.sending, walletCheck });
  expect(reasons).toHaveLength(1);
  expect(reasons[0]).toMatch(
    /^the endpoints keep transactions on tron since \S+, the database knows them until \S+: look at/,
  );
  expect(reasons[0]?.length).toBeLessThan(200);
  expect(await scene.attempts(next)).toEqual([]);
  expect((await row()).walletReviewedUntil).not.toBeNull();
  // The endpoints go on deleting while the operator checks for a day.
  time.now += DAY;
  keepTwoDays();
  walletCheck = openWalletCheck();
  await pass();
  expect(reasons).toHaveLength(1);
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
});

it('names the one endpoint that keeps too little, and freezes nothing because of it', async () => {
  await refund();
  await pass();
  time.now += 5 * DAY;
  chain.kept = [0, seconds() - 172_800];
  walletCheck = openWalletCheck();
  const next = await refund();
  await pass();
  expect(frozen()).toBeNull();
  expect(await scene.read(next)).toMatchObject({
    hold: 'chain_unavailable',
    holdMessage: expect.stringMatching(
      /endpoint 2 keeps transactions since \S+ only, and they are needed since/,
    ) as string,
  });
});

it('releases no refund on the report of an endpoint that is behind', async () => {
  chain.through = [null, seconds() - 1000];
  const id = await refund();
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  expect(await scene.read(id)).toMatchObject({
    holdMessage: expect.stringContaining('endpoint 2 is minutes behind') as string,
  });
});

it('a clock that is far ahead stores no future time and hides no transaction once it is right again', async () => {
  await refund();
  await pass();
  const right = time.now;
  const real = seconds();
  time.now += 3650 * DAY;
  // The chain has its own time.
  chain.through = [real, real];
  walletCheck = openWalletCheck();
  const id = await refund();
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  // Drafted under the wrong clock all the same, as by a process that had checked before.
  await db.pool.query(`UPDATE refund_attempts SET drafted_at = $1 WHERE chain_id = $2`, [clock.now(), scene.chainId]);
  expect(await knownUntil()).toBeLessThanOrEqual(real);
  time.now = right + 60_000;
  chain.through = [null, null];
  chain.signed = [{ hash: 'unknown', time: seconds() }];
  walletCheck = openWalletCheck();
  await refund();
  await pass();
  expect(frozen()).toMatch(/does not know$/);
});

it('a single endpoint that dates its blocks in the future changes nothing', async () => {
  chain.through = [null, seconds() + 365 * 86_400];
  await pass();
  expect(await knownUntil()).toBe(seconds());
});

it('holds the refunds of a public test network until an operator confirms the check, and freezes nothing', async () => {
  scene = await openWalletScene({ db, clock, sender }, 'testnet');
  const id = await refund();
  chain.signed = [{ hash: 'unknown', time: seconds() }];
  for (let passes = 0; passes < 4; passes++) {
    walletCheck.restart();
    await pass();
  }
  expect(frozen()).toBeNull();
  expect(await scene.attempts(id)).toEqual([]);
  expect(await scene.read(id)).toMatchObject({
    hold: 'chain_unavailable',
    holdMessage: expect.stringMatching(/^Since \S+ the refund wallet on tron signed 1 transactions that/) as string,
  });
  const settings = { databaseUrl: db.url, signerSocket: '/nowhere', testChains: undefined };
  const lines: string[] = [];
  const looked = (network: string) => runRefundsCommand(['looked', network], settings, (line) => lines.push(line));
  expect(await looked('nowhere')).toBe(1);
  // The command has the real time, which is an hour behind the test's.
  chain.signed = [{ hash: 'unknown', time: Math.floor(Date.now() / 1000) }];
  expect(await looked('tron')).toBe(0);
  expect(lines.at(-1)).toContain('go on');
  await pass();
  time.now += TEN_MINUTES;
  await pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('compares what landed before a draft that a clock minutes ahead dated', async () => {
  await refund();
  await pass();
  // The newest draft of the backup is dated 290 s ahead of the chain: a final block may be that old.
  await db.pool.query('UPDATE chains SET wallet_known_until = NULL WHERE id = $1', [scene.chainId]);
  await db.pool.query('UPDATE refund_attempts SET drafted_at = $2 WHERE chain_id = $1', [scene.chainId, clock.now()]);
  chain.signed = [{ hash: 'unknown', time: seconds() - 280 }];
  walletCheck = openWalletCheck();
  await refund();
  await pass();
  expect(frozen()).toMatch(/does not know$/);
});

it('drafts nothing after a machine was resumed from a snapshot of its memory, while its clock is behind the chain', async () => {
  await refund();
  await pass();
  const ahead = seconds() + 3600;
  await db.pool.query('UPDATE chains SET final_time = to_timestamp($2) WHERE id = $1', [scene.chainId, ahead]);
  chain.through = [ahead, ahead];
  const id = await refund();
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  expect((await scene.read(id)).holdMessage).toContain('ahead of the clock of this machine');
});

it('freezes nothing while recovered payments still lack their hash', async () => {
  const recovered = await refund();
  await pass();
  // As the recovery writes them: drafts without a hash, of a refund that is not due yet.
  await db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, draft, drafted_at)
     SELECT intent_id, 2, chain_id, draft, drafted_at FROM refund_attempts WHERE intent_id = $1`,
    [recovered],
  );
  await db.pool.query(`UPDATE refunds SET next_at = $2 WHERE id = $1`, [recovered, new Date(time.now + DAY)]);
  chain.signed = [{ hash: 'recovered', time: seconds() }];
  walletCheck = openWalletCheck();
  const id = await refund();
  await pass();
  expect(frozen()).toBeNull();
  expect(await scene.attempts(id)).toEqual([]);
});

it('a worker that restarts minutes after a chain was first followed compares from then, and freezes nothing', async () => {
  const followed = new Date(time.now);
  await db.pool.query('UPDATE chains SET created_at = $2 WHERE id = $1', [scene.chainId, followed]);
  // A new local chain: its first block is just as recent.
  chain.kept = [seconds(), seconds()];
  await refund();
  await pass();
  await db.pool.query('UPDATE chains SET wallet_known_until = NULL WHERE id = $1', [scene.chainId]);
  walletCheck = openWalletCheck();
  const id = await refund();
  await pass();
  expect(frozen()).toBeNull();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('an operator can confirm the check on a live network too, where the list is too long to be compared', async () => {
  const lines: string[] = [];
  const settings = { databaseUrl: db.url, signerSocket: '/nowhere', testChains: undefined };
  const looked = (...more: string[]) =>
    runRefundsCommand(['looked', 'tron', ...more], settings, (line) => lines.push(line));
  expect(await looked('--live')).toBe(1);
  expect(await looked('--lively')).toBe(2);
  await db.pool.query(`UPDATE chains SET environment = 'live' WHERE id = $1`, [scene.chainId]);
  expect(await looked()).toBe(1);
  expect((await row()).walletReviewedUntil).toBeNull();
  expect(await looked('--live')).toBe(0);
  expect(lines.at(-1)).toContain('live network tron go on');
  expect((await row()).walletReviewedUntil).not.toBeNull();
});
