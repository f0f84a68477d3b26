// Which browser a customer paid from. A session's id is in webhooks, exports and the dashboard, so knowing it does not make someone the
// customer. A refund address is accepted from the one browser that was shown the payment page while the payment was pending, and only if no
// other browser was. So opening another customer's page, before or after them, does not allow giving an address. A browser that is signed
// in to the dashboard does not count: the shop's own people are not the customer. In every other browser, an address needs a signature of
// the wallet that paid (customer-address/signature.ts) or a claim link.

import { sha256 } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';

/** The prefix of the point of sale's order ids, before the page's own name of the sale. It shows the page in a browser of the shop. */
export const TILL_ORDERS = 'till-';

/** The first browser that the page was shown to, as the SHA-256 of its cookie, and whether it was shown to another one too. */
type KnownBrowser = { readonly browser: Buffer | null; readonly isShared: boolean };

type Shown = {
  readonly page: KnownBrowser;
  readonly token: string | undefined;
  /** Whether the browser carries the dashboard's cookie. */
  readonly isSignedIn: boolean;
};

/**
 * Records that the page of a pending session is shown to the browser with this cookie. Returns the value for its cookie when it is the
 * first browser. Returns null when the browser has the cookie already, or is not the only one. Most page views need no statement.
 */
export async function recordBrowser(
  db: Db,
  sessionId: string,
  { page, token, isSignedIn }: Shown,
): Promise<string | null> {
  if (isSignedIn) return null;
  const known = browserOf(token);
  if (page.browser !== null && (page.isShared || known?.equals(page.browser))) return null;
  const made = randomText(TOKEN_LENGTH);
  const { rows } = await db.query<{ is_shared: boolean }>({
    name: 'meet-browser',
    text: `INSERT INTO payer_browsers (session_id, browser) VALUES ($1, $2)
           ON CONFLICT (session_id) DO UPDATE SET is_shared = true RETURNING is_shared`,
    values: [sessionId, sha256(made)],
  });
  return rows[0]?.is_shared === false ? made : null;
}

const TOKEN_LENGTH = 43;

/** Compares a row of `payer_browsers` with parameter `$2`, the SHA-256 of a browser's cookie: whether this is the payer's browser. */
export const IS_PAYER_SQL = `(b.browser = $2 AND NOT b.is_shared)`;

/** The value that `IS_PAYER_SQL` compares with; null without a cookie, which matches no browser. */
export const browserOf = (token: string | undefined): Buffer | null => (token === undefined ? null : sha256(token));
