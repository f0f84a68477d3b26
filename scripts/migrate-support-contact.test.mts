// Stores with a support contact in a former field keep it. It becomes the contact shown to customers where it can be a
// link, else part of the store's description.

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate } from './migrate.mjs';
import { openOldInstallation, type OldInstallation } from './old-installation.mjs';

const THIS = '20261121170000_one_support_contact';
let old: OldInstallation;

beforeAll(async () => void (old = await openOldInstallation(inject('databaseServer'), (one) => one < THIS)));
afterAll(() => old.close());

/** The store's fields and branding before, and both afterwards. */
const STORES = [
  { was: null, branding: undefined, contact: undefined, description: 'Mugs' },
  { was: 'help@shop.example', branding: undefined, contact: 'help@shop.example', description: 'Mugs' },
  {
    was: ' https://shop.example:8443/help?a=b ',
    branding: undefined,
    contact: 'https://shop.example:8443/help?a=b',
    description: 'Mugs',
  },
  { was: 'help@shop.example', branding: null, contact: 'help@shop.example', description: 'Mugs' },
  { was: 'help@shop.example', branding: 'help@shop.example', contact: 'help@shop.example', description: 'Mugs' },
  {
    was: 'old@shop.example',
    branding: 'new@shop.example',
    contact: 'new@shop.example',
    description: 'Mugs – old@shop.example',
  },
  { was: '@shop on Telegram', branding: undefined, contact: undefined, description: 'Mugs – @shop on Telegram' },
  {
    was: 'help@shop.example?bcc=all',
    branding: undefined,
    contact: undefined,
    description: 'Mugs – help@shop.example?bcc=all',
  },
  {
    was: 'https://user@shop.example/',
    branding: undefined,
    contact: undefined,
    description: 'Mugs – https://user@shop.example/',
  },
  { was: 'https://1.2.3.999/', branding: undefined, contact: undefined, description: 'Mugs – https://1.2.3.999/' },
  { was: 'http://shop.example', branding: null, contact: null, description: 'Mugs – http://shop.example' },
];

test('no support contact is lost, and only what can be a link becomes one', async () => {
  const user = await old.client.query(
    `INSERT INTO users (id, email, password_hash, role) VALUES (gen_random_uuid(), 'm@shop.example', 'x', 'merchant') RETURNING id`,
  );
  for (const [n, { was, branding }] of STORES.entries()) {
    await old.client.query(
      `INSERT INTO stores (id, owner_id, name, description, support_contact) VALUES ($1, $2, 'Shop', 'Mugs', $3)`,
      [`st_${n}`, user.rows[0].id, was],
    );
    if (branding !== undefined)
      await old.client.query(
        `INSERT INTO store_looks (store_id, brand_color, support_contact, updated_at) VALUES ($1, '#102030', $2, now())`,
        [`st_${n}`, branding],
      );
  }
  expect(await migrate(old.url)).toContain(THIS);
  for (const [n, { branding, contact, description }] of STORES.entries()) {
    const { rows } = await old.client.query(
      `SELECT s.description, l.support_contact, l.brand_color FROM stores s LEFT JOIN store_branding l ON l.store_id = s.id WHERE s.id = $1`,
      [`st_${n}`],
    );
    const color = branding === undefined ? null : '#102030';
    expect(rows).toEqual([{ description, support_contact: contact ?? null, brand_color: color }]);
  }
});
