// What the dashboard's requests do to stores, keys, endpoints and limits, through the adapter (rows D-14, D-17, D-18, D-20,
// D-26, D-27).

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listAudit } from '@/lib/merchants/audit/read';
import { verifyAudit } from '@/lib/merchants/audit/verify';
import type { ApiResponse } from '@/lib/platform/http';
import { setStoreBranding } from '@/lib/merchants/branding/branding';
import { browserRequest, cookieOf, openAccounts, PASSWORD, type Accounts } from '@/testing/accounts';
import { answerDashboard } from './adapter';
import { ROUTES } from './routes';

type Answered = { status: number; body: { error?: { code: string; param?: string }; [name: string]: unknown } };
type Ask = (method: string, path: string, body?: unknown) => Promise<Answered>;

let accounts: Accounts;
let merchant: Ask;
let operator: Ask;
let merchantId: string;
let storeId: string;

beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());
beforeEach(async () => {
  const [owner, operatorUser] = [
    await accounts.user({ hasTotp: true }),
    await accounts.user({ role: 'operator', hasTotp: true }),
  ];
  merchantId = owner.id;
  merchant = await asking(owner.id);
  operator = await asking(operatorUser.id);
  const made = await merchant('POST', '/stores', {
    name: 'Shop',
    website: 'https://shop.example',
    description: 'Mugs',
  });
  storeId = String(made.body.id);
});

async function asking(userId: string): Promise<Ask> {
  const cookie = await cookieOf(accounts.context, await accounts.login(userId, { hasFactor: true }));
  return async (method, path, body) => {
    const request = browserRequest(accounts.context, { method, path: `/api/dashboard${path}`, cookie, body });
    const { status, body: text } = (await answerDashboard(accounts.context, request, ROUTES)) as ApiResponse;
    return { status, body: JSON.parse(text) };
  };
}
const row = () => accounts.database.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
const actions = async () =>
  (await listAudit(accounts.database.pool, { storeId, limit: 100 })).entries.map(({ action }) => action).toReversed();
const codeOf = ({ body }: Answered) => body.error?.code;

