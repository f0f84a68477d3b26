// Stores, their keys and their webhook endpoint on a real database.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openKeyFinder } from '@/lib/merchants/api-keys/verify-key';
import { createUser } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { openSecret } from '@/lib/platform/crypto';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import { StoreStatus } from '@/prisma/generated/enums';
import { ownersWithoutFactor } from './owners';
import { approveStore, reinstateStore, rejectStore, StoreMoved, suspendStore } from './approve';
import { changeStore } from './change';
import { changeBranding } from '@/lib/merchants/branding/change-branding';
import { createStore } from './create';
import { SYSTEM } from './actor';
import { setStoreBranding } from '@/lib/merchants/branding/branding';
import { createApiKey, revokeApiKey, rollApiKey } from '@/lib/merchants/api-keys/keys';
import { STORE_MOVES, type StoreMove } from './states';
import { rotateWebhookSecret, setWebhookEndpoint } from './webhook-endpoint';

let database: TestDatabase;
let context: Context;
let ownerId: string;
beforeAll(async () => {
  database = await openTestDatabase(5);
  // Expiry of keys is compared with the database's clock.
  context = testContext(database, new TestClock(Math.floor(Date.now() / 1000)), testConfig());
  ({ id: ownerId } = await createUser(context, {
    email: 'owner@example.com',
    password: 'a long enough password',
    role: 'merchant',
  }));
});
afterAll(() => database.close());

const newStore = async () => (await createStore(context, { ownerId, name: 'Shop' })).id;
const statusOf = async (id: string) => (await database.prisma.store.findUniqueOrThrow({ where: { id } })).status;

