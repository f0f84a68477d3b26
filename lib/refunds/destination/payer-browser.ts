// Which browser a customer paid from. A session's id is in webhooks, exports and the dashboard, so that somebody knows it does not
// make them the customer. An address for refunds is taken from the one browser that was shown the payment page while the payment
// was still awaited, and only if no other one was: whoever looks at the page of somebody else, before or after the customer, gains
// nothing. Nor does a browser that is signed in to the dashboard count: the shop's own people are not the customer. Every other browser
// needs a signature of the wallet that paid (address-signature.ts), or a claim link.

import { sha256 } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';

/** What the order ids of the till begin with, before the page's own name of the sale. The till shows the page in a browser of the shop. */
export const TILL_ORDERS = 'till-';

/** Which browser the page was shown to so far, by the SHA-256 of its cookie, and whether to another one too. */
type Met = { readonly browser: Buffer | null; readonly isShared: boolean };

type Shown = {
  readonly page: Met;
  readonly token: string | undefined;
  /** Whether the browser carries the dashboard's cookie. */
  readonly isSignedIn: boolean;
};

/**
 * Notes that the page of a pending session is shown to the browser with this cookie. Answers the value for its cookie when it is
 * the first one; null when it holds it already, or is not the only one. Most pages need no statement.
 */
export async function meetBrowser(
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

/** Of a row of `payer_browsers` beside parameter `$2`, the SHA-256 of a browser's cookie: whether it is the one. */
export const IS_PAYER_SQL = `(b.browser = $2 AND NOT b.is_shared)`;

/** What `IS_PAYER_SQL` compares with; null, which no browser is, without a cookie. */
export const browserOf = (token: string | undefined): Buffer | null => (token === undefined ? null : sha256(token));
