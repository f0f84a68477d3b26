// The facts that the page's response headers need before it is rendered: which pages may frame it, and whether this browser can be
// recognized later as the customer's.

import type { Db } from '@/lib/platform/database/db';
import { isSessionId } from '@/lib/platform/ids';

export type PayPage = {
  /** The origins that the session's store allows. */
  readonly embedOrigins: readonly string[];
  readonly isPending: boolean;
  /** The SHA-256 of the cookie of the browser that opened the page; null before the first one. */
  readonly browser: Buffer | null;
  /** Whether a second browser opened the page. */
  readonly isShared: boolean;
};

const UNKNOWN: PayPage = { embedOrigins: [], isPending: false, browser: null, isShared: false };

type Row = {
  embed_origins: string[] | null;
  is_pending: boolean;
  browser: Buffer | null;
  is_shared: boolean | null;
};

/** One lookup by primary keys. An unknown session has no origin and is not pending. */
export async function readPayPage(db: Db, sessionId: string): Promise<PayPage> {
  if (!isSessionId(sessionId)) return UNKNOWN;
  const { rows } = await db.query<Row>({
    name: 'pay_page',
    text: `SELECT l.embed_origins, s.status = 'pending' AS is_pending, b.browser, b.is_shared
             FROM sessions s LEFT JOIN store_branding l ON l.store_id = s.store_id
               LEFT JOIN payer_browsers b ON b.session_id = s.id WHERE s.id = $1`,
    values: [sessionId],
  });
  const [row] = rows;
  if (!row) return UNKNOWN;
  const { embed_origins: embedOrigins, is_pending: isPending, browser, is_shared: isShared } = row;
  return { embedOrigins: framedBy(sessionId, embedOrigins ?? []), isPending, browser, isShared: isShared ?? false };
}

/** Also the names below `localhost`, which browsers resolve to the customer's own computer. */
const LOOPBACK = /^https?:\/\/((?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])(:|$)/;

/** Loopback origins may frame test payments only. Otherwise any program on the customer's computer could frame a live payment. */
const framedBy = (sessionId: string, origins: readonly string[]): readonly string[] =>
  sessionId.startsWith('cs_live_') ? origins.filter((origin) => !LOOPBACK.test(origin)) : origins;
