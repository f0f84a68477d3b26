// The measured pages: all pages of a signed-in user, with detail pages for rows of the stored history.

import { STORE } from '../database.mjs';

/** Each page with the user who opens it. */
export async function pagesOf(client) {
  const first = async (text) => (await client.query(text, [STORE])).rows[0].id;
  const session = await first(
    `SELECT id FROM sessions WHERE store_id = $1 AND status = 'completed' ORDER BY created_at DESC LIMIT 1`,
  );
  const delivery = await first('SELECT id::text FROM deliveries WHERE store_id = $1 ORDER BY id DESC LIMIT 1');
  const here = `/dashboard/${STORE}/test`;
  const of = (who, paths) => paths.map((path) => ({ who, path }));
  return [
    ...of('owner', [
      '/dashboard',
      '/dashboard?new=store',
      '/dashboard/account',
      `/dashboard/${STORE}/settings`,
      `/dashboard/${STORE}/branding`,
      `/dashboard/${STORE}/members`,
      `${here}/overview`,
      `${here}/payments`,
      `${here}/payments/${session}`,
      `${here}/refunds`,
      `${here}/links`,
      `${here}/till`,
      `${here}/balances`,
      `${here}/events`,
      `${here}/keys`,
      `${here}/webhooks`,
      `${here}/webhooks/deliveries`,
      `${here}/webhooks/deliveries/${delivery}`,
      `${here}/webhooks/verify`,
    ]),
    ...of('operator', [
      '/operator',
      '/operator/stores',
      `/operator/stores/${STORE}`,
      '/operator/payments',
      '/operator/refunds',
      '/operator/health',
      '/operator/wallets',
      '/operator/users',
      '/operator/audit',
      '/operator/jobs',
    ]),
  ];
}
