// The button behind the link that stops a payout address: from our own page only, without sign-in, and the same for every token.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openServices, type Services } from '@/lib/api/services';
import { newStopToken } from '@/lib/platform/ids';
import { formRequest } from '@/testing/page-form';
import { openAddressScene, type AddressScene } from '@/testing/payouts/address-scene';
import { answerStopPayoutAddress } from './stop-payout-address';

let scene: AddressScene;
let services: Services;
let token: string;
let id: string;
beforeAll(async () => {
  scene = await openAddressScene();
  services = openServices(scene.context, () => []);
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.force('DELETE FROM payout_addresses');
  id = await scene.add(await scene.store());
  await scene.announce();
  token = await scene.lastToken();
  scene.lines.length = 0;
});

const press = (given: string, headers: Record<string, string> = {}) =>
  answerStopPayoutAddress(services, {
    token: given,
    request: formRequest(`/payout-addresses/stop/${given}/confirm`, {}, headers),
  });
const stoppedAt = async () =>
  (await scene.database.prisma.payoutAddress.findUniqueOrThrow({ where: { id } })).stoppedAt;

test('stops the address and leads back to the page, which shows the result; the second time changes nothing', async () => {
  for (let n = 0; n < 2; n++)
    expect(await press(token)).toMatchObject({
      status: 303,
      headers: { Location: `/payout-addresses/stop/${token}`, 'Referrer-Policy': 'no-referrer' },
    });
  expect(await stoppedAt()).toEqual(scene.clock.now());
  expect(scene.lines.join('')).not.toContain(token);
});

describe('stops nothing', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a site of the same domain', { 'sec-fetch-site': 'same-site' }],
  ])('when the form comes from %s', async (_, headers) => {
    expect(await press(token, headers)).toMatchObject({ status: 403 });
    expect(await stoppedAt()).toBeNull();
  });

  test('with a forged token, and answers as to a real one', async () => {
    const forged = newStopToken();
    expect(await press(forged)).toMatchObject({ status: 303 });
    expect(await stoppedAt()).toBeNull();
  });

  test.each(['/../../dashboard', '//evil.example', '%0d%0aSet-Cookie: a'])(
    'with %s as the token, and leads nowhere else',
    async (text) => {
      const { headers } = await press(text);
      expect(headers.Location).toBe(`/payout-addresses/stop/${encodeURIComponent(text)}`);
    },
  );
});
