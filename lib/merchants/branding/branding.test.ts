// A store's branding on a real database: the allowed values, the page's data, and isolation from other stores.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { jpeg, png, webp } from '@/testing/pictures';
import { LARGEST_LOGO, readLogo, setStoreLogo } from './logo';
import { draftBranding, MAX_EMBED_ORIGINS, DEFAULT_BRANDING, readStoreBranding, setStoreBranding } from './branding';

let database: TestDatabase;
let context: Context;
beforeAll(async () => {
  database = await openTestDatabase(3);
  context = testContext(database, new TestClock(), testConfig());
});
afterAll(() => database.close());

const newStore = async () => (await makeStore(database, context.config)).storeId;
const set = async (wish: unknown, storeId?: string) =>
  setStoreBranding(context, { storeId: storeId ?? (await newStore()), wish });

describe('the branding of a store', () => {
  test('is plain until it is set, and then has the set values', async () => {
    const storeId = await newStore();
    expect(await readStoreBranding(context.pool, storeId)).toEqual(DEFAULT_BRANDING);
    const wish = {
      displayName: '  Blaue Tasse ',
      brandColor: '#AB12cd',
      theme: 'dark',
      supportContact: 'help@shop.example',
      embedOrigins: ['https://Shop.example/', 'https://shop.example', 'http://localhost:4010'],
    };
    const branding = {
      displayName: 'Blaue Tasse',
      brandColor: '#ab12cd',
      theme: 'dark',
      supportContact: 'help@shop.example',
      embedOrigins: ['https://shop.example', 'http://localhost:4010'],
      logo: null,
    };
    expect(await set(wish, storeId)).toEqual(branding);
    expect(await readStoreBranding(context.pool, storeId)).toEqual(branding);
    expect(await readStoreBranding(context.pool, await newStore())).toEqual(DEFAULT_BRANDING);
  });

  test('clears omitted fields, but never the logo', async () => {
    const storeId = await newStore();
    await set({ displayName: 'Shop', brandColor: '#000000' }, storeId);
    const logo = await setStoreLogo(context, { storeId, bytes: png(40, 20) });
    expect(await set({ displayName: '', embedOrigins: null }, storeId)).toEqual({
      ...DEFAULT_BRANDING,
      logo: { hash: logo?.hash, width: 40, height: 20 },
    });
  });

  test.each([
    ['display_name', { displayName: 'a\u202eb' }],
    ['display_name', { displayName: 'x'.repeat(101) }],
    ['display_name', { displayName: 7 }],
    ['brand_color', { brandColor: 'red' }],
    ['brand_color', { brandColor: '#12345' }],
    ['brand_color', { brandColor: '#123456;}body{display:none' }],
    ['theme', { theme: 'sepia' }],
    ['support_contact', { supportContact: 'javascript:alert(1)' }],
    ['support_contact', { supportContact: 'http://shop.example/help' }],
    ['support_contact', { supportContact: 'https://user:secret@shop.example/' }],
    ['support_contact', { supportContact: 'help@shop.example?bcc=all@example.com' }],
    ['support_contact', { supportContact: 'help' }],
    ['embed_origins', { embedOrigins: ['*'] }],
    ['embed_origins', { embedOrigins: ['https://*.example'] }],
    ['embed_origins', { embedOrigins: ['https://shop.example/path'] }],
    ['embed_origins', { embedOrigins: ['https://user@shop.example'] }],
    ['embed_origins', { embedOrigins: ['http://shop.example'] }],
    ['embed_origins', { embedOrigins: ["https://shop.example; script-src 'unsafe-inline'"] }],
    ['embed_origins', { embedOrigins: ['null'] }],
    ['embed_origins', { embedOrigins: 'https://shop.example' }],
    [
      'embed_origins',
      { embedOrigins: Array.from({ length: MAX_EMBED_ORIGINS + 1 }, (_, n) => `https://s${n}.example`) },
    ],
    ['branding', 'dark'],
  ])('is refused with a wrong %s: %j', async (param, wish) => {
    await expect(set(wish)).rejects.toMatchObject({ code: 'INVALID_PARAMETER', param });
  });
});

