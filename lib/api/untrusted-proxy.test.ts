// A proxy missing from the settings makes all visitors one client: the log says so.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openFrontServer, sendTo, type FrontServer } from '@/testing/front-server';

let forgotten: FrontServer;
let trusted: FrontServer;
beforeAll(async () => {
  forgotten = await openFrontServer();
  trusted = await openFrontServer({ TRUSTED_PROXIES: '127.0.0.1/32' });
});
afterAll(() => Promise.all([forgotten.close(), trusted.close()]));

/** The warnings that two requests cause. */
async function warned(front: FrontServer, headers: readonly (readonly [string, string])[]): Promise<unknown[][]> {
  const warn = vi.spyOn(front.services.log, 'warn');
  const asked = {
    method: 'GET',
    path: '/',
    headers: [['host', '127.0.0.1'] as const, ...headers],
    body: Buffer.alloc(0),
  };
  await sendTo(front.port, asked);
  await sendTo(front.port, asked);
  return warn.mock.calls;
}

const FORWARDED = [['x-forwarded-for', '203.0.113.9']] as const;

test('an address that forwards for others without being trusted is logged, once', async () => {
  expect(await warned(forgotten, [])).toEqual([]);
  expect(await warned(forgotten, FORWARDED)).toEqual([
    [{ proxy: '127.0.0.1' }, expect.stringContaining('TRUSTED_PROXIES')],
  ]);
});

test('a trusted proxy is not', async () => {
  expect(await warned(trusted, FORWARDED)).toEqual([]);
});