describe('a store', () => {
  test('D-26: waits for approval whatever its merchant sends, and belongs to the merchant', async () => {
    const wish = { name: 'Sly', status: 'approved', version: 9, owner_id: 'x', session_limit: '1', ownerId: 'x' };
    const { body } = await merchant('POST', '/stores', wish);
    storeId = String(body.id);
    expect(await row()).toMatchObject({ status: 'pending', ownerId: merchantId, version: 1, sessionLimit: null });
    await merchant('PATCH', `/stores/${storeId}`, { version: 1, name: 'Slyer', status: 'approved', day_limit: 1 });
    expect(await row()).toMatchObject({ status: 'pending', name: 'Slyer', version: 2, dayLimit: null });
    expect(codeOf(await operator('POST', '/stores', { name: 'Mine' }))).toBe('permission_denied');
  });

  test('D-27: is decided only as it was shown: a changed store is a conflict', async () => {
    const url = 'http://127.0.0.1:9/hook';
    await merchant('POST', `/stores/${storeId}/live/webhook`, { url });
    expect(codeOf(await operator('POST', `/operator/stores/${storeId}/approve`, { version: 1 }))).toBe('STORE_CHANGED');
    expect((await row()).status).toBe('pending');
    await setStoreBranding(accounts.context, { storeId, wish: { supportContact: 'help@shop.example' } });
    const { version } = await row();
    expect((await operator('POST', `/operator/stores/${storeId}/approve`, { version })).status).toBe(200);
    expect(await row()).toMatchObject({ status: 'approved', version: version + 1 });
    expect(codeOf(await operator('POST', `/operator/stores/${storeId}/approve`, { version }))).toBe('STORE_CHANGED');
    expect(codeOf(await operator('POST', '/operator/stores/st_none/approve', { version }))).toBe('STORE_NOT_FOUND');
    const reason = 'Your website cannot be reached.';
    await operator('POST', `/operator/stores/${storeId}/suspend`, { version: version + 1, reason });
    expect(await row()).toMatchObject({ status: 'suspended', statusReason: reason });
    const { email } = await accounts.database.prisma.user.findUniqueOrThrow({ where: { id: merchantId } });
    expect((await accounts.lastMail(email))?.text).toContain(reason);
    expect(await actions()).toEqual(['store.create', 'webhook.set', 'store.approve', 'store.suspend']);
  });

  test('is created with a known channel type', async () => {
    const create = (channel_type: string) => merchant('POST', '/stores', { name: 'Second', channel_type });
    const { body } = await create('api');
    const made = await accounts.database.prisma.store.findUniqueOrThrow({ where: { id: String(body.id) } });
    expect(made.channelType).toBe('api');
    const refused = await create('marketplace');
    expect([refused.status, codeOf(refused)]).toEqual([400, 'INVALID_PARAMETER']);
  });

  test('is changed by its owner only in the version that was shown', async () => {
    const change = (version: number, over: object) => merchant('PATCH', `/stores/${storeId}`, { version, ...over });
    expect((await change(1, { name: 'New name', networks: ['tron', 'tron'], website: null })).body).toEqual({
      version: 2,
    });
    expect(await row()).toMatchObject({ name: 'New name', networks: ['tron'], website: null, description: 'Mugs' });
    expect(codeOf(await change(1, { name: 'Old page' }))).toBe('STORE_CHANGED');
    expect(codeOf(await change(2, { networks: ['dogecoin'] }))).toBe('INVALID_PARAMETER');
    expect(codeOf(await change(2, { website: 'javascript:alert(1)' }))).toBe('INVALID_PARAMETER');
  });

  test('has the country rules that its owner sets, of known places and tokens only', async () => {
    const set = (version: number, rules: readonly object[]) =>
      merchant('POST', `/stores/${storeId}/country-rules`, { version, rules });
    const rule = { places: ['EEA', 'unknown'], tokens: ['USDC'] };
    expect((await set(1, [rule, { places: ['KP'], tokens: [] }])).body).toEqual({ version: 2 });
    expect(await row()).toMatchObject({ countryRules: 'EEA unknown = USDC; KP = none' });
    expect(codeOf(await set(1, []))).toBe('STORE_CHANGED');
    for (const wrong of [
      { ...rule, places: ['UK'] },
      { ...rule, places: [] },
      { ...rule, tokens: ['EURC'] },
    ])
      expect(codeOf(await set(2, [wrong]))).toBe('INVALID_PARAMETER');
    expect(await row()).toMatchObject({ countryRules: 'EEA unknown = USDC; KP = none', version: 2 });
  });

  test('has limits that the operator sets, in whole cents only', async () => {
    const limits = {
      version: 1,
      session_limit: 500_000,
      day_limit: '12345678901234567',
      refund_day_limit: 0,
      refund_window_days: 30,
      payout_hold_hours: 0,
    };
    const set = (over: object) => operator('POST', `/operator/stores/${storeId}/limits`, { ...limits, ...over });
    for (const wrong of [
      { session_limit: -1 },
      { session_limit: 1.5 },
      { day_limit: '1e3' },
      { refund_day_limit: null },
    ])
      expect((await set(wrong)).status).toBe(400);
    expect((await set({})).body).toEqual({ version: 2 });
    expect(await row()).toMatchObject({
      sessionLimit: 500_000n,
      dayLimit: 12_345_678_901_234_567n,
      refundDayLimit: 0n,
    });
    expect(codeOf(await set({}))).toBe('STORE_CHANGED');
  });
});

