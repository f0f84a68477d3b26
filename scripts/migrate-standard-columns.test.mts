// Rows from before the columns had standard names keep their values and their meaning.

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate } from './migrate.mjs';
import { openOldInstallation, type OldInstallation } from './old-installation.mjs';

const THIS = '20261127000000_standard_columns';
let old: OldInstallation;

beforeAll(async () => void (old = await openOldInstallation(inject('databaseServer'), (one) => one < THIS)));
afterAll(() => old.close());

test('quarantined unconfirmed transfers and the acknowledged alarm about them continue', async () => {
  const at = '2026-11-20T00:00:00.000Z';
  await old.client.query(
    `INSERT INTO quarantine (kind, subject_id, step, error, attempts, epoch, first_at, last_at, next_run_at)
     VALUES ('sighting', 'x', 'watch', 'e', 1, 1, $1, $1, $1), ('transfer', 'y', 'watch', 'e', 1, 1, $1, $1, $1)`,
    [at],
  );
  await old.client.query(
    `INSERT INTO alarms (kind, subject, severity, count, opened_at, last_seen_at, acknowledged_at, acknowledged_by, tells, told_at)
     VALUES ('quarantine', 'sighting', 'warning', 1, $1, $1, $1, 'user:1', 3, $1)`,
    [at],
  );
  expect(await migrate(old.url)).toContain(THIS);
  const quarantined = await old.client.query('SELECT kind FROM quarantine ORDER BY subject_id');
  expect(quarantined.rows).toEqual([{ kind: 'unconfirmed_transfer' }, { kind: 'transfer' }]);
  const alarms = await old.client.query('SELECT subject, acknowledged_at, notification_count, notified_at FROM alarms');
  expect(alarms.rows).toEqual([
    {
      subject: 'unconfirmed_transfer',
      acknowledged_at: new Date(at),
      notification_count: 3,
      notified_at: new Date(at),
    },
  ]);
  await expect(old.client.query(`UPDATE quarantine SET kind = 'sighting'`)).rejects.toThrow(/quarantine_kind/);
});
