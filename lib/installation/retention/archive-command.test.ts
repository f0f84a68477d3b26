// The command finds a changed, cut or missing archive, and prints the rows of the others.

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { runArchive } from './archive-command';
import { writeArchive, type ArchiveFile } from './files';

const root = useTemporaryDirectory();
const WRONG_USAGE = 2;
let db: TestDatabase;
let directory: string;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

async function add(source: string, month: string, lines: string[]): Promise<ArchiveFile> {
  const archive = await writeArchive(directory, { source, month, lines });
  await db.pool.query(
    'INSERT INTO archives (source, month, file, sha256, rows, bytes) VALUES ($1, $2, $3, $4, $5, $6)',
    [...[source, `${month}-01`, archive.file, archive.sha256, archive.rows, archive.bytes]],
  );
  return archive;
}

async function run(...words: string[]): Promise<{ code: number; lines: string[]; complaints: string[] }> {
  const lines: string[] = [];
  const complaints: string[] = [];
  const deps = { print: (line: string) => lines.push(line), complain: (line: string) => complaints.push(line) };
  const code = await runArchive(words, { databaseUrl: db.url, directory, ...deps });
  return { code, lines, complaints };
}
const verified = async () => {
  const { code, lines } = await run('verify', '--json');
  return { code, ...JSON.parse(lines.join('')) };
};

let first: ArchiveFile;
let second: ArchiveFile;
beforeEach(async () => {
  await db.pool.query(
    'ALTER TABLE archives DISABLE TRIGGER USER; DELETE FROM archives; ALTER TABLE archives ENABLE TRIGGER USER',
  );
  directory = fs.mkdtempSync(path.join(root, 'archive-'));
  first = await add('deliveries', '2026-07', ['{"id":1,"event_id":"evt_1"}', '{"id":2,"event_id":"evt_2"}']);
  second = await add('deliveries', '2026-08', ['{"id":3,"event_id":"evt_1"}']);
  await add('mails', '2026-08', ['{"id":1}']);
});

it('lists rows by table and month', async () => {
  const { code, lines } = await run('list');
  expect([code, lines.map((line) => line.replace(/\d+ bytes/, 'N bytes'))]).toEqual([
    0,
    [
      'deliveries  2026-07  1 files, 2 rows, N bytes',
      'deliveries  2026-08  1 files, 1 rows, N bytes',
      'mails  2026-08  1 files, 1 rows, N bytes',
    ],
  ]);
  const json = JSON.parse((await run('list', 'mails', '2026-08', '--json')).lines.join(''));
  expect(json).toEqual({
    archives: [{ source: 'mails', month: '2026-08', files: 1, rows: 1, bytes: expect.any(Number) }],
  });
});

it('shows the rows of a table, of a month, or with a text', async () => {
  expect((await run('show', 'deliveries')).lines.map((line) => JSON.parse(line).id)).toEqual([1, 2, 3]);
  expect((await run('show', 'deliveries', '2026-08')).lines).toEqual(['{"id":3,"event_id":"evt_1"}']);
  expect((await run('show', 'deliveries', '--match', 'evt_1')).lines.map((line) => JSON.parse(line).id)).toEqual([
    1, 3,
  ]);
});

it('verifies whole archives, and notes a file of an interrupted export', async () => {
  expect(await verified()).toEqual({ code: 0, verified: 3, broken: [], unrecorded: [] });
  const left = await writeArchive(directory, { source: 'mails', month: '2026-08', lines: ['{"id":9}'] });
  expect(await verified()).toEqual({ code: 0, verified: 3, broken: [], unrecorded: [left.file] });
});

it.each<[string, (file: string) => void]>([
  ['missing', (file) => fs.rmSync(file)],
  ['cut', (file) => fs.truncateSync(file, 20)],
  ['replaced by other rows', (file) => fs.writeFileSync(file, zlib.gzipSync('{"id":1}\n{"id":4}\n'))],
  ['empty', (file) => fs.writeFileSync(file, '')],
])('reports an archive that is %s, and verifies the others', async (_, damage) => {
  damage(path.join(directory, first.file));
  const broken = [{ file: first.file, rows: 2, fault: expect.any(String) }];
  expect(await verified()).toEqual({ code: 1, verified: 2, broken, unrecorded: [] });
  expect((await run('verify')).lines.join('\n')).toContain(`BROKEN  ${first.file}`);
  expect(await run('verify', 'deliveries', '2026-08')).toMatchObject({ code: 0 });
  // The rows of the others are printed.
  const { code, lines, complaints } = await run('show', 'deliveries');
  expect([code, lines]).toEqual([1, ['{"id":3,"event_id":"evt_1"}']]);
  expect(complaints).toEqual([expect.stringContaining(`BROKEN  ${first.file}`)]);
});

it('writes the same rows into the same file, and other rows into another one', async () => {
  const lines = ['{"id":3,"event_id":"evt_1"}'];
  expect(await writeArchive(directory, { source: 'deliveries', month: '2026-08', lines })).toEqual(second);
  expect(fs.readdirSync(path.join(directory, 'deliveries/2026-08')).toSorted()).toHaveLength(2);
  expect(fs.statSync(path.join(directory, second.file)).mode & 0o077).toBe(0);
});

it.each([
  [[]],
  [['show']],
  [['list', 'sessions']],
  [['verify', 'mails', 'August']],
  [['show', 'mails', '--match']],
  [['list', '--match', 'x']],
])('refuses the words %j', async (words) => {
  expect((await run(...words)).code).toBe(WRONG_USAGE);
});
