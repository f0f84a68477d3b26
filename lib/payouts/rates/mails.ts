// The worker's step that mails what payouts cost before and after a new rate, and from when: to the owners of its store, or of all stores
// without a rate of their own. One transaction queues a page of mails and stores the last user of it, in the order of the users' ids: each
// owner gets one mail per change at most, also of several stores, and a crash leaves nothing out.

import { dashboardFormat, isDashboardLocale } from '@/lib/i18n/dashboard';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { queueMail } from '@/lib/merchants/mail/queue';
import { mailWords } from '@/lib/merchants/mail/texts';
import { presentedNetworks } from '@/lib/networks/registry';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { eachAlone, endQuarantine, isDueAlone } from '@/lib/platform/database/quarantine';
import { WHO_MAY_MANAGE } from '../addresses/mails';
import type { RateTerms } from './rate';
import { plannedStarts, readVersion } from './read';
import { rateText, rateView } from './text';

/** Rates that one run mails about. */
const MAX_AT_ONCE = 20;
/** Owners that one transaction mails. */
const PAGE = 100;

/** Mails about rates that are new. A rate that cannot be mailed is quarantined and delays no other one. */
export async function mailRates(context: Context): Promise<{ more: boolean }> {
  const { pool, clock } = context;
  const { rows } = await pool.query<{ id: string }>({
    name: 'payout-rates-to-mail',
    text: `SELECT r.id::text AS id FROM payout_rates r LEFT JOIN payout_rate_notices n ON n.rate_id = r.id
           WHERE n.done_at IS NULL AND ${isDueAlone('payout_rate', 'r.id::text', '$1')} ORDER BY r.id LIMIT ${MAX_AT_ONCE}`,
    values: [clock.now()],
  });
  if (rows.length === 0) return { more: false };
  let isUnfinished = rows.length === MAX_AT_ONCE;
  const subjects = rows.map(({ id }) => ({ kind: 'payout_rate', id }) as const);
  const done = await eachAlone(context, 'mail about payout rates', subjects, async ({ id }) => {
    if (await mailPage(context, id)) isUnfinished = true;
  });
  await endQuarantine(pool, { kind: 'payout_rate', ids: done.map(({ id }) => id), now: clock.now() });
  return { more: isUnfinished && done.length > 0 };
}

type Rate = {
  readonly id: string;
  readonly storeId: string | null;
  readonly store: string | null;
  readonly startsAt: Date;
  readonly createdAt: Date;
  readonly lastUserId: string | null;
};

/** Queues the next mails about a rate. True when there may be more. */
async function mailPage(context: Context, id: string): Promise<boolean> {
  const now = context.clock.now();
  return transaction(context.pool, async (tx) => {
    const rate = await lockRate(tx, id);
    if (!rate) return false;
    const changes = await changesOf(tx, rate);
    const owners = changes.length === 0 ? [] : await listOwners(tx, rate);
    let mailed = 0;
    for (const owner of owners) {
      const general = owner.isDirect ? changes.map((change) => ({ ...rate, ...change })) : [];
      for (const one of [...general, ...(await ofEndingRates(tx, rate, owner))]) {
        await mailOwner(tx, context, owner, { ...one, now });
        mailed++;
      }
    }
    const isLast = owners.length < PAGE;
    await tx.query({
      name: 'payout-rate-mailed',
      text: `UPDATE payout_rate_notices SET last_user_id = coalesce($2::uuid, last_user_id), mailed = mailed + $3, done_at = $4
             WHERE rate_id = $1`,
      values: [id, owners.at(-1)?.id ?? null, mailed, isLast ? now : null],
    });
    return !isLast;
  });
}

/** Null when another worker has it, or all mails are queued. */
async function lockRate(tx: Tx, id: string): Promise<Rate | null> {
  await tx.query({
    name: 'payout-rate-notice',
    text: 'INSERT INTO payout_rate_notices (rate_id) VALUES ($1) ON CONFLICT DO NOTHING',
    values: [id],
  });
  const { rows } = await tx.query<Rate>({
    name: 'payout-rate-lock-notice',
    text: `SELECT r.id::text AS id, r.store_id AS "storeId", s.name AS store, r.starts_at AS "startsAt",
             r.created_at AS "createdAt", n.last_user_id AS "lastUserId"
           FROM payout_rate_notices n JOIN payout_rates r ON r.id = n.rate_id LEFT JOIN stores s ON s.id = r.store_id
           WHERE n.rate_id = $1 AND n.done_at IS NULL FOR UPDATE OF n SKIP LOCKED`,
    values: [id],
  });
  return rows[0] ?? null;
}

type Change = { readonly before: RateTerms | null; readonly after: RateTerms | null; readonly startsAt: Date };

/**
 * What payouts cost when the rate was set, and what they cost from its start. A store that returns to the rate of all stores was never mailed
 * about the planned ones. Each of them that it comes under is one more change.
 */
