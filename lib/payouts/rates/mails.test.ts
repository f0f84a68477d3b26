// The mails about a new rate, on a real database: once for each owner whom it concerns, with the terms before and after, and in time.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openAddressScene, type AddressScene } from '@/testing/payouts/address-scene';
import { mailRates } from './mails';
import type { RateTerms } from './rate';
import { readVersion } from './read';
import { setRate } from './set';

const HOUR = 3_600_000;
const FREE: RateTerms = { basisPoints: 0n, fixed: 0n, minimum: 0n, networkCosts: {}, atCost: {} };
const TERMS: RateTerms = { ...FREE, basisPoints: 50n, networkCosts: { bsc: 30n }, atCost: { ethereum: 200n } };
const OPERATOR = { by: 'user:00000000-0000-4000-8000-000000000001', address: '127.0.0.1' };

let scene: AddressScene;
beforeAll(async () => {
  scene = await openAddressScene({ PAYOUT_RATE_NOTICE_HOURS: '24' });
});
afterAll(() => scene.close());

type Store = Awaited<ReturnType<AddressScene['store']>>;
let store: Store;
beforeEach(async () => {
  // Owners of earlier tests are mailed no more.
  await scene.database.pool.query('UPDATE users SET disabled_at = now()');
  store = await scene.store();
  await untilMailed();
  await scene.clearMails();
});

const set = (over: Partial<Parameters<typeof setRate>[1]> = {}) =>
  setRate(scene.context, { storeId: store.storeId, terms: TERMS, startsAt: null, ...over }, OPERATOR);
async function untilMailed(): Promise<void> {
  while ((await mailRates(scene.context)).more);
}
const mailed = async () => (await scene.mails()).map(({ to }) => to).toSorted();
const emails = (...of: { email: string }[]) => of.map(({ email }) => email).toSorted();

describe('a new rate of a store', () => {
  test('is mailed to each of its owners once, with the terms before and after and the start', async () => {
    const viewer = await scene.accounts.user();
    await scene.accounts.member(store.storeId, viewer.id, 'viewer');
    const stranger = await scene.store();
    const starts = await set();
    await untilMailed();
    await untilMailed();
    expect(await mailed()).toEqual(emails(store.owner, store.partner));
    expect(await mailed()).not.toContain(stranger.owner.email);
    const [{ subject, text } = { subject: '', text: '' }] = await scene.mails();
    expect(subject).toBe('Fees for payouts change');
    for (const part of [
      '0.5% of the amount · 0.30 for BNB Smart Chain · what payouts on Ethereum really cost, at most 2.00',
      'Payouts cost the store nothing.',
      `/dashboard/${store.storeId}/live/payouts`,
      starts.toISOString().slice(11, 16),
    ])
      expect(text).toContain(part);
    expect(text.indexOf('0.5%')).toBeLessThan(text.indexOf('Until then'));
  });

  test('is mailed in the reader’s language', async () => {
    await scene.database.pool.query(`UPDATE users SET locale = 'es' WHERE id = $1`, [store.owner.id]);
    await set();
    await untilMailed();
    const mail = (await scene.mails()).find(({ to }) => to === store.owner.email);
    expect(mail?.subject).toBe('Cambian las comisiones de las liquidaciones');
    expect(mail?.text).toContain('el coste real de las liquidaciones en Ethereum, como máximo 2,00');
  });

  test('names the rate of all stores when it ends', async () => {
    await set({ storeId: null, terms: { ...FREE, fixed: 7n } });
    scene.clock.advance(25 * 3600);
    await set();
    scene.clock.advance(25 * 3600);
    await untilMailed();
    await scene.clearMails();
    await set({ terms: null });
    await untilMailed();
    const [mail] = await scene.mails();
    expect(mail?.text).toMatch(/0\.07 per payout\n\nUntil then:\n\n0\.5% of the amount/);
    await set({ storeId: null, terms: FREE });
  });

  test('that changes nothing is mailed to none', async () => {
    await set({ terms: FREE });
    await untilMailed();
    await scene.clearMails();
    await set({ terms: FREE });
    await untilMailed();
    expect(await mailed()).toEqual([]);
  });
});

describe('a new rate of all stores', () => {
  test('is mailed once to an owner of several stores, and not to one whose store has a rate of its own', async () => {
    const other = await scene.store();
    await scene.accounts.member(other.storeId, store.owner.id, 'owner');
    const own = await scene.store();
    await set({ storeId: own.storeId, terms: FREE });
    await untilMailed();
    await scene.clearMails();
    await set({ storeId: null, terms: { ...TERMS, fixed: 1n } });
    await untilMailed();
    expect(await mailed()).toEqual(emails(store.owner, store.partner, other.owner, other.partner));
  });

  test('is mailed page by page, once to each owner, also by two workers at once', async () => {
    await scene.database.pool.query(
      `WITH made AS (INSERT INTO users (id, email, role, created_at)
         SELECT gen_random_uuid(), 'page-' || n || '@example.test', 'merchant', now() FROM generate_series(1, 230) n RETURNING id)
       INSERT INTO members (store_id, user_id, role, created_at) SELECT $1, id, 'owner', now() FROM made`,
      [store.storeId],
    );
    await set({ storeId: null, terms: { ...TERMS, fixed: 2n } });
    await Promise.all([untilMailed(), untilMailed()]);
    await untilMailed();
    const to = await mailed();
    expect(to).toHaveLength(232);
    expect(new Set(to).size).toBe(232);
  });
});

