// A store's branding through the adapter: customers get what an owner sets, every change is in the audit log, and none of it is
// another store's.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listAudit } from '@/lib/merchants/audit/read';
import { LARGEST_BODY, type ApiResponse } from '@/lib/platform/http';
import { LARGEST_LOGO, readLogo } from '@/lib/merchants/branding/logo';
import { MAX_EMBED_ORIGINS, DEFAULT_BRANDING, readStoreBranding } from '@/lib/merchants/branding/branding';
import { browserRequest, cookieOf, openAccounts, type Accounts } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import { png } from '@/testing/pictures';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { LARGEST_UPLOAD } from '@/lib/dashboard/route';
import { ROUTES } from '@/lib/dashboard/routes';

type Answer = { status: number; body: { error?: { code: string; param?: string }; id?: string; hash?: string } };

let accounts: Accounts;
let storeId: string;
let cookie: string;
let owner: string;

beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());
beforeEach(async () => {
  ({ storeId } = await makeStore(accounts.database, accounts.config));
  ({ id: owner } = await accounts.user({ hasTotp: true }));
  await accounts.member(storeId, owner, 'owner');
  cookie = await cookieOf(accounts.context, await accounts.login(owner, { hasFactor: true }));
});

async function post(path: string, body: object, at = `/stores/${storeId}`): Promise<Answer> {
  const request = browserRequest(accounts.context, {
    method: 'POST',
    path: `/api/dashboard${at}${path}`,
    cookie,
    body,
  });
  const { status, body: text } = (await answerDashboard(accounts.context, request, ROUTES)) as ApiResponse;
  return { status, body: JSON.parse(text) };
}
const branding = () => readStoreBranding(accounts.database.pool, storeId);
const audited = async () =>
  (await listAudit(accounts.database.pool, { storeId, limit: 50 })).entries.map(({ action, actor, details }) => ({
    action,
    actor,
    details,
  }));

const WISH = {
  display_name: ' Blue Mug ',
  brand_color: '#AB12CD',
  theme: 'dark',
  support_contact: 'help@bluemug.example',
  embed_origins: ['https://Shop.example/'],
};
const SET = {
  displayName: 'Blue Mug',
  brandColor: '#ab12cd',
  theme: 'dark',
  supportContact: 'help@bluemug.example',
  embedOrigins: ['https://shop.example'],
  logo: null,
};
const KNOWN = {
  former_display_name: '',
  display_name: 'Blue Mug',
  former_support_contact: '',
  support_contact: 'help@bluemug.example',
  former_embed_origins: [],
  embed_origins: ['https://shop.example'],
};
const by = () => `user:${owner}`;

describe('the branding', () => {
  test('is set as a whole, and the log names each change once', async () => {
    expect((await post('/branding', WISH)).body).toEqual({ done: true });
    expect(await branding()).toEqual(SET);
    expect((await post('/branding', WISH)).status).toBe(200);
    expect((await post('/branding', { ...WISH, theme: 'auto', brand_color: '' })).status).toBe(200);
    expect(await branding()).toEqual({ ...SET, theme: 'auto', brandColor: null });
    const fields = ['displayName', 'brandColor', 'theme', 'supportContact', 'embedOrigins'];
    expect(await audited()).toEqual([
      { action: 'look.change', actor: by(), details: { fields: ['brandColor', 'theme'] } },
      { action: 'look.change', actor: by(), details: { fields, ...KNOWN } },
    ]);
  });

  test.each([
    ['display_name', { display_name: 'a\u202eb' }],
    ['brand_color', { brand_color: 'red' }],
    ['theme', { theme: 'sepia' }],
    ['support_contact', { support_contact: 'javascript:alert(1)' }],
    ['embed_origins', { embed_origins: ['https://shop.example/path'] }],
    [
      'embed_origins',
      { embed_origins: Array.from({ length: MAX_EMBED_ORIGINS + 1 }, (_, n) => `https://s${n}.example`) },
    ],
    // A form without one of the fields would clear it.
    ['support_contact', { support_contact: undefined }],
  ])('refuses a wrong %s and changes nothing: %j', async (param, over) => {
    expect(await post('/branding', { ...WISH, ...over })).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', param } },
    });
    expect(await branding()).toEqual(DEFAULT_BRANDING);
    expect(await audited()).toEqual([]);
  });

  test('of another store is not found', async () => {
    const foreign = await makeStore(accounts.database, accounts.config);
    for (const [path, body] of [
      ['/branding', WISH],
      ['/logo', { logo: 'AAAA' }],
      ['/logo/remove', {}],
    ] as const)
      expect((await post(path, body, `/stores/${foreign.storeId}`)).body.error?.code).toBe('STORE_NOT_FOUND');
    expect(await readStoreBranding(accounts.database.pool, foreign.storeId)).toEqual(DEFAULT_BRANDING);
  });
});

describe('the logo', () => {
  const base64 = (bytes: Uint8Array) => ({ logo: Buffer.from(bytes).toString('base64') });

  test('is uploaded, replaced and removed, each with its entry', async () => {
    const first = await post('/logo', base64(png(40, 20)));
    const second = await post('/logo', base64(png(20, 20)));
    expect((await branding()).logo).toEqual({ hash: second.body.hash, width: 20, height: 20 });
    expect(await readLogo(accounts.database.pool, first.body.hash ?? '')).toBeNull();
    expect((await post('/logo/remove', {})).status).toBe(200);
    expect((await post('/logo/remove', {})).status).toBe(200);
    expect((await branding()).logo).toBeNull();
    expect(await audited()).toEqual([
      { action: 'logo.remove', actor: by(), details: { hash: second.body.hash } },
      { action: 'logo.change', actor: by(), details: { hash: second.body.hash } },
      { action: 'logo.change', actor: by(), details: { hash: first.body.hash } },
    ]);
  });

  test('of the largest size is accepted, and no other request may be as long', async () => {
    // As many bytes as a logo may have: refused for their content, not for their size.
    const whole = await post('/logo', base64(Buffer.alloc(LARGEST_LOGO, 7)));
    expect(whole.body.error).toMatchObject({ code: 'INVALID_PARAMETER', param: 'logo' });
    expect((await post('/logo', base64(Buffer.alloc(LARGEST_UPLOAD)))).body.error?.code).toBe('request_too_large');
    const long = await post('/branding', { ...WISH, more: 'x'.repeat(LARGEST_BODY) });
    expect(long.body.error?.code).toBe('request_too_large');
  });

  test.each(['', 'no base64 !', '<svg/>'])('is refused: %j', async (logo) => {
    expect((await post('/logo', { logo })).body.error).toMatchObject({ code: 'INVALID_PARAMETER', param: 'logo' });
    expect((await branding()).logo).toBeNull();
  });
});

test('a new store’s support contact is stored with its branding and must be usable for customers', async () => {
  const store = { name: `Shop ${randomUUID().slice(0, 8)}` };
  const made = await post('', { ...store, support_contact: 'https://shop.example/help' }, '/stores');
  const id = made.body.id ?? '';
  expect(await readStoreBranding(accounts.database.pool, id)).toMatchObject({
    supportContact: 'https://shop.example/help',
  });
  const refused = await post('', { ...store, support_contact: '@shop on Telegram' }, '/stores');
  expect(refused.body.error).toMatchObject({ code: 'INVALID_PARAMETER', param: 'support_contact' });
});
