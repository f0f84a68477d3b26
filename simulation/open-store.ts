// Opens a store of a history: its rules differ from store to store, and its events go to the first of its two receivers.

import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { openPrisma } from '@/lib/platform/database/prisma';
import { makeStore } from '@/testing/fixtures';
import type { Random } from './random';
import type { SimulatedReceiver } from './receivers';
import type { World } from './world';
import type { SimulatedStore } from './stores';

type Given = { readonly receivers: readonly SimulatedReceiver[]; readonly name: string };

export async function openStore(
  { context, harness, chains }: World,
  random: Random,
  { receivers, name }: Given,
): Promise<SimulatedStore> {
  const pool = harness.database.pool;
  const prisma = await openPrisma(pool);
  const made = await makeStore({ url: '', pool, prisma, close: async () => {} }, context.config);
  const usdCurrencies = random.pick([['USDT'], ['USDC'], ['USDT', 'USDC']]);
  const acceptsOtherToken = random.chance(30);
  const networks = random.pick([[], [], [random.pick(chains).network]]);
  const dayLimit = random.pick([null, null, null, 100_000n, 20_000n]);
  const refundDayLimit = random.pick([2000n, 1_000_000n, 1_000_000n, 1_000_000n]);
  await pool.query(
    `UPDATE stores SET usd_currencies = $2, accepts_other_token = $3, networks = $4, refund_day_limit = $5, day_limit = $6
     WHERE id = $1`,
    [made.storeId, usdCurrencies, acceptsOtherToken, networks, refundDayLimit, dayLimit],
  );
  const [receiver] = receivers as [SimulatedReceiver];
  const at = { storeId: made.storeId, environment: 'test' as const, url: receiver.url };
  const { secret } = await setWebhookEndpoint(context, at);
  const secrets = [{ text: secret ?? '', from: context.clock.now().getTime(), until: null }];
  for (const one of receivers) one.secrets = secrets;
  return {
    ...{
      ...made,
      name,
      usdCurrencies,
      acceptsOtherToken,
      dayLimit,
      refundDayLimit,
      receiver,
      receivers,
      formerKeys: [],
    },
    secrets,
    reader: { cursor: null, read: [] },
  };
}