describe('a key', () => {
  test('D-18: shows its secret only in the answer that created it', async () => {
    const made = await merchant('POST', `/stores/${storeId}/live/keys`, { name: 'Till' });
    const { id, api_key: key, api_secret: secret } = made.body as { id: number; api_key: string; api_secret: string };
    expect([key, secret]).toEqual([expect.stringMatching(/^ak_live_/), expect.stringMatching(/^as_live_/)]);
    const { rows } = await accounts.database.pool.query(
      'SELECT k::text AS key, (SELECT json_agg(a)::text FROM audit_entries a) AS audit FROM api_keys k WHERE k.id = $1',
      [id],
    );
    for (const text of [rows[0].key, rows[0].audit]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(secret);
    }
    const rolled = await merchant('POST', `/stores/${storeId}/live/keys/${id}/roll`, { overlap_seconds: 0 });
    expect(rolled.body.api_key).not.toBe(key);
    expect((await merchant('POST', `/stores/${storeId}/live/keys/${rolled.body.id}/revoke`)).status).toBe(200);
    expect((await merchant('POST', `/stores/${storeId}/live/keys/${rolled.body.id}/revoke`)).status).toBe(404);
    expect(await actions()).toEqual(['store.create', 'key.create', 'key.roll', 'key.revoke']);
  });

  test('is set to require signature version 2 at creation or later; the change is audited and inherited by its successor', async () => {
    const key = (body: object) => merchant('POST', `/stores/${storeId}/live/keys`, { name: 'Till', ...body });
    const requires = async ({ body }: Answered) =>
      (await accounts.database.prisma.apiKey.findUniqueOrThrow({ where: { id: Number(body.id) } })).requiresSignatureV2;
    const set = (call: Ask, { body }: Answered, requires_signature_v2: unknown) =>
      call('POST', `/stores/${storeId}/live/keys/${Number(body.id)}/signature`, { requires_signature_v2 });
    const [usual, strict] = [await key({}), await key({ requires_signature_v2: true })];
    expect([await requires(usual), await requires(strict)]).toEqual([false, true]);
    expect((await set(merchant, usual, true)).status).toBe(200);
    expect(await requires(usual)).toBe(true);
    const successor = await merchant('POST', `/stores/${storeId}/live/keys/${Number(usual.body.id)}/roll`, {});
    expect(await requires(successor)).toBe(true);
    expect((await set(merchant, successor, false)).status).toBe(200);
    expect(await requires(successor)).toBe(false);
    // The owner is mailed once about each change, and never about an unchanged setting.
    const changeMails = async () =>
      (await accounts.database.pool.query(`SELECT subject FROM mails WHERE subject = 'Live API key changed'`)).rowCount;
    expect(await changeMails()).toBe(2);
    expect((await set(merchant, successor, false)).status).toBe(200);
    expect(await changeMails()).toBe(2);
    const { email } = await accounts.database.prisma.user.findUniqueOrThrow({ where: { id: merchantId } });
    expect((await accounts.lastMail(email))?.text).toContain('no longer requires signature version 2');
    const { entries } = await listAudit(accounts.database.pool, { storeId, limit: 100 });
    const changes = entries.filter(({ action }) => action === 'key.change').toReversed();
    expect(changes.map(({ actor, target, details }) => [actor, target, details])).toEqual([
      [`user:${merchantId}`, String(usual.body.id), { requires_signature_v2: true }],
      [`user:${merchantId}`, String(successor.body.id), { requires_signature_v2: false }],
      [`user:${merchantId}`, String(successor.body.id), { requires_signature_v2: false }],
    ]);
    // A developer cannot create a key for live refunds, so they cannot loosen one either. The refusal changes nothing.
    const user = await accounts.user({ hasTotp: true });
    await accounts.member(storeId, user.id, 'developer');
    expect(codeOf(await set(await asking(user.id), strict, false))).toBe('permission_denied');
    expect(await requires(strict)).toBe(true);
    expect((await set(merchant, strict, 'no')).status).toBe(400);
    expect((await merchant('POST', `/stores/${storeId}/live/keys/${Number(strict.body.id)}/revoke`)).status).toBe(200);
    expect((await set(merchant, strict, false)).status).toBe(404);
    const stranger = await asking((await accounts.user()).id);
    expect((await set(stranger, successor, true)).status).toBe(404);
  });

  test('D-23: of another store is not found by any number', async () => {
    const { body } = await merchant('POST', `/stores/${storeId}/test/keys`, { name: 'Till' });
    const stranger = await asking((await accounts.user()).id);
    const { body: theirs } = await stranger('POST', '/stores', { name: 'Theirs' });
    for (const id of [body.id, '0', '99999999999', 'x'])
      expect((await stranger('POST', `/stores/${String(theirs.id)}/test/keys/${String(id)}/revoke`)).status).toBe(404);
    expect((await stranger('POST', `/stores/${storeId}/test/keys/${String(body.id)}/revoke`)).status).toBe(404);
  });
});

describe('a webhook endpoint', () => {
  test('D-18: shows its secret once, can be rotated and removed', async () => {
    const hook = (path: string, body: object = {}) => merchant('POST', `/stores/${storeId}/test/webhook${path}`, body);
    expect((await hook('/rotate')).status).toBe(404);
    const first = await hook('', { url: 'http://127.0.0.1:9/one' });
    expect(first.body.secret).toMatch(/^whsec_/);
    expect((await hook('', { url: 'http://127.0.0.1:9/two' })).body).toEqual({ secret: null });
    expect((await hook('/rotate')).body.secret).not.toBe(first.body.secret);
    expect((await hook('', { url: 'http://169.254.169.254/' })).body.error).toMatchObject({ param: 'url' });
    expect((await hook('/remove')).status).toBe(200);
    expect((await hook('/remove')).status).toBe(404);
    expect((await row()).version).toBe(5);
  });
});

