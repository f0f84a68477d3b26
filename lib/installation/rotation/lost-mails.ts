// `stabletill rotate master-keys --give-up-mails VERSION`: removes mails that were not sent and never will be, because the master key that
// their text is sealed under is lost. Their rows are named, so that an operator can tell the recipients.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Clock } from '@/lib/platform/clock';
import type { MasterKeys } from '@/lib/platform/crypto';
import { transaction, type Pool } from '@/lib/platform/database/db';
import { MAX_NAMED, VERSION_SQL } from './reseal';

/** Mails in one transaction. */
const PAGE = 1000;

type LostMail = { readonly id: string; readonly recipient: string; readonly subject: string };
/** `named` are the first ones. */
export type LostMails = { readonly count: number; readonly named: readonly LostMail[] };

/** Version 0: mails that are too short to name their key. Throws an Error while MASTER_KEYS has the version. */
export async function giveUpMails(
  { pool, keys, clock }: { readonly pool: Pool; readonly keys: MasterKeys; readonly clock: Clock },
  version: number,
): Promise<LostMails> {
  if (keys.has(version))
    throw new Error(`MASTER_KEYS has version ${version}: a run without --give-up-mails re-seals its mails.`);
  const named: LostMail[] = [];
  let count = 0;
  for (;;) {
    const page = await removePage(pool, version, clock.now());
    named.push(...page.slice(0, MAX_NAMED - named.length));
    count += page.length;
    if (page.length < PAGE) return { count, named };
  }
}

/** A mail that another process sends meanwhile has an empty text once its row is free, and stays. */
const removePage = (pool: Pool, version: number, now: Date): Promise<readonly LostMail[]> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<LostMail>(
      `WITH lost AS (SELECT id FROM mails WHERE ${VERSION_SQL.base64('body')} = $1 ORDER BY id LIMIT ${PAGE} FOR UPDATE),
         gone AS (DELETE FROM mails m USING lost WHERE m.id = lost.id RETURNING m.id, m.recipient, m.subject)
       SELECT id::text AS id, recipient, subject FROM gone ORDER BY gone.id`,
      [version],
    );
    const details = { mails: rows.length };
    const entry = { actor: 'system', storeId: null, action: 'mail.give_up', target: `master_key/${version}` };
    if (rows.length > 0) await recordAudit(tx, { ...entry, details, address: '', now });
    return rows;
  });
