// `stabletill backup`: one backup of the database with pgBackRest, and whether its write-ahead log reaches the archive.
// The keystore is never part of it: it belongs on paper (`stabletill signer shares`).

import pg from 'pg';
import { newestBackup, readEngine, refuseOverlap, runEngine } from '../backup/pgbackrest.mjs';
import { theDatabase } from '../start/command.mjs';
import { useInstallation } from '../start/installation.mjs';
import { parseArgs } from 'node:util';

const TYPES = { full: 'full', differential: 'diff', incremental: 'incr' };
const WRONG_USAGE = 2;

export const command = {
  name: 'backup',
  summary: 'backs up the database with pgBackRest, and checks that its log is archived',
  usage: `stabletill backup [--type full|differential|incremental]
Makes one backup with pgBackRest, as its own configuration says (docs/operate/backup.md), and prints what it made. It refuses a repository
inside the data directory. The keystore is not included: write its words on paper, or its shares (stabletill signer shares).
Exit codes: 0 done, 1 no backup was made, or the archive lacks the newest log, 2 wrong usage.`,
  options: {
    '--type': 'full, differential or incremental (the default; the first one is always full)',
    '--json': 'prints the backup and the state of the archive as one JSON object',
  },
  run: async (words, { print }) => {
    const options = optionsOf(words);
    if (!options) return WRONG_USAGE;
    const directory = await useInstallation({ role: 'owner' });
    const databaseUrl = theDatabase();
    const engine = readEngine(process.env);
    refuseOverlap(engine, [engine.dataDirectory, directory]);
    await runEngine(engine, ['stanza-create']);
    await runEngine(engine, ['backup', `--type=${TYPES[options.type]}`]);
    const backup = await newestBackup(engine);
    const archive = await archiveState(databaseUrl);
    const report = { backup, archive, keystore: 'not included' };
    if (options.json) print(JSON.stringify(report, null, 2));
    else for (const line of linesOf(report)) print(line);
    return archive.is_working && !backup.has_bad_pages ? 0 : 1;
  },
};

function optionsOf(words) {
  try {
    const { values } = parseArgs({
      args: words,
      options: { type: { type: 'string', default: 'incremental' }, json: { type: 'boolean', default: false } },
    });
    return Object.hasOwn(TYPES, values.type) ? values : null;
  } catch {
    return null;
  }
}

/** What PostgreSQL says of its archive. A failure that no later success followed means that the archive lacks log. */
async function archiveState(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT last_archived_wal, last_archived_time, failed_count::int, last_failed_wal, last_failed_time,
         last_failed_time IS NULL OR last_archived_time > last_failed_time AS is_working FROM pg_stat_archiver`,
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

function linesOf({ backup, archive }) {
  const size = backup.added_bytes === null ? '' : `, ${megabytes(backup.added_bytes)} added to the repository`;
  return [
    `${backup.type} backup ${backup.label}: ${megabytes(backup.database_bytes)}${size}, ${backup.started_at} to ${backup.stopped_at}`,
    `log ${backup.wal.from} to ${backup.wal.to}; encryption: ${backup.encryption}`,
    ...(backup.encryption === 'none' ? ['WARNING  the repository is not encrypted (repo1-cipher-type)'] : []),
    ...(backup.has_bad_pages ? ['BROKEN   pages of the database have wrong checksums: see the log of pgBackRest'] : []),
    archive.is_working
      ? `ok       the log is archived up to ${archive.last_archived_wal} (${archive.last_archived_time?.toISOString()})`
      : `BROKEN   the archive lacks log since ${archive.last_failed_time.toISOString()}: ${archive.last_failed_wal} was refused`,
    'The keystore and MASTER_KEYS are not part of it.',
  ];
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
