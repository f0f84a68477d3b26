// A PostgreSQL whose log pgBackRest archives, for tests and drills: with the embedded PostgreSQL where pgBackRest knows its version
// (2.57 knows 18), else with the newest one of Debian, whose pgBackRest knows that.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const DEBIAN = '/usr/lib/postgresql';
const KNOWS_18 = [2, 57];
/** Of the drill and the tests only: an operator makes a random one. */
const PASSPHRASE = 'a passphrase of tests and drills only';

/** Null without pgBackRest on this machine. */
export function findEngine() {
  const found = spawnSync('pgbackrest', ['version'], { encoding: 'utf8', cwd: '/' });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(found.stdout ?? '') ?? [];
  if (!major) return null;
  const isNew = Number(major) > KNOWS_18[0] || Number(minor) >= KNOWS_18[1];
  if (isNew) return { programs: null, version: `${major}.${minor}` };
  const [newest] = fs.existsSync(DEBIAN)
    ? fs.readdirSync(DEBIAN).toSorted((one, other) => Number(other) - Number(one))
    : [];
  return newest ? { programs: path.join(DEBIAN, newest, 'bin'), version: `${major}.${minor}` } : null;
}

/**
 * Writes the configuration of an encrypted repository in `directory`, and returns the server's settings and the environment of commands.
 * The user of `owner` must be able to enter `directory`.
 * @param {{ directory: string, dataDirectory: string, password: string, port: number }} given
 */
export function prepareEngine({ directory, dataDirectory, password, port }) {
  const at = (name) => path.join(directory, name);
  const [repository, log, lock, spool] = [at('repository'), at('log'), at('lock'), at('spool')];
  const owner = process.getuid?.() === 0 ? 65534 : null;
  for (const folder of [repository, log, lock, spool]) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
    if (owner !== null) fs.chownSync(folder, owner, owner);
  }
  const file = path.join(directory, 'pgbackrest.conf');
  const lines = [
    ...['[global]', `repo1-path=${repository}`, 'repo1-cipher-type=aes-256-cbc', `repo1-cipher-pass=${PASSPHRASE}`],
    ...['repo1-retention-full=2', `log-path=${log}`, `lock-path=${lock}`, `spool-path=${spool}`, 'start-fast=y'],
    ...['archive-timeout=300', '[stabletill]', `pg1-path=${dataDirectory}`, `pg1-port=${port}`, 'pg1-user=app'],
  ];
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
  const program = spawnSync('which', ['pgbackrest'], { encoding: 'utf8' }).stdout.trim();
  return {
    repository,
    settings: [
      'archive_mode=on',
      `archive_command=${program} --config=${file} --stanza=stabletill archive-push %p`,
      'archive_timeout=5',
    ],
    environment: { PGBACKREST_CONFIG: file, PGHOST: '127.0.0.1', PGPASSWORD: password },
  };
}