describe('a logo', () => {
  test.each([
    ['image/png', png(64, 64)],
    ['image/jpeg', jpeg(64, 32)],
    ['image/webp', webp('VP8X', 64, 32)],
  ])('is stored unchanged, as %s', async (type, bytes) => {
    const storeId = await newStore();
    const logo = await setStoreLogo(context, { storeId, bytes });
    expect(await readLogo(context.pool, logo?.hash ?? '')).toEqual({ bytes, type });
    expect((await readStoreBranding(context.pool, storeId)).logo?.hash).toBe(logo?.hash);
  });

  test('is stored without metadata about its author and place', async () => {
    const bytes = png(40, 20, 'tEXt', 'GPS 48.2082 16.3738, Alice');
    const logo = await setStoreLogo(context, { storeId: await newStore(), bytes });
    expect((await readLogo(context.pool, logo?.hash ?? ''))?.bytes).toEqual(png(40, 20));
  });

  test('is removed for its store, but not for another store with the same logo', async () => {
    const [mine, theirs] = [await newStore(), await newStore()];
    const bytes = png(33, 33);
    const logo = await setStoreLogo(context, { storeId: mine, bytes });
    await setStoreLogo(context, { storeId: theirs, bytes });
    expect(await setStoreLogo(context, { storeId: mine, bytes: null })).toBeNull();
    expect(await readLogo(context.pool, logo?.hash ?? '')).not.toBeNull();
    await setStoreLogo(context, { storeId: theirs, bytes: null });
    expect(await readLogo(context.pool, logo?.hash ?? '')).toBeNull();
  });

  test.each([
    ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['too many pixels', png(1025, 200)],
    ['too wide', png(900, 100)],
    ['too many bytes', Buffer.alloc(LARGEST_LOGO + 1, png(10, 10))],
  ])('is refused: %s', async (_name, bytes) => {
    const storeId = await newStore();
    await expect(setStoreLogo(context, { storeId, bytes })).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
      param: 'logo',
    });
    expect(await readStoreBranding(context.pool, storeId)).toEqual(DEFAULT_BRANDING);
  });

  test.each(['', '..', 'f'.repeat(63), `${'f'.repeat(63)}G`, "' OR 1=1"])(
    'can be read only by a hash, not by %j',
    async (hash) => {
      expect(await readLogo(context.pool, hash)).toBeNull();
    },
  );
});

describe('the preview of a branding', () => {
  const saved = {
    ...DEFAULT_BRANDING,
    displayName: 'Shop',
    brandColor: '#0f766e',
    supportContact: 'help@shop.example',
  };

  test('has the fields of the form as they would be saved, and clears what the form leaves empty', () => {
    const draft = { displayName: ' Rope ', brandColor: '#FFE066', theme: 'dark', supportContact: '' };
    expect(draftBranding(saved, draft)).toEqual({
      ...saved,
      displayName: 'Rope',
      brandColor: '#ffe066',
      theme: 'dark',
      supportContact: null,
    });
  });

  test('keeps the saved field when the form’s field is absent or invalid', () => {
    const colors = ['#ffe0', 'red', '#ffffff;}body{display:none', 'url(https://elsewhere.example)'];
    for (const brandColor of colors) expect(draftBranding(saved, { brandColor })).toEqual(saved);
    const contacts = ['javascript:alert(1)', 'http://shop.example', 'nobody'];
    for (const supportContact of contacts) expect(draftBranding(saved, { supportContact })).toEqual(saved);
    expect(draftBranding(saved, { displayName: 'a'.repeat(101), theme: 'pink' })).toEqual(saved);
    expect(draftBranding(saved, {})).toEqual(saved);
  });
});
