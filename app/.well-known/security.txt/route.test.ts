// /.well-known/security.txt with and without its setting.

import { afterEach, expect, test, vi } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { securityTxt } from '@/lib/platform/security/security-txt';

afterEach(() => vi.unstubAllEnvs());

async function get(contact: string | undefined): Promise<Response> {
  vi.stubEnv('SECURITY_CONTACT', contact);
  vi.resetModules();
  const { GET } = await import('./route');
  return GET();
}

test('names the contact, and expires within a year', async () => {
  const response = await get('mailto:security@pay.example');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await response.text()).toMatch(
    /^Contact: mailto:security@pay\.example\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\n/,
  );
  const now = new Date('2026-11-22T19:00:00Z');
  expect(securityTxt({ contact: 'https://pay.example/report', publicUrl: 'https://pay.example', now })).toBe(
    'Contact: https://pay.example/report\nExpires: 2027-05-21T00:00:00.000Z\nPreferred-Languages: en\n' +
      'Canonical: https://pay.example/.well-known/security.txt\n',
  );
});

test('is 404 without a contact', async () => {
  expect((await get(undefined)).status).toBe(404);
});

test.each([
  'security@pay.example',
  'http://pay.example',
  'mailto:a@b.example\nContact: x',
  'javascript:alert(1)',
  'mailto:',
])('refuses the contact %j', (contact) => {
  const environment = {
    DATABASE_URL: 'postgresql://unused',
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
  };
  expect(() => readConfig({ ...environment, SECURITY_CONTACT: contact })).toThrow('SECURITY_CONTACT');
  expect(readConfig({ ...environment, SECURITY_CONTACT: 'tel:+1-201-555-0123' }).SECURITY_CONTACT).toBeDefined();
});
