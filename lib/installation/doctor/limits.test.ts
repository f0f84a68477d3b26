import { afterAll, beforeAll, expect, test } from 'vitest';
import { startValkey, type ValkeyServer } from '@/testing/valkey';
import { limitFindings } from './limits';

let valkey: ValkeyServer;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.close());

const found = async (VALKEY_URL?: string) => {
  const [finding, ...more] = await limitFindings({ VALKEY_URL });
  expect(more).toEqual([]);
  return finding;
};

test('says who counts requests where Valkey answers, and where there is none', async () => {
  expect(await found()).toMatchObject({ state: 'ok', message: expect.stringContaining('VALKEY_URL is not set') });
  expect(await found(valkey.url)).toMatchObject({ state: 'ok', message: expect.stringContaining('Valkey answers') });
});

test('fails for a Valkey that refuses the password, without repeating it', async () => {
  const finding = await found(valkey.refusedUrl);
  expect(finding).toMatchObject({ state: 'fail', message: expect.stringContaining('WRONGPASS') });
  expect(JSON.stringify(finding)).not.toContain(new URL(valkey.refusedUrl).password);
});

test('fails for a Valkey that is away', async () => {
  expect(await found('redis://127.0.0.1:9')).toMatchObject({
    state: 'fail',
    message: 'Valkey cannot be reached (ECONNREFUSED)',
  });
});