async function changesOf(tx: Tx, { id, storeId, startsAt, createdAt }: Rate): Promise<readonly Change[]> {
  const [below, upTo] = [BigInt(id), BigInt(id) + 1n];
  let before = await readVersion(tx, { storeId, at: createdAt, below });
  let after = await readVersion(tx, { storeId, at: startsAt, below: upTo });
  const changes: Change[] = [{ before, after, startsAt }];
  const planned = storeId === null ? [] : await plannedStarts(tx, { after: startsAt, below });
  for (const at of planned) {
    [before, after] = [after, await readVersion(tx, { storeId, at, below: upTo })];
    const without = await readVersion(tx, { storeId, at, below });
    if (without?.id !== after?.id) changes.push({ before, after, startsAt: at });
  }
  return changes.filter((change) => !isSame(change));
}

const isSame = ({ before, after }: Change): boolean => asText(before) === asText(after);

/** All terms, those of networks that are not offered included. */
function asText(terms: RateTerms | null): string {
  const networks = [terms?.networkCosts ?? {}, terms?.atCost ?? {}].flatMap((one) => Object.keys(one)).toSorted();
  return JSON.stringify(terms && rateView(terms, networks));
}

/** `isDirect`: the rate counts for one of the owner's stores from its start. `ending`: stores that come under it when their own rate ends. */
type Owner = {
  readonly id: string;
  readonly email: string;
  readonly locale: string | null;
  readonly isDirect: boolean;
  readonly ending: readonly { readonly storeId: string; readonly store: string; readonly endsAt: string }[];
};

/** A store with a rate of its own keeps it when that of all stores changes, unless an earlier decision ends it later. */
async function listOwners(tx: Tx, { id, storeId, startsAt, lastUserId }: Rate): Promise<Owner[]> {
  const { rows } = await tx.query<Owner>({
    name: 'payout-rate-owners',
    text: `SELECT u.id, u.email, u.locale, bool_or(o.ends_at IS NULL) AS "isDirect",
             coalesce(json_agg(json_build_object('storeId', o.id, 'store', o.name, 'endsAt', o.ends_at) ORDER BY o.id)
               FILTER (WHERE o.ends_at IS NOT NULL), '[]') AS ending
           FROM users u JOIN members m ON m.user_id = u.id AND m.role::text = ANY ($2)
           JOIN stores s ON s.id = m.store_id AND s.status <> 'rejected' AND (s.id = $1 OR $1::text IS NULL)
           JOIN LATERAL (SELECT s.id, s.name, own.basis_points IS NOT NULL AND $1::text IS NULL AS has_own,
               CASE WHEN own.basis_points IS NOT NULL AND $1::text IS NULL THEN
                 (SELECT min(ending.starts_at) FROM payout_rates ending WHERE ending.store_id = s.id AND ending.basis_points IS NULL
                   AND ending.starts_at > $3 AND ending.id < $5 AND NOT EXISTS (SELECT FROM payout_rates later
                     WHERE later.store_id = s.id AND later.id > ending.id AND later.starts_at <= ending.starts_at)) END AS ends_at
             FROM (VALUES (1)) AS once LEFT JOIN LATERAL (SELECT basis_points FROM payout_rates
               WHERE store_id = s.id AND starts_at <= $3 ORDER BY id DESC LIMIT 1) own ON true) o ON o.ends_at IS NOT NULL OR NOT o.has_own
           WHERE u.disabled_at IS NULL AND ($4::uuid IS NULL OR u.id > $4::uuid)
           GROUP BY u.id ORDER BY u.id LIMIT ${PAGE}`,
    values: [storeId, WHO_MAY_MANAGE, startsAt, lastUserId, id],
  });
  return rows;
}

/** What changes for stores of an owner when their own rate ends: only then do they come under the rate of all stores. */
async function ofEndingRates(
  tx: Tx,
  rate: Rate,
  { ending }: Owner,
): Promise<readonly (Pick<Rate, 'storeId' | 'store'> & Change)[]> {
  const [below, upTo] = [BigInt(rate.id), BigInt(rate.id) + 1n];
  const changes = [];
  for (const { storeId, store, endsAt } of ending) {
    const startsAt = new Date(endsAt);
    const before = await readVersion(tx, { storeId, at: rate.createdAt, below });
    const after = await readVersion(tx, { storeId, at: startsAt, below: upTo });
    changes.push({ storeId, store, before, after, startsAt });
  }
  return changes.filter((change) => !isSame(change));
}

type Mailed = Pick<Rate, 'storeId' | 'store'> & Change & { readonly now: Date };

async function mailOwner(
  tx: Tx,
  context: Pick<Context, 'config'>,
  { email, locale }: Owner,
  { storeId, store, startsAt, before, after, now }: Mailed,
): Promise<void> {
  const { PUBLIC_URL } = context.config;
  const format = dashboardFormat(isDashboardLocale(locale) ? locale : 'en');
  // The mails' catalogue is the dashboard's.
  const words = { t: mailWords(locale) as unknown as DashboardWords['t'], format };
  const text = (terms: RateTerms | null): string =>
    rateText(words, terms && rateView(terms, presentedNetworks(context.config)));
  await queueMail(tx, context, {
    ...{ to: email, locale, now, kind: 'PayoutRate' },
    values: {
      ...(storeId === null ? { of: 'all', store: '' } : { of: 'store', store: store ?? '' }),
      ...{ before: text(before), after: text(after), time: format.minute(unixSeconds(startsAt)) },
      link: `${PUBLIC_URL}/dashboard${storeId === null ? '' : `/${storeId}/live/payouts`}`,
    },
  });
}
