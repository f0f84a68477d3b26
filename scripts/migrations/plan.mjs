// What an upgrade would do to this database: the migrations that it lacks, the locks of their statements, and how long each
// takes at the size of its table.

import fs from 'node:fs';
import pg from 'pg';
import { missingMigrations } from '../migrate.mjs';
import { effectsOf } from './effects.mjs';

/** Bytes of a table (with its indexes) that one second of work gets through on a slow disk; measured values are several times these. */
const BYTES_PER_SECOND = { scan: 100e6, index: 15e6, rewrite: 20e6, rows: 10e6, code: 10e6, none: Infinity };
/** A lock that is held for longer is felt: requests that wait for a connection fail after two seconds. */
const FELT_SECONDS = 2;

/** Locks that stop the writes, or all use, of a table until the end of their transaction. */
const HOLDING = new Set(['ACCESS EXCLUSIVE', 'EXCLUSIVE', 'SHARE ROW EXCLUSIVE', 'SHARE']);

const SIZES = `SELECT c.relname AS name, pg_total_relation_size(c.oid)::text AS bytes
  FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace`;

/**
 * @typedef {import('./effects.mjs').Effect & { bytes: number | null, seconds: number | null, isFelt: boolean }} Step `bytes` and
 * `seconds` are null where the statement does not tell its table.
 * @typedef {{ tables: string[], seconds: number | null }} Locked what a file locks, and for how long in all
 * @typedef {{ migrations: { name: string, steps: Step[], locked: Locked }[], isOnline: boolean, breaks: string[] }} Plan `isOnline`: web and worker may
 * run meanwhile. `breaks`: what processes of the former version fail on afterwards.
 */

/**
 * Reads the database, and changes nothing.
 * @param {string} databaseUrl
 * @param {string} [directory] of the migrations
 * @returns {Promise<Plan>}
 */
export async function planUpgrade(databaseUrl, directory) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    const missing = await missingMigrations(client, directory);
    const { rows } = await client.query(SIZES);
    const sizes = new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
    const created = new Set();
    const migrations = [];
    for (const { name, file } of missing) {
      const effects = await effectsOf(fs.readFileSync(file, 'utf8'), created);
      migrations.push({ name, ...stepsOf(effects, (table) => sizes.get(table) ?? 0) });
    }
    const steps = migrations.flatMap(({ steps: own }) => own);
    return {
      migrations,
      isOnline: steps.every(({ isFelt, breaks }) => !isFelt && breaks === null),
      breaks: steps.flatMap(({ breaks }) => breaks ?? []),
    };
  } finally {
    await client.end();
  }
}

/**
 * The steps of a file. It is one transaction, so a lock is held until its last statement, and what later statements take adds up.
 * @param {import('./effects.mjs').Effect[]} effects
 * @param {(table: string) => number} bytesOf
 * @returns {{ steps: Step[], locked: Locked }}
 */
export function stepsOf(effects, bytesOf) {
  const tables = new Set();
  let isHeld = false;
  let total = 0;
  const steps = effects.map((effect) => {
    const { table, lock, work, isOnline } = effect;
    const bytes = table === null ? null : bytesOf(table);
    const seconds = work === 'none' ? 0 : bytes === null ? null : bytes / BYTES_PER_SECOND[work];
    if (HOLDING.has(lock) || !isOnline) {
      isHeld = true;
      tables.add(table ?? 'some table');
    }
    if (isHeld) total = total === null || seconds === null ? null : total + seconds;
    const isFelt = isHeld && work !== 'none' && (total === null || total > FELT_SECONDS);
    return { ...effect, bytes, seconds, isFelt };
  });
  return { steps, locked: { tables: [...tables], seconds: total } };
}

/** The plan for people, a line each. */
export function linesOf({ migrations, isOnline, breaks }) {
  if (migrations.length === 0) return ['The database has every migration of this version.'];
  const lines = [`The database lacks ${migrations.length} of this version's migrations:`];
  for (const { name, steps } of migrations) {
    lines.push('', name);
    const told = steps.filter(({ lock, work }) => lock !== null || work !== 'none');
    for (const step of told) lines.push(`  ${lineOf(step)}`);
    if (told.length === 0) lines.push('  touches no table that exists');
  }
  lines.push('');
  if (isOnline) lines.push('Web and worker may run meanwhile: no table is locked for longer than two seconds.');
  else {
    for (const { steps, locked } of migrations)
      if (steps.some(({ isFelt }) => isFelt))
        lines.push(
          `Stop web and worker: ${locked.tables.join(' and ')} ${locked.tables.length > 1 ? 'are' : 'is'} locked for ${timeOf(locked.seconds)}.`,
        );
    for (const why of breaks) lines.push(`Stop web and worker of the former version: ${why}.`);
  }
  lines.push('The times are estimates for a slow disk. Try the upgrade on a restored backup to measure them.');
  return lines;
}

function lineOf({ text, table, lock, work, bytes, seconds, isFelt, breaks }) {
  const shown = text.length > 90 ? `${text.slice(0, 89)}…` : text;
  const on = table === null ? '' : ` on ${table} (${sizeOf(bytes)})`;
  const does = work === 'none' ? '' : `, ${work} in about ${timeOf(seconds)}`;
  const marks = [isFelt ? 'LOCKED' : '', breaks ? `BREAKS: ${breaks}` : ''].filter((one) => one !== '');
  return `${shown}: ${lock ?? 'no lock'}${on}${does}${marks.length > 0 ? ` [${marks.join('; ')}]` : ''}`;
}

function sizeOf(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const index = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** index).toFixed(index === 0 ? 0 : 1)} ${units[index]}`;
}

function timeOf(seconds) {
  if (seconds === null) return 'a time that the statement does not tell';
  if (seconds < 1) return 'less than a second';
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
