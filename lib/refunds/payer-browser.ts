// Which browser a customer paid from. A session's id is in webhooks, exports and the dashboard, so that somebody knows it does not
// make them the customer: an address for refunds is taken from a browser that was shown the payment page while the payment was
// still awaited, and that holds this cookie since. Everybody else needs a claim link.

import type { Config } from '@/lib/config';
import { openSecret, sealSecret } from '@/lib/crypto';

/** One for each session, kept apart by its path. */
export const PAYER_COOKIE = 'payer';

type Settings = Pick<Config, 'MASTER_KEYS'>;

/** What a browser holds that was shown this session's page in time. */
export const payerToken = ({ MASTER_KEYS }: Settings, sessionId: string): string =>
  sealSecret(MASTER_KEYS, sessionId, PURPOSE).toString('base64url');

/** Whether the cookie is one of this session; false for anything that is not. */
export function isPayerToken({ MASTER_KEYS }: Settings, sessionId: string, token: string | undefined): boolean {
  if (token === undefined) return false;
  try {
    return openSecret(MASTER_KEYS, Buffer.from(token, 'base64url'), PURPOSE) === sessionId;
  } catch {
    return false;
  }
}

const PURPOSE = 'browser that was shown the payment page in time';
