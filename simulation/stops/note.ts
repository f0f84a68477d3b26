// Notes the answers of the screening whenever something has changed them: the worker's step, a list, a release, a restored database. The
// signer's calls are judged by what was noted when they began.

import type { World } from '@/simulation/world';
import { screeningKey } from './records';
import type { ScreeningRow } from './rows';

export async function noteScreenings({ harness, records: { stops } }: World): Promise<void> {
  if (!stops.isScreening || stops.isStanding) return;
  const { rows } = await harness.database.pool.query<ScreeningRow>(
    `SELECT id::text, role, network, address, transaction_hash AS hash, verdict, released_at IS NOT NULL AS is_released
     FROM screenings WHERE verdict <> 'clear' ORDER BY id`,
  );
  const keysOf = (verdict: ScreeningRow['verdict']): ReadonlySet<string> =>
    new Set(rows.filter((row) => row.verdict === verdict && !row.is_released).map(screeningKey));
  stops.hits = keysOf('hit');
  stops.unknown = keysOf('unknown');
}
