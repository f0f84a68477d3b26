// `npm run check-books`: evaluates the invariants (docs/failure-model.md#invariants) on the database at DATABASE_URL, one line each.
// Exits with 1 when one is violated. It only reads, and may run beside a running service.

import { openPool } from '../lib/platform/database/db';
import { checkBooks } from '../lib/ledger/invariants/check';

const address = process.env.DATABASE_URL;
if (!address) {
  console.error('DATABASE_URL is not set: which database is to be checked?');
  process.exit(2);
}
const pool = openPool(address, 1);
try {
  const findings = await checkBooks(pool);
  for (const { id, statement, count, violations } of findings) {
    console.log(
      `${count === 0 ? 'ok    ' : 'BROKEN'}  ${id.padEnd(6)}  ${statement}${count === 0 ? '' : ` (${count})`}`,
    );
    for (const violation of violations) console.log(`                  ${violation}`);
  }
  process.exitCode = findings.some(({ count }) => count > 0) ? 1 : 0;
} finally {
  await pool.end();
}
