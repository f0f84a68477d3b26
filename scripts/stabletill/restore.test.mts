// Backups and restores with the real pgBackRest and a real PostgreSQL whose log it archives. Skipped on a machine without pgBackRest.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readRestoreHealth } from '@/lib/installation/restores/proofs';
import { findEngine, prepareEngine } from '../backup/testing-engine.mjs';
import { freePort } from '../free-port.mjs';
import { migrate } from '../migrate.mjs';
import { startPostgres } from '../postgres.mjs';
import { command as backup } from './backup.mjs';
import { command as restore } from './restore.mjs';

const PASSWORD = 'aPasswordOfTestsOnly';
/** pgBackRest waits for the archive, on a busy machine. */
const LIMIT = { timeout: 240_000 };

const engine = findEngine();

describe.skipIf(engine === null)('backup and restore', () => {
  let home: string;
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let prepared: ReturnType<typeof prepareEngine>;
  let database: pg.Client;
  let dataDirectory: string;

  beforeAll(async () => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-engine-'));
    fs.chmodSync(home, 0o755);
    dataDirectory = path.join(home, 'postgres');
    const port = await freePort();
    prepared = prepareEngine({ directory: path.join(home, 'backups'), dataDirectory, password: PASSWORD, port });
    const { settings } = prepared;
    const programs = engine?.programs ?? null;
    server = await startPostgres({ directory: dataDirectory, password: PASSWORD, port, settings, programs });
    for (const [name, value] of Object.entries(prepared.environment)) vi.stubEnv(name, value);
    vi.stubEnv('DATABASE_URL', server.url);
    await migrate(server.url);
    database = new pg.Client({ connectionString: server.url });
    await database.connect();
  }, LIMIT.timeout);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await database?.end();
    await server?.stop();
    fs.rmSync(home, { recursive: true, force: true });
  });

  const run = async (one: typeof backup | typeof restore, words: string[]) => {
    const printed: string[] = [];
    const output = { print: (line: string) => void printed.push(line), note: () => {} };
    const code = await one.run(words, output, () => import('@/lib/installation/restores/proof-command'));
    return { code, text: printed.join('\n'), json: words.includes('--json') ? JSON.parse(printed.join('\n')) : null };
  };
  const health = () => readRestoreHealth(database, { now: new Date(), maxDays: 35 });

  test(
    'the first backup is full and encrypted, the next one incremental, and both say how far the log is archived',
    LIMIT,
    async () => {
      const first = await run(backup, ['--json']);
      expect(first.json).toMatchObject({
        backup: { type: 'full', encryption: 'aes-256-cbc', has_bad_pages: false },
        archive: { is_working: true },
        keystore: 'not included',
      });
      expect(first.code).toBe(0);
      const second = await run(backup, []);
      expect(second.text).toMatch(/^incremental backup .*_/);
      expect(second.text).toContain('The keystore and MASTER_KEYS are not part of it.');
      expect(second.text).not.toContain(PASSWORD);
    },
  );

  test(
    'a restore of the newest backup is proven, kept for the health page, and leaves nothing behind',
    LIMIT,
    async () => {
      expect(await health()).toMatchObject({ last: null, isOld: true });
      const scratch = fs.mkdtempSync(path.join(home, 'scratch-'));
      fs.chmodSync(scratch, 0o755);
      const { json, code } = await run(restore, ['--verify', '--json', '--scratch', scratch]);
      expect(json.checks.filter((one: { broken: string[] }) => one.broken.length > 0)).toEqual([]);
      expect(json.checks.map((one: { id: string }) => one.id)).toEqual(
        expect.arrayContaining(['EVENTS', 'ADDRESSES', 'MIGRATIONS']),
      );
      expect(code).toBe(0);
      expect(fs.readdirSync(scratch)).toEqual([]);
      const found = await health();
      expect(found).toMatchObject({ isOld: false, failure: null, last: { backup: json.backup.label } });
    },
  );

  test('a proof is too old after its days, and a copy whose books are broken is no proof', LIMIT, async () => {
    const inTwoMonths = new Date(Date.now() + 60 * 24 * 3600 * 1000);
    expect(await readRestoreHealth(database, { now: inTwoMonths, maxDays: 35 })).toMatchObject({ isOld: true });
    await database.query('ALTER TABLE ledger_postings DISABLE TRIGGER ALL');
    await database.query(
      `INSERT INTO ledger_postings (entry_id, account, network, currency, amount) VALUES (999999, 'received', 'ethereum', 'USDT', 5)`,
    );
    await run(backup, []);
    const { code, text } = await run(restore, ['--verify']);
    expect(text).toMatch(/BROKEN {2}\S+ .*\n +.*999999/);
    expect(text).toContain('The restore is NOT proven.');
    expect(code).toBe(1);
    const found = await health();
    expect(found.failure?.reason).toContain('999999');
    expect(found.last).not.toBeNull();
    await database.query(`DELETE FROM ledger_postings WHERE entry_id = 999999`);
    await database.query('ALTER TABLE ledger_postings ENABLE TRIGGER ALL');
  });

  test('a point in time has what was committed before it and nothing later', LIMIT, async () => {
    const at = async (name: string) => {
      await database.query(
        `INSERT INTO restore_proofs (backup, seconds, database_bytes, broken) VALUES ($1, 1, 1, '{}')`,
        [name],
      );
      const { rows } = await database.query<{ now: string }>(
        `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.USZ') AS now`,
      );
      return rows[0]!.now;
    };
    const time = await at('before');
    await at('after');
    await database.query('SELECT pg_switch_wal()');
    const into = path.join(home, 'restored');
    const { json } = await run(restore, ['--to', time, '--into', into, '--json']);
    expect(json).toMatchObject({ directory: into });
    const copy = await startPostgres({
      directory: into,
      password: PASSWORD,
      settings: ['archive_mode=off'],
      programs: engine?.programs ?? null,
    });
    const client = new pg.Client({ connectionString: copy.url });
    await client.connect();
    const { rows } = await client.query<{ backup: string }>(
      `SELECT backup FROM restore_proofs WHERE backup IN ('before', 'after')`,
    );
    await client.end();
    await copy.stop();
    expect(rows.map((row) => row.backup)).toEqual(['before']);
  });

  test(
    'a repository inside the data directory, or around it, is refused before anything is written',
    LIMIT,
    async () => {
      for (const place of [path.join(dataDirectory, 'backups'), home, dataDirectory]) {
        vi.stubEnv('PGBACKREST_REPO1_PATH', place);
        await expect(run(backup, [])).rejects.toThrow('are inside each other: a backup belongs on another disk.');
      }
      expect(fs.existsSync(path.join(dataDirectory, 'backups'))).toBe(false);
      vi.stubEnv('PGBACKREST_REPO1_PATH', prepared.repository);
    },
  );

  test(
    'a restore into a directory that exists, into the repository or to an unclear time is refused',
    LIMIT,
    async () => {
      const point = (to: string, into: string) => run(restore, ['--to', to, '--into', into]);
      const past = '2026-11-30T03:00:00Z';
      await expect(point(past, dataDirectory)).rejects.toThrow('exists already');
      await expect(point(past, path.join(prepared.repository, 'new'))).rejects.toThrow('are inside each other');
      await expect(point(past, path.join(dataDirectory, 'new'))).rejects.toThrow('inside the data directory');
      const free = path.join(home, 'never');
      await expect(point('2026-11-30 03:00:00', free)).rejects.toThrow('is not a time with its zone');
      await expect(point('2999-01-01T00:00:00Z', free)).rejects.toThrow('in the future');
      expect(fs.existsSync(free)).toBe(false);
      for (const words of [[], ['--verify', '--to', past], ['--to', past], ['--into', free], ['--what']])
        expect((await run(restore, words)).code).toBe(2);
      expect((await run(backup, ['--type', 'huge'])).code).toBe(2);
    },
  );
});
