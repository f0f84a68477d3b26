// `stabletill restore`: restores a backup of pgBackRest. `--verify` proves that the newest one can be restored: into a scratch server,
// where the books and the numbers are checked; the running database keeps the result. `--to TIME --into DIR` restores a point in time
// into a directory of yours. Neither changes the running database or its files.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isInside, newestBackup, ownerOf, readEngine, refuseOverlap, runEngine } from '../backup/pgbackrest.mjs';
import { programFor, startScratch } from '../backup/scratch-server.mjs';
import { theDatabase } from '../start/command.mjs';
import { useInstallation } from '../start/installation.mjs';

const PROGRAM = path.join(import.meta.dirname, '../../dist/restore-proof.mjs');
const WRONG_USAGE = 2;
const HOUR_MILLISECONDS = 3_600_000;
const DEFAULT_HOURS = '24';
/** The copy, the log that is replayed, and what the checks sort. */
const SPACE_FACTOR = 1.5;
/** A time without its zone would be read as another hour than the operator means. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

export const command = {
  name: 'restore',
  summary: 'proves that the newest backup can be restored, or restores a point in time',
  usage: `stabletill restore --verify [--scratch DIR] [--max-age HOURS]
Restores the newest backup and all archived log into a scratch server that only this command reaches, migrates nothing, checks the books
(stabletill check-books), event positions and deposit addresses there, and removes it. The page Health shows when that last succeeded.
stabletill restore --to TIME --into DIR
Restores the database as it was at TIME, such as 2026-11-30T14:05:00Z, into the new directory DIR, and says how to start it
(docs/operate/backup.md). It changes nothing of the running database.
Exit codes: 0 done, 1 the backup cannot be restored or something does not hold in it, 2 wrong usage.`,
  options: {
    '--verify': 'restores the newest backup into a scratch server and checks it',
    '--scratch': 'where the scratch server lies meanwhile (default: the system directory for temporary files)',
    '--max-age': 'how many hours old the restored data may be (default: 24)',
    '--to': 'the point in time, with its zone',
    '--into': 'the directory for the restored database, which must not exist',
    '--json': 'prints the result as one JSON object',
  },
  run: async (words, { print }, load = loadProgram) => {
    const options = optionsOf(words);
    if (!options) return WRONG_USAGE;
    const directory = await useInstallation({ role: 'owner', mayBeDown: !options.verify });
    const engine = readEngine(process.env);
    return options.verify
      ? verify({ engine, directory, options, print, load })
      : restoreTo({ engine, directory, options, print });
  },
};

function optionsOf(words) {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  try {
    const { values } = parseArgs({
      args: words,
      options: { verify: flag, scratch: text, to: text, into: text, json: flag, 'max-age': text },
    });
    const isPoint = values.to !== undefined && values.into !== undefined && values.scratch === undefined;
    const isProof = values.to === undefined && values.into === undefined;
    const isAge = values['max-age'] === undefined || (values.verify && Number(values['max-age']) > 0);
    if (!isAge) return null;
    return (values.verify ? isProof : isPoint) ? values : null;
  } catch {
    return null;
  }
}

function loadProgram() {
  if (!fs.existsSync(PROGRAM)) throw new Error('Not built yet: run `npm run build` first.');
  return import(PROGRAM);
}

async function verify({ engine, directory, options, print, load }) {
  const databaseUrl = theDatabase();
  const { positionOf, checkCopy, keepProof } = await load();
  const backup = await newestBackup(engine);
  if (!backup) throw new Error('There is no backup yet: run stabletill backup.');
  const started = performance.now();
  const live = await positionOf(databaseUrl);
  // An abort, a full disk or a missing PostgreSQL says nothing of the backup.
  const progress = { isAttempted: false, isAborted: false };
  const copy = { engine, directory, options, backup, databaseUrl, progress };
  const { checks, recoveredTo } = await withCopy(copy, async ({ url, recoveredTo: until }) => [
    ...(await checkCopy(url, live)),
    ageCheck(until ?? new Date(backup.stopped_at), Number(options['max-age'] ?? DEFAULT_HOURS)),
  ]).catch((error) => {
    if (progress.isAborted || !progress.isAttempted) throw error;
    return {
      recoveredTo: null,
      checks: [{ id: 'RESTORE', statement: 'the newest backup can be restored', broken: [error.message] }],
    };
  });
  const broken = checks.flatMap((one) => one.broken.map((what) => `${one.id}: ${what}`));
  const seconds = Math.round((performance.now() - started) / 1000);
  const proof = { backup: backup.label, recoveredTo, seconds, databaseBytes: BigInt(backup.database_bytes), broken };
  await keepProof(databaseUrl, proof);
  const result = {
    is_proven: broken.length === 0,
    backup,
    recovered_to: recoveredTo?.toISOString() ?? null,
    seconds,
    checks,
  };
  if (options.json) print(JSON.stringify(result, null, 2));
  else for (const line of linesOf(result)) print(line);
  return result.is_proven ? 0 : 1;
}

/** Data that ends long ago means old backups, or a gap in the archived log. */
function ageCheck(until, maxHours) {
  const hours = (Date.now() - until.getTime()) / HOUR_MILLISECONDS;
  const advice = 'run stabletill backup, and look whether the log is archived (pg_stat_archiver)';
  return {
    id: 'AGE',
    statement: `the restored data is at most ${maxHours} hours old: ${hours.toFixed(1)} hours`,
    broken: hours <= maxHours ? [] : [`it ends at ${until.toISOString()}: ${advice}`],
  };
}

