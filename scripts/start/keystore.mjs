// Whether a start is the first one of an installation, whose keystore is to be made.

import fs from 'node:fs';
import path from 'node:path';
import { Refusal } from './refusal.mjs';

/**
 * False where the keystore exists. Throws a Refusal where it is missing and the database has given deposit addresses of a wallet: a new
 * keystore would hold none of the money that customers pay there.
 */
export async function needsKeystore(directory, databaseUrl) {
  const file = path.join(directory, 'keystore.json');
  if (fs.existsSync(file)) return false;
  // Loaded late: a fresh checkout installs the packages first.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // A lost connection fails the statement that waits for it.
  await client.connect();
  try {
    const { rows } = await client.query('SELECT fingerprint FROM wallets');
    if (rows.length === 0) return true;
    throw new Refusal(
      `${file} is missing, and the database has deposit addresses of its wallet (${rows[0].fingerprint}). Put the keystore and its journal ` +
        'back, or restore it from its words: npx stabletill signer restore.',
    );
  } finally {
    await client.end();
  }
}
