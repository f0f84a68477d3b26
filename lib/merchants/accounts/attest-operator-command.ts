// What `npm run attest-operator` does, bundled for scripts/stabletill/attest-operator.mjs. The server's administrator attests that an
// operator is a separate person, although another operator granted their role. The two may then approve large refunds together.

import { recordAudit } from '@/lib/merchants/audit/record';
import { checkEmail } from '@/lib/merchants/accounts/users';
import type { Clock } from '@/lib/platform/clock';
import { transaction, type Pool } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { openFactorSetup } from './second-factor/factor-setup';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

export type AttestDeps = { readonly pool: Pool; readonly clock: Clock; readonly print: (line: string) => void };

/** Runs the command with its arguments. Returns the exit code. */
export async function runAttestOperator(words: readonly string[], { pool, clock, print }: AttestDeps): Promise<number> {
  if (words[0] === 'factor') return runFactor(words.slice(1), { pool, clock, print });
  const [given, ...more] = words;
  if (given === undefined || given.startsWith('-') || more.length > 0) {
    return WRONG_USAGE;
  }
  const email = emailIn(given);
  const isDone = email !== null && (await attest(pool, email, clock.now()));
  print(
    isDone ? `${email} counts as a person of their own.` : 'No operator with this address was made by another one.',
  );
  return isDone ? 0 : 1;
}

async function runFactor([given, ...more]: readonly string[], { pool, clock, print }: AttestDeps): Promise<number> {
  const email = given === undefined || more.length > 0 ? null : emailIn(given);
  if (email === null) {
    return WRONG_USAGE;
  }
  const isDone = await allow(pool, email, clock.now());
  print(
    isDone
      ? `${email} may set up a second factor within the next hour.`
      : 'No active operator without a second factor has this address.',
  );
  return isDone ? 0 : 1;
}

const allow = (pool: Pool, email: string, now: Date): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string }>('SELECT id FROM users WHERE email = $1', [email]);
    const [user] = rows;
    if (!user || !(await openFactorSetup(tx, user.id, now))) return false;
    const action = 'user.allow_factor';
    await recordAudit(tx, { actor: 'server', storeId: null, action, target: user.id, address: '', now });
    return true;
  });

const attest = (pool: Pool, email: string, now: Date): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string }>({
      name: 'attest-operator',
      text: `UPDATE users SET role_granted_by = NULL
             WHERE email = $1 AND role = 'operator' AND disabled_at IS NULL AND role_granted_by IS NOT NULL RETURNING id`,
      values: [email],
    });
    const [user] = rows;
    if (!user) return false;
    await recordAudit(tx, { actor: 'server', storeId: null, action: 'user.vouch', target: user.id, address: '', now });
    return true;
  });

function emailIn(text: string): string | null {
  try {
    return checkEmail(text);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}