describe('a store', () => {
  test('waits for approval, whatever fields it is created with', async () => {
    const wish = { ownerId, name: '  Größe 订单 ', website: 'https://Shop.Example.com', status: 'approved' };
    const { id } = await createStore(context, wish);
    const row = await database.prisma.store.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({
      name: 'Größe 订单',
      website: 'https://shop.example.com/',
      status: 'pending',
      settlementCurrency: 'USDT',
      acceptsOtherToken: false,
      channelType: 'api',
    });
  });
  test('cannot belong to an operator', async () => {
    const { id } = await createUser(context, {
      email: 'operator@example.com',
      password: 'a long enough password',
      role: 'operator',
    });
    await expect(createStore(context, { ownerId: id, name: 'Shop' })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    expect(await database.prisma.store.count({ where: { ownerId: id } })).toBe(0);
  });
  test('rejects an unknown channel type', async () => {
    const change = database.prisma.store.update({ where: { id: await newStore() }, data: { channelType: 'pos' } });
    await expect(change).rejects.toThrow('stores_channel_type');
  });
  test.each(['', '   ', 'x'.repeat(101), 'a\nb', 'a\u202eb', 'a\u2066b', '\u0000'])(
    'rejects a misleading name: %j',
    async (name) => {
      await expect(createStore(context, { ownerId, name })).rejects.toMatchObject({
        code: 'INVALID_PARAMETER',
        param: 'name',
      });
    },
  );
  test.each([
    ...[
      'https://evil.example',
      'Urgent: evil.example/pay',
      'Your refund www.evil.com',
      'evil．com',
      'evil。com',
      'почта.рф',
    ],
    ...[
      'write to help@evil.com',
      'mailto:help',
      'javascript:x',
      'Shop\u200eevil',
      'Shop\u061c',
      'Shop\u200b',
      'Shop\u{e0041}',
    ],
  ])('rejects a name that a mail would show as a link or another name: %j', async (name) => {
    const refusal = { code: 'INVALID_PARAMETER', param: 'name' };
    await expect(createStore(context, { ownerId, name })).rejects.toMatchObject(refusal);
    const change = { storeId: 'st_any', version: 1, change: { name } };
    await expect(async () => changeStore(context, change, SYSTEM)).rejects.toMatchObject(refusal);
  });
  test.each([
    'J.P. Morgan & Co.',
    'Dr. Müller 24/7',
    'فروشگاه می‌خواهم',
    '好店。',
    'A.B.C. Mugs',
    'Shop: mugs',
    '👩‍🍳 Bakery',
    'Mugs @ Home',
  ])('accepts the name %s', async (name) => {
    await expect(createStore(context, { ownerId, name })).resolves.toHaveProperty('id');
  });
  test.each([
    'javascript:alert(1)',
    'shop.example.com',
    'https://a:b@shop.example.com',
    `https://shop.example.com/${'x'.repeat(2048)}`,
  ])('refuses the website %s', async (website) => {
    await expect(createStore(context, { ownerId, name: 'Shop', website })).rejects.toMatchObject({ param: 'website' });
  });
});

describe('a decision about a store', () => {
  const decide = { approve: approveStore, reject: rejectStore, suspend: suspendStore, reinstate: reinstateStore };
  const cases = Object.values(StoreStatus).flatMap((status) =>
    (Object.keys(STORE_MOVES) as StoreMove[]).map((move) => [move, status] as const),
  );
  test.each(cases)('%s of a store that is %s follows the table of moves', async (move, status) => {
    const storeId = await newStore();
    await forceStoreStatus(database.pool, storeId, status);
    const { from, to } = STORE_MOVES[move];
    const isAllowed = from.includes(status);
    if (!isAllowed) await expect(decide[move](context, { storeId })).rejects.toThrow(StoreMoved);
    else await decide[move](context, { storeId, reason: 'because' });
    expect(await statusOf(storeId)).toBe(isAllowed ? to : status);
  });
  test('to go live is refused while an owner has no second factor, and changes nothing', async () => {
    const storeId = await newStore();
    const approve = (over: object = {}) =>
      approveStore({ ...context, config: { ...context.config, ...over } }, { storeId }, { by: 'user:x', address: '' });
    await setStoreBranding(context, { storeId, wish: { supportContact: 'help@shop.example' } });
    await expect(approve()).rejects.toMatchObject({ code: 'OWNER_WITHOUT_FACTOR' });
    expect(await statusOf(storeId)).toBe('pending');
    const second = await database.prisma.user.create({
      data: { email: 'two@x.example', passwordHash: 'x', role: 'merchant' },
    });
    await database.prisma.member.create({ data: { storeId, userId: second.id, role: 'owner', createdAt: new Date() } });
    await database.prisma.user.update({ where: { id: ownerId }, data: { totpConfirmedAt: new Date() } });
    expect(await ownersWithoutFactor(database.pool, storeId)).toEqual(['two@x.example']);
    await expect(approve()).rejects.toMatchObject({ code: 'OWNER_WITHOUT_FACTOR' });
    await database.prisma.user.update({ where: { id: second.id }, data: { totpConfirmedAt: new Date() } });
    await approve();
    expect(await statusOf(storeId)).toBe('approved');
  });
  test('to go live is refused without a contact, and a live store keeps its contact', async () => {
    const storeId = await newStore();
    const actor = { by: 'user:x', address: '' };
    await expect(approveStore(context, { storeId }, actor)).rejects.toMatchObject({ code: 'STORE_WITHOUT_CONTACT' });
    expect(await statusOf(storeId)).toBe('pending');
    const rebrand = (wish: object) => changeBranding(context, { storeId, wish }, actor);
    await rebrand({ supportContact: 'help@shop.example' });
    await rebrand({ supportContact: null });
    await rebrand({ supportContact: 'help@shop.example' });
    await database.prisma.user.update({ where: { id: ownerId }, data: { totpConfirmedAt: new Date() } });
    await approveStore(context, { storeId }, actor);
    await expect(rebrand({ supportContact: '' })).rejects.toMatchObject({ param: 'support_contact' });
    expect((await rebrand({ supportContact: 'https://shop.example/help' })).supportContact).toBe(
      'https://shop.example/help',
    );
  });
  test('of the operator of a local sandbox needs no contact and no second factors', async () => {
    const storeId = await newStore();
    await database.prisma.user.update({ where: { id: ownerId }, data: { totpConfirmedAt: null } });
    const config = { ...context.config, SANDBOX_ORIGIN: 'http://127.0.0.1:5' };
    await approveStore({ ...context, config }, { storeId }, { by: 'user:x', address: '' });
    expect(await statusOf(storeId)).toBe('approved');
  });
  test('is made by only one of two concurrent operators', async () => {
    const storeId = await newStore();
    const outcomes = await Promise.allSettled([approveStore(context, { storeId }), rejectStore(context, { storeId })]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('an API key', () => {
  const keyOf = (apiKey: string) => openKeyFinder(context)(apiKey);

  test('works with its secret, and neither can be read from the database', async () => {
    const storeId = await newStore();
    await approveStore(context, { storeId });
    const { id, apiKey, apiSecret } = await createApiKey(context, {
      storeId,
      environment: 'test',
      name: 'Server',
      allowedAddresses: ['203.0.113.0/24', '2a00::1'],
    });
    expect([apiKey, apiSecret]).toEqual([
      expect.stringMatching(/^ak_test_\w{32}$/),
      expect.stringMatching(/^as_test_\w{43}$/),
    ]);
    expect(await keyOf(apiKey)).toMatchObject({
      id,
      storeId,
      environment: 'test',
      secret: apiSecret,
      storeActive: true,
      allowedAddresses: ['203.0.113.0/24', '2a00::1'],
    });
    const row = await database.prisma.apiKey.findUniqueOrThrow({ where: { id } });
    expect(row.keyHint).toBe(apiKey.slice(-4));
    expect(row.scopes).toEqual(['sessions:read', 'sessions:write', 'refunds:read', 'refunds:write']);
    const kept = [
      row.name,
      row.keyHint,
      Buffer.from(row.keyHash).toString('latin1'),
      Buffer.from(row.secretCiphertext).toString('latin1'),
    ].join('\n');
    expect([kept.includes(apiKey), kept.includes(apiSecret)]).toEqual([false, false]);
  });

  test.each<[string, object]>([
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['sessions:read', 'everything'] }],
    ['allowed_addresses', { allowedAddresses: ['not an address'] }],
    ['allowed_addresses', { allowedAddresses: ['10.0.0.0/33'] }],
    ['allowed_addresses', { allowedAddresses: [''] }],
    ['allowed_addresses', { allowedAddresses: Array(51).fill('203.0.113.1') }],
    ['name', { name: '' }],
  ])('is refused for its %s: %j', async (param, over) => {
    const key = { storeId: await newStore(), environment: 'live' as const, name: 'Server', ...over };
    await expect((async () => createApiKey(context, key))()).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
      param,
    });
  });

  test('is revoked once, at once, and only by its own store', async () => {
    const [storeId, stranger] = [await newStore(), await newStore()];
    const { id: keyId, apiKey } = await createApiKey(context, { storeId, environment: 'live', name: 'Server' });
    expect(await revokeApiKey(context, { storeId: stranger, environment: 'live', keyId })).toBe(false);
    expect(await keyOf(apiKey)).not.toBeNull();
    expect(await revokeApiKey(context, { storeId, environment: 'test', keyId })).toBe(false);
    expect(await revokeApiKey(context, { storeId, environment: 'live', keyId })).toBe(true);
    expect([await keyOf(apiKey), await revokeApiKey(context, { storeId, environment: 'live', keyId })]).toEqual([
      null,
      false,
    ]);
  });

  test('can be rolled with an overlap in which both keys work, or without one', async () => {
    const storeId = await newStore();
    const old = await createApiKey(context, {
      storeId,
      environment: 'live',
      name: 'Server',
      scopes: ['sessions:read'],
    });
    const successor = (await rollApiKey(context, { storeId, environment: 'live', keyId: old.id }))!;
    expect(await Promise.all([keyOf(old.apiKey), keyOf(successor.apiKey)])).toMatchObject([
      { id: old.id },
      { id: successor.id, scopes: ['sessions:read'] },
    ]);
    const third = (await rollApiKey(context, {
      storeId,
      environment: 'live',
      keyId: successor.id,
      overlapSeconds: 0,
    }))!;
    expect([await keyOf(successor.apiKey), (await keyOf(third.apiKey))?.id]).toEqual([null, third.id]);
    expect(await rollApiKey(context, { storeId, environment: 'live', keyId: successor.id })).toBeNull();
  });
});

describe('a webhook endpoint', () => {
  const lookup = async () => [{ address: '93.184.216.34', family: 4 as const }];
  const set = async (storeId: string, url: string) =>
    setWebhookEndpoint({ ...context, lookup }, { storeId, environment: 'live', url });

  test('gets its secret once and keeps it when the URL changes', async () => {
    const storeId = await newStore();
    const { secret } = await set(storeId, 'https://shop.example.com/hook');
    expect(secret).toMatch(/^whsec_\w{43}$/);
    expect(await set(storeId, 'https://shop.example.com:8443/other')).toEqual({ secret: null });
    const row = await database.prisma.webhookEndpoint.findFirstOrThrow({ where: { storeId } });
    expect(row.url).toBe('https://shop.example.com:8443/other');
    expect(openSecret(context.config.MASTER_KEYS, row.secretCiphertext, webhookSecretPurpose(storeId, 'live'))).toBe(
      secret,
    );
    expect(() =>
      openSecret(context.config.MASTER_KEYS, row.secretCiphertext, webhookSecretPurpose(storeId, 'test')),
    ).toThrow(/authenticate/);
  });
  test('rotates its secret with a day’s overlap, and returns null without an endpoint', async () => {
    const storeId = await newStore();
    const { secret: old } = await set(storeId, 'https://shop.example.com/hook');
    const { secret } = (await rotateWebhookSecret(context, { storeId, environment: 'live' }))!;
    expect(secret).not.toBe(old);
    const row = await database.prisma.webhookEndpoint.findFirstOrThrow({ where: { storeId } });
    expect(
      openSecret(context.config.MASTER_KEYS, row.previousSecretCiphertext!, webhookSecretPurpose(storeId, 'live')),
    ).toBe(old);
    expect(row.previousUntil!.getTime() - context.clock.now().getTime()).toBe(86_400_000);
    expect(await rotateWebhookSecret(context, { storeId, environment: 'test' })).toBeNull();
  });
  test('does not rotate again while the former secret still signs, so that each secret signs for a day after its successor', async () => {
    const storeId = await newStore();
    const { secret: first } = await set(storeId, 'https://shop.example.com/hook');
    const at = (hours: number) => ({
      ...context,
      clock: { now: () => new Date(context.clock.now().getTime() + hours * 3_600_000) },
    });
    const rotate = (hours: number) => rotateWebhookSecret(at(hours), { storeId, environment: 'live' });
    const { secret: second } = (await rotate(0))!;
    const refused = { code: 'RATE_LIMITED', retryAfter: 3600 };
    await expect(rotate(23)).rejects.toMatchObject(refused);
    const secrets = async () => {
      const row = await database.prisma.webhookEndpoint.findFirstOrThrow({ where: { storeId } });
      const open = (sealed: Uint8Array) =>
        openSecret(context.config.MASTER_KEYS, Buffer.from(sealed), webhookSecretPurpose(storeId, 'live'));
      return [open(row.secretCiphertext), open(row.previousSecretCiphertext!)];
    };
    expect(await secrets()).toEqual([second, first]);
    const { secret: third } = (await rotate(24))!;
    expect(await secrets()).toEqual([third, second]);
    const both = await Promise.allSettled([rotate(48), rotate(48)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
  test.each([
    'http://shop.example.com/',
    'https://10.0.0.1/',
    'https://user:p@shop.example.com/',
    'https://shop.example.com:22/',
  ])('refuses %s', async (url) => {
    const storeId = await newStore();
    await expect(set(storeId, url)).rejects.toMatchObject({ code: 'INVALID_PARAMETER', param: 'url' });
    expect(await database.prisma.webhookEndpoint.count({ where: { storeId } })).toBe(0);
  });
  test('refuses a host name that resolves to a private address', async () => {
    const inside = async () => [{ address: '10.0.0.1', family: 4 as const }];
    const to = { storeId: await newStore(), environment: 'live' as const, url: 'https://shop.example.com/' };
    await expect(setWebhookEndpoint({ ...context, lookup: inside }, to)).rejects.toMatchObject({ param: 'url' });
  });
});
