// Which pages may show the page of a session: asked before that page is drawn, because the answer is a header.

import type { Db } from '@/lib/db';
import { isSessionId } from '@/lib/ids';

/** The origins that the session's store allows; none for an unknown session. One look-up by primary keys. */
export async function readEmbedOrigins(db: Db, sessionId: string): Promise<readonly string[]> {
  if (!isSessionId(sessionId)) return [];
  const { rows } = await db.query<{ embed_origins: string[] }>({
    name: 'embed_origins',
    text: `SELECT l.embed_origins FROM sessions s JOIN store_looks l ON l.store_id = s.store_id WHERE s.id = $1`,
    values: [sessionId],
  });
  return rows[0]?.embed_origins ?? [];
}