/** Restores the newest backup, has `check` look at it, and removes it, whatever happens. */
async function withCopy({ engine, directory, options, backup, databaseUrl, progress }, check) {
  const parent = path.resolve(options.scratch ?? os.tmpdir());
  if (isInside(parent, engine.dataDirectory)) throw new Error(`${parent} is inside the data directory of PostgreSQL.`);
  const { bavail, bsize } = fs.statfsSync(parent);
  const needed = backup.database_bytes * SPACE_FACTOR;
  if (bavail * bsize < needed)
    throw new Error(
      `${parent} has ${bavail * bsize} bytes free, and the check needs ${needed}: name another one with --scratch.`,
    );
  const scratch = fs.mkdtempSync(path.join(parent, 'stabletill-restore-'));
  const owner = ownerOf(engine);
  const stopped = new AbortController();
  const stop = () => {
    progress.isAborted = true;
    stopped.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
  let server = null;
  try {
    const data = path.join(scratch, 'data');
    fs.mkdirSync(data, { mode: 0o700 });
    if (owner.uid !== undefined) for (const one of [scratch, data]) fs.lchownSync(one, owner.uid, owner.gid);
    refuseOverlap(engine, [directory === null ? null : path.join(directory, 'postgres'), scratch]);
    progress.isAttempted = true;
    await runEngine(engine, [
      'restore',
      `--set=${backup.label}`,
      `--pg1-path=${data}`,
      '--archive-mode=off',
      `--tablespace-map-all=${scratch}/tablespaces`,
    ]);
    stopped.signal.throwIfAborted();
    const { username, pathname } = new URL(databaseUrl);
    const names = { user: decodeURIComponent(username), database: decodeURIComponent(pathname.slice(1)) };
    progress.isAttempted = false;
    const program = await programFor(data);
    progress.isAttempted = true;
    server = await startScratch({ directory: scratch, program, owner, ...names });
    stopped.signal.throwIfAborted();
    return { checks: await check(server), recoveredTo: server.recoveredTo };
  } finally {
    await server?.stop();
    fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  }
}

async function restoreTo({ engine, directory, options, print }) {
  const at = TIME.test(options.to) ? new Date(options.to.replace(' ', 'T')) : null;
  if (!at || Number.isNaN(at.getTime()))
    throw new Error(`"${options.to}" is not a time with its zone, such as 2026-11-30T14:05:00Z.`);
  if (at.getTime() > Date.now()) throw new Error(`${at.toISOString()} is in the future.`);
  const into = path.resolve(options.into);
  if (fs.existsSync(into)) throw new Error(`${into} exists already. Name a new directory.`);
  refuseOverlap(engine, [into, directory === null ? null : path.join(directory, 'postgres')]);
  if (isInside(into, engine.dataDirectory)) throw new Error(`${into} is inside the data directory of PostgreSQL.`);
  fs.mkdirSync(into, { recursive: true, mode: 0o700 });
  const { uid, gid } = ownerOf(engine);
  if (uid !== undefined) fs.lchownSync(into, uid, gid);
  // PostgreSQL's own notation; microseconds that were typed stay.
  const target = options.to.replace('T', ' ').replace('Z', '+00');
  await runEngine(engine, [
    'restore',
    `--pg1-path=${into}`,
    '--type=time',
    `--target=${target}`,
    '--target-action=promote',
  ]);
  const result = { restored_to: at.toISOString(), directory: into, stanza: engine.stanza };
  if (options.json) print(JSON.stringify(result, null, 2));
  else
    for (const line of [
      `The files of ${result.restored_to} are in ${into}. PostgreSQL replays the log up to then at its first start.`,
      'Before that start, stop web, worker, signer and the former PostgreSQL. Then follow “After a machine was restored” in docs/operate.md:',
      'refunds and payouts that were signed after that time are in the journal of the signer and on the networks, and not in this database.',
    ])
      print(line);
  return 0;
}

function linesOf({ is_proven: isProven, backup, recovered_to: recoveredTo, seconds, checks }) {
  return [
    `${backup.type} backup ${backup.label} of PostgreSQL ${backup.postgresql}, ${recoveredTo ? `recovered to ${recoveredTo}` : 'recovered'}, in ${seconds} s`,
    ...checks.flatMap(({ id, statement, broken }) => [
      `${broken.length === 0 ? 'ok    ' : 'BROKEN'}  ${id.padEnd(10)}  ${statement}`,
      ...broken.map((what) => `                      ${what}`),
    ]),
    isProven
      ? 'The restore is proven. The scratch server is removed.'
      : 'The restore is NOT proven. The scratch server is removed.',
  ];
}
