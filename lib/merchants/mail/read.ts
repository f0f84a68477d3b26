// The mails of a sandbox, for the page that shows them. Sandbox users have no mailboxes.

import type { Context } from '@/lib/platform/context';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import { mailBody } from './queue';

export type ShownMail = {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly createdAt: Date;
};

/** Whether mails are shown: only in a sandbox on this machine. */
export const areMailsShown = ({ config }: Pick<Context, 'config'>): boolean => isOwnSandbox(config);

/** The latest mails, the newest first. */
export async function listMails({ pool }: Pick<Context, 'pool'>, limit: number): Promise<ShownMail[]> {
  const { rows } = await pool.query<ShownMail>(
    'SELECT id, recipient, subject, created_at AS "createdAt" FROM mails ORDER BY id DESC LIMIT $1',
    [limit],
  );
  return rows;
}

/** One mail with its text; null when there is none. */
export async function readMail(
  context: Pick<Context, 'pool' | 'config'>,
  id: string,
): Promise<(ShownMail & { readonly text: string }) | null> {
  if (!/^\d{1,15}$/.test(id)) return null;
  const { rows } = await context.pool.query<ShownMail & { body: string }>(
    'SELECT id, recipient, subject, created_at AS "createdAt", body FROM mails WHERE id = $1',
    [id],
  );
  const [row] = rows;
  return row ? { ...row, text: mailBody(context, row) } : null;
}
