// What `npm run verify-audit` does, bundled for scripts/stabletill/verify-audit.mjs. It checks the audit log against its keys and against
// heads that were stored elsewhere.

import { config } from '@/lib/platform/config/config';
import { openPool } from '@/lib/platform/database/db';
import { verifyAudit, type Anchor } from './verify';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

/** Runs the command with its arguments. Returns the exit code. */
export async function runVerifyAudit(words: readonly string[], print: (line: string) => void): Promise<number> {
  const anchors = words.map(anchorIn);
  if (anchors.includes(null)) {
    return WRONG_USAGE;
  }
  const pool = openPool(config().DATABASE_URL, 1);
  try {
    const { entries, head, broken } = await verifyAudit(pool, anchors as Anchor[]);
    if (broken) print(`BROKEN  entry ${broken.number}: ${broken.why}`);
    else print(`ok      ${entries} entries, head ${entries}:${head}`);
    return broken ? 1 : 0;
  } finally {
    await pool.end();
  }
}

function anchorIn(word: string): Anchor | null {
  const [, number, head] = /^([1-9]\d{0,17}):([0-9a-f]{64})$/.exec(word) ?? [];
  return number && head ? { number: BigInt(number), head } : null;
}