describe('a key created by a developer', () => {
  test('cannot make or read live refunds, and cannot succeed a key that can; an owner’s key can', async () => {
    const user = await accounts.user({ hasTotp: true });
    await accounts.member(storeId, user.id, 'developer');
    const developer = await asking(user.id);
    const create = (call: Ask, scopes?: string[], environment = 'live') =>
      call('POST', `/stores/${storeId}/${environment}/keys`, { name: 'Till', ...(scopes && { scopes }) });
    const scopesOf = async ({ body }: Answered) =>
      (await accounts.database.prisma.apiKey.findUniqueOrThrow({ where: { id: Number(body.id) } })).scopes;
    for (const scope of ['refunds:read', 'refunds:write'])
      expect(codeOf(await create(developer, ['sessions:read', scope]))).toBe('permission_denied');
    const [theirs, owners] = [await create(developer), await create(merchant)];
    expect(await scopesOf(theirs)).toEqual(['sessions:read', 'sessions:write']);
    expect(await scopesOf(owners)).toEqual(['sessions:read', 'sessions:write', 'refunds:read', 'refunds:write']);
    const roll = (call: Ask, { body }: Answered, environment = 'live') =>
      call('POST', `/stores/${storeId}/${environment}/keys/${Number(body.id)}/roll`, {});
    expect(codeOf(await roll(developer, owners))).toBe('permission_denied');
    // The refusal changed nothing: the key does not expire.
    const kept = await accounts.database.prisma.apiKey.findUniqueOrThrow({ where: { id: Number(owners.body.id) } });
    expect(kept.expiresAt).toBeNull();
    expect(await scopesOf(await roll(developer, theirs))).toEqual(['sessions:read', 'sessions:write']);
    expect((await roll(merchant, owners)).status).toBe(200);
    // In `test` no money is at stake, and developers must be able to try everything.
    const trying = await create(developer, undefined, 'test');
    expect(await scopesOf(trying)).toContain('refunds:write');
    expect(await scopesOf(await roll(developer, trying, 'test'))).toContain('refunds:write');
  });
});

describe('the adapter', () => {
  test('answers unreadable requests with a code, and keeps the audit log intact', async () => {
    const name = 'Evil\r\n\u001b[31mname ${jndi:ldap://x}';
    expect(codeOf(await merchant('POST', '/stores', { name }))).toBe('INVALID_PARAMETER');
    expect(codeOf(await merchant('POST', '/stores', []))).toBe('INVALID_JSON');
    expect(codeOf(await merchant('GET', '/nothing'))).toBe('NOT_FOUND');
    expect(codeOf(await merchant('GET', `/stores/..%2f${storeId}`))).toBe('NOT_FOUND');
    expect((await merchant('GET', '/me')).body).toMatchObject({ id: merchantId, is_fresh: true });
    expect((await verifyAudit(accounts.database.pool)).broken).toBeNull();
  });

  test('D-17: requires a step-up after five minutes, before anything is done', async () => {
    const key = { name: 'Till' };
    const user = await accounts.user();
    await accounts.member(storeId, user.id, 'developer');
    const developer = await asking(user.id);
    accounts.clock.advance(300);
    expect(codeOf(await developer('POST', `/stores/${storeId}/test/keys`, key))).toBe('step_up_required');
    const former = await cookieOf(accounts.context, await accounts.login(user.id));
    const send = (cookie: string, path: string, body: object) => {
      const request = browserRequest(accounts.context, { method: 'POST', path: `/api/dashboard${path}`, cookie, body });
      return answerDashboard(accounts.context, request, ROUTES);
    };
    accounts.clock.advance(300);
    const shown = (await send(former, '/account/step-up', { password: PASSWORD })) as Response;
    expect([shown.status, await shown.json()]).toEqual([200, { done: true }]);
    const set = shown.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^stabletill-login=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    const renewed = set.split(';')[0] ?? '';
    const at = `/stores/${storeId}/test/keys`;
    const statuses = [await send(former, at, key), await send(renewed, at, key)].map(({ status }) => status);
    expect(statuses).toEqual([401, 200]);
  });
});