test('a crash between two mails queues none of them, delays no other rate, and the retry mails each owner once', async () => {
  const other = await scene.store();
  await scene.database.pool.query(
    `CREATE FUNCTION no_mail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.recipient = TG_ARGV[0] THEN RAISE EXCEPTION 'the worker died'; END IF; RETURN NEW; END $$`,
  );
  await scene.database.pool.query(
    `CREATE TRIGGER no_mail BEFORE INSERT ON mails FOR EACH ROW EXECUTE FUNCTION no_mail('${store.partner.email}')`,
  );
  await set();
  await set({ storeId: other.storeId });
  await mailRates(scene.context);
  expect(await mailed()).toEqual(emails(other.owner, other.partner));
  await scene.database.pool.query('DROP TRIGGER no_mail ON mails');
  scene.clock.advance(3600);
  await untilMailed();
  expect(await mailed()).toEqual(emails(other.owner, other.partner, store.owner, store.partner));
});

describe('no rate starts before its mail could be read', () => {
  const inHours = async (starts: Promise<Date>) => ((await starts).getTime() - scene.clock.now().getTime()) / HOUR;

  test('a higher rate starts a day later at the earliest, a later start is kept, and no higher one starts at once', async () => {
    const at = (hours: number) => new Date(scene.clock.now().getTime() + hours * HOUR);
    expect(await inHours(set())).toBe(24);
    expect(await inHours(set({ startsAt: at(23) }))).toBe(24);
    expect(await inHours(set({ startsAt: at(25) }))).toBe(25);
    await set();
    scene.clock.advance(86_400);
    expect(await inHours(set({ terms: { ...TERMS, basisPoints: 49n } }))).toBe(0);
    expect(await inHours(set({ terms: { ...TERMS, basisPoints: 50n } }))).toBe(24);
  });

  test('the end of a store’s own rate waits too if that of all stores is higher', async () => {
    await set({ terms: FREE });
    await set({ storeId: null, terms: { ...FREE, fixed: 500n } });
    scene.clock.advance(86_400);
    expect(await inHours(set({ terms: null }))).toBe(24);
    await set({ storeId: null, terms: FREE });
    expect(await inHours(set({ terms: null }))).toBe(0);
  });
});

describe('the owners of a store whose own rate ends are mailed about a dearer rate of all stores that it comes under', () => {
  const costs = (fixed: bigint): RateTerms => ({ ...FREE, fixed });
  const at = (hours: number) => new Date(scene.clock.now().getTime() + hours * HOUR);
  const hoursUntil = (time: Date) => (time.getTime() - scene.clock.now().getTime()) / HOUR;
  /** All stores pay 1.00, and this one pays 2.00. */
  async function withOwnRate() {
    await set({ storeId: null, terms: costs(100n) });
    await set({ terms: costs(200n) });
    scene.clock.advance(25 * 3600);
    await untilMailed();
    await scene.clearMails();
  }
  beforeEach(withOwnRate);
  const ofOwner = async () => (await scene.mails()).filter(({ to }) => to === store.owner.email);

  test('that was decided before the end and starts after it', async () => {
    const dearer = await set({ storeId: null, terms: costs(500n), startsAt: at(16 * 24) });
    await untilMailed();
    expect(await mailed()).toEqual([]);
    expect(hoursUntil(await set({ terms: null }))).toBe(0);
    await untilMailed();
    await untilMailed();
    expect(await mailed()).toEqual(emails(store.owner, store.owner, store.partner, store.partner));
    const [now, later] = await ofOwner();
    expect(now?.text).toMatch(/1\.00 per payout\n\nUntil then:\n\n2\.00 per payout/);
    expect(later?.text).toMatch(/5\.00 per payout\n\nUntil then:\n\n1\.00 per payout/);
    expect(later?.text).toContain(dearer.toISOString().slice(11, 16));
    scene.clock.advance(16 * 86_400);
    const found = await readVersion(scene.database.pool, { storeId: store.storeId, at: scene.clock.now() });
    expect(found?.fixed).toBe(500n);
  });

  test('that starts sooner, and the own rate counts until the notice is over', async () => {
    await set({ storeId: null, terms: costs(500n) });
    scene.clock.advance(3600);
    expect(hoursUntil(await set({ terms: null, startsAt: at(2) }))).toBe(24);
    await untilMailed();
    const [mail, ...others] = await ofOwner();
    expect([mail?.text, others]).toEqual([
      expect.stringMatching(/5\.00 per payout\n\nUntil then:\n\n2\.00 per payout/),
      [],
    ]);
  });

  test('that is decided after the end and starts before it', async () => {
    const [kept, renewed] = [await scene.store(), await scene.store()];
    for (const { storeId } of [kept, renewed]) await set({ storeId, terms: FREE });
    for (const { storeId } of [store, renewed]) await set({ storeId, terms: null, startsAt: at(20 * 24) });
    await set({ storeId: renewed.storeId, terms: FREE });
    await untilMailed();
    await scene.clearMails();
    await set({ storeId: null, terms: costs(500n), startsAt: at(48) });
    const ends = at(20 * 24);
    await untilMailed();
    expect(await mailed()).toEqual(emails(store.owner, store.partner));
    const [mail] = await ofOwner();
    expect(mail?.text).toMatch(/5\.00 per payout\n\nUntil then:\n\n2\.00 per payout/);
    for (const part of [ends.toISOString().slice(11, 16), `/dashboard/${store.storeId}/live/payouts`])
      expect(mail?.text).toContain(part);
  });

  test('and about none twice when its own rate ends again', async () => {
    await set({ storeId: null, terms: costs(500n), startsAt: at(16 * 24) });
    await set({ terms: null });
    await untilMailed();
    await scene.clearMails();
    await set({ terms: null });
    await untilMailed();
    expect(await mailed()).toEqual([]);
  });
});
