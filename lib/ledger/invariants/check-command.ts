// What `stabletill check-books` does: evaluates the invariants and prints one line each, with the violations below it. It only reads.

import { openPool } from '@/lib/platform/database/db';
import { WRONG_USAGE } from '@/lib/platform/exit-code';
import { checkBooks } from './check';

type Deps = { readonly databaseUrl: string; readonly print: (line: string) => void };

/** Runs the command with its arguments. Returns the exit code: 1 when an invariant is violated. */
export async function runCheckBooks(words: readonly string[], { databaseUrl, print }: Deps): Promise<number> {
  const [word, ...more] = words;
  if (more.length > 0 || (word !== undefined && word !== '--json')) return WRONG_USAGE;
  const pool = openPool(databaseUrl, 1);
  try {
    const findings = await checkBooks(pool);
    if (word === '--json') print(JSON.stringify({ invariants: findings }, null, 2));
    else for (const line of findings.flatMap(linesOf)) print(line);
    return findings.some(({ count }) => count > 0) ? 1 : 0;
  } finally {
    await pool.end();
  }
}

function linesOf({ id, statement, count, violations }: Awaited<ReturnType<typeof checkBooks>>[number]): string[] {
  const state = count === 0 ? 'ok    ' : 'BROKEN';
  const first = `${state}  ${id.padEnd(6)}  ${statement}${count === 0 ? '' : ` (${count})`}`;
  return [first, ...violations.map((violation) => `                  ${violation}`)];
}
