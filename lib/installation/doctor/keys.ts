// The doctor's check of MASTER_KEYS: whether it has every key that a row of the database needs. Reads only.

import { missingSentence, readKeyUse } from '@/lib/installation/rotation/master-keys';
import type { MasterKeys } from '@/lib/platform/crypto';
import type { Pool } from '@/lib/platform/database/db';
import type { Finding } from './findings';

const check = 'keys';

export async function keyFindings(pool: Pool, keys: MasterKeys): Promise<readonly Finding[]> {
  const { seals, remaining, missing } = await readKeyUse(pool, keys);
  if (missing.length > 0)
    return missing.map((version) => ({
      ...{ check, state: 'fail', message: missingSentence(version) },
      todo: 'See docs/operate/rotation.md. "stabletill rotate master-keys --check" says which rows need which version.',
    }));
  if (remaining === 0)
    return [{ check, state: 'ok', message: `every secret is under version ${seals} of MASTER_KEYS` }];
  const message = `${remaining} secrets are under another version of MASTER_KEYS than ${seals}, which seals`;
  const todo = 'Once every process has this MASTER_KEYS: stabletill rotate master-keys (docs/operate/rotation.md).';
  return [{ check, state: 'warn', message, todo }];
}
