// What `stabletill archive` does, bundled for scripts/stabletill/archive.mjs: lists the archives, recomputes their hashes, and prints the
// rows in them. It reads the database and the directory, and changes neither.

import fs from 'node:fs/promises';
import path from 'node:path';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { WRONG_USAGE } from '@/lib/platform/exit-code';
import { readArchive, type ArchiveFile } from './files';
import { OLD_RECORDS } from './records';

type Deps = {
  readonly databaseUrl: string;
  /** ARCHIVE_DIR. */
  readonly directory: string | undefined;
  readonly print: (line: string) => void;
  /** Prints what is wrong, apart from the rows. */
  readonly complain: (line: string) => void;
};
type Recorded = ArchiveFile & { readonly source: string; readonly month: string };
type Filter = { readonly source?: string | undefined; readonly month?: string | undefined };

const SOURCES: readonly string[] = OLD_RECORDS.map(({ source }) => source);

/** Runs the command with its arguments. Returns the exit code: 1 when an archive is missing or was changed. */
export async function runArchive(words: readonly string[], deps: Deps): Promise<number> {
  const isJson = words.includes('--json');
  const [verb, ...more] = words.filter((word) => word !== '--json');
  const match = more.indexOf('--match');
  const text = match < 0 ? null : more.splice(match, 2)[1];
  const [source, month, ...others] = more;
  const isKnown = source === undefined || SOURCES.includes(source);
  if (others.length > 0 || !isKnown || text === undefined || (month !== undefined && !/^\d{4}-\d{2}$/.test(month)))
    return WRONG_USAGE;
  if (verb === 'show' && source !== undefined)
    return withPool(deps, (pool) => show(pool, deps, { source, month }, text));
  if (text !== null) return WRONG_USAGE;
  if (verb === 'list') return withPool(deps, (pool) => list(pool, deps, { source, month }, isJson));
  if (verb === 'verify') return withPool(deps, (pool) => verify(pool, deps, { source, month }, isJson));
  return WRONG_USAGE;
}

async function withPool(deps: Deps, work: (pool: Pool) => Promise<number>): Promise<number> {
  const pool = openPool(deps.databaseUrl, 1);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

async function list(pool: Pool, { print }: Deps, filter: Filter, isJson: boolean): Promise<number> {
  const { rows } = await pool.query<{ source: string; month: string; files: number; rows: number; bytes: number }>({
    name: 'archives-by-month',
    text: `SELECT source, to_char(month, 'YYYY-MM') AS month, count(*)::int AS files, sum(rows)::float8 AS rows, sum(bytes)::float8 AS bytes
           FROM archives WHERE ($1::text IS NULL OR source = $1) AND ($2::text IS NULL OR month = ($2 || '-01')::date)
           GROUP BY source, archives.month ORDER BY source, archives.month`,
    values: [filter.source ?? null, filter.month ?? null],
  });
  if (isJson) print(JSON.stringify({ archives: rows }, null, 2));
  else
    for (const one of rows)
      print(`${one.source}  ${one.month}  ${one.files} files, ${one.rows} rows, ${one.bytes} bytes`);
  if (!isJson && rows.length === 0) print('no archives');
  return 0;
}

type Verification = { file: string; rows: number; fault: string | null };

async function verify(pool: Pool, deps: Deps, filter: Filter, isJson: boolean): Promise<number> {
  const directory = directoryOf(deps);
  const files: Verification[] = [];
  const known = new Set<string>();
  for (const archive of await readRecorded(pool, filter)) {
    known.add(archive.file);
    files.push({ file: archive.file, rows: archive.rows, fault: await faultOf(directory, archive) });
  }
  const unrecorded = (await filesBelow(directory, filter)).filter((file) => !known.has(file));
  const broken = files.filter(({ fault }) => fault !== null);
  if (isJson) {
    deps.print(JSON.stringify({ verified: files.length - broken.length, broken, unrecorded }, null, 2));
  } else {
    for (const { file, fault } of broken) deps.print(`BROKEN  ${file}: ${fault}`);
    for (const file of unrecorded)
      deps.print(
        `note    ${file} is recorded nowhere: an interrupted export, whose rows are in another file or still in the database`,
      );
    const rows = files.reduce((sum, one) => sum + (one.fault === null ? one.rows : 0), 0);
    deps.print(
      `${broken.length === 0 ? 'ok     ' : 'BROKEN '} ${files.length - broken.length} of ${files.length} archives, ${rows} rows`,
    );
  }
  return broken.length === 0 ? 0 : 1;
}

/** Null when the file is as it was written. */
const faultOf = (directory: string, archive: ArchiveFile): Promise<string | null> =>
  readArchive(directory, archive).then(() => null, faultText);

const faultText = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it is missing' : (error as Error).message;

/** Prints each line as it is in the archives, the oldest file first: those that contain the text, or all. */
async function show(pool: Pool, deps: Deps, filter: Filter, text: string | null): Promise<number> {
  const directory = directoryOf(deps);
  let exitCode = 0;
  for (const archive of await readRecorded(pool, filter)) {
    try {
      const lines = (await readArchive(directory, archive)).split('\n').slice(0, -1);
      for (const line of lines) if (text === null || line.includes(text)) deps.print(line);
    } catch (error) {
      // Old files may have been deleted. The rows of the others are printed.
      deps.complain(`BROKEN  ${archive.file}: ${faultText(error)}`);
      exitCode = 1;
    }
  }
  return exitCode;
}

async function readRecorded(pool: Pool, { source, month }: Filter): Promise<Recorded[]> {
  const { rows } = await pool.query<Omit<Recorded, 'bytes'> & { bytes: string }>({
    name: 'archives-recorded',
    text: `SELECT source, to_char(month, 'YYYY-MM') AS month, file, sha256, rows, bytes FROM archives
           WHERE ($1::text IS NULL OR source = $1) AND ($2::text IS NULL OR month = ($2 || '-01')::date)
           ORDER BY source, archives.month, id`,
    values: [source ?? null, month ?? null],
  });
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

async function filesBelow(directory: string, { source, month }: Filter): Promise<string[]> {
  const found: string[] = [];
  for (const one of SOURCES.filter((name) => source === undefined || name === source)) {
    for (const each of await namesIn(path.join(directory, one))) {
      if (month !== undefined && each !== month) continue;
      const names = await namesIn(path.join(directory, one, each));
      found.push(...names.filter((name) => name.endsWith('.ndjson.gz')).map((name) => path.join(one, each, name)));
    }
  }
  return found;
}

const namesIn = (directory: string): Promise<string[]> =>
  fs.readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });

function directoryOf({ directory }: Deps): string {
  if (directory) return directory;
  throw new Error('ARCHIVE_DIR is not set: name the directory into which the worker exports old rows.');
}
