// What has to be known of a session before its page is drawn, because the answers are headers: which pages may show it, and
// whether the browser is shown it in time to be known as the customer's.

import type { Db } from '@/lib/db';
import { isSessionId } from '@/lib/ids';

export type PayPage = {
  /** The origins that the session's store allows. */
  readonly embedOrigins: readonly string[];
  readonly isPending: boolean;
};

const UNKNOWN: PayPage = { embedOrigins: [], isPending: false };

/** One look-up by primary keys; no origin, and not pending, for an unknown session. */
export async function readPayPage(db: Db, sessionId: string): Promise<PayPage> {
  if (!isSessionId(sessionId)) return UNKNOWN;
  const { rows } = await db.query<{ embed_origins: string[] | null; is_pending: boolean }>({
    name: 'pay_page',
    text: `SELECT l.embed_origins, s.status = 'pending' AS is_pending
             FROM sessions s LEFT JOIN store_looks l ON l.store_id = s.store_id WHERE s.id = $1`,
    values: [sessionId],
  });
  const [row] = rows;
  return row ? { embedOrigins: row.embed_origins ?? [], isPending: row.is_pending } : UNKNOWN;
}
