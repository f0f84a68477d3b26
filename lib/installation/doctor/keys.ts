// The doctor's check of MASTER_KEYS: whether it has every key that a row of the database needs. Reads only.

import { missingInAuditSentence, missingSentence, readKeyUse } from '@/lib/installation/rotation/master-keys';
import type { MasterKeys } from '@/lib/platform/crypto';
import type { Pool } from '@/lib/platform/database/db';
import type { Finding } from './findings';

const check = 'keys';

export async function keyFindings(pool: Pool, keys: MasterKeys): Promise<readonly Finding[]> {
  let use: Awaited<ReturnType<typeof readKeyUse>>;
  try {
    use = await readKeyUse(pool, keys);
  } catch (error) {
    // A large table may take longer than a statement may. The other checks of the database go on.
    const message = `whether MASTER_KEYS has every key that is needed could not be read: ${(error as Error).message}`;
    return [{ check, state: 'warn', message, todo: 'Run "stabletill rotate master-keys --check".' }];
  }
  const { seals, remaining, missing, missingInAudit } = use;
  if (missing.length > 0)
    return missing.map((version) => ({
      ...{ check, state: 'fail', message: missingSentence(version) },
      todo: 'See docs/operate/rotation.md. "stabletill rotate master-keys --check" says which rows need which version.',
    }));
  const inAudit: Finding[] = missingInAudit.map((version) => ({
    ...{ check, state: 'warn', message: missingInAuditSentence(version) },
    todo: 'See docs/operate/operator-reset.md.',
  }));
  if (remaining === 0)
    return [{ check, state: 'ok', message: `every secret is under version ${seals} of MASTER_KEYS` }, ...inAudit];
  const message = `${remaining} secrets are under another version of MASTER_KEYS than ${seals}, which seals`;
  const todo = 'Once every process has this MASTER_KEYS: stabletill rotate master-keys (docs/operate/rotation.md).';
  return [{ check, state: 'warn', message, todo }, ...inAudit];
}
