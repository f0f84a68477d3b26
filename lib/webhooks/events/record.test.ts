// Recording and resending an event, on a real database with local receivers.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openReceiver, type Behaviour, type Receiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { openDispatcher } from '@/lib/webhooks/delivery/deliver';
import { readDeliveries } from './read';
import { recordPaymentEvent } from './record';
import { resendEvent } from '@/lib/webhooks/console/resend';

let database: TestDatabase;
let context: Context;
const receivers: Receiver[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  context = testContext(database, new TestClock(), testConfig());
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(() => database.close());

async function storeAt(behave?: Behaviour) {
  const receiver = await openReceiver(behave);
  receivers.push(receiver);
  return { receiver, ...(await makeEndpoint(database, context, receiver.url)) };
}
async function deliverDue(): Promise<void> {
  const dispatcher = openDispatcher(context);
  await dispatcher.pump();
  expect(await dispatcher.idle(60_000)).toBe(true);
}

describe('recording', () => {
  const facts = {
    orderId: 'o',
    amountDue: 100n,
    currency: 'USDT',
    exchangeRate: null,
    network: null,
    transactionHash: null,
    amountReceived: 0n,
    environment: 'test',
    type: 'payment.expired',
    now: new Date(1_800_000_000_000),
  } as const;
  const count = async (storeId: string) => [
    await database.prisma.event.count({ where: { storeId } }),
    await database.prisma.delivery.count({ where: { storeId } }),
  ];

  test('leaves nothing when its transaction fails', async () => {
    const { storeId } = await storeAt();
    await expect(
      transaction(database.pool, async (tx) => {
        await recordPaymentEvent(tx, { ...facts, storeId, sessionId: 'cs_test_rolled_back' });
        throw new Error('changed its mind');
      }),
    ).rejects.toThrow('changed its mind');
    expect(await count(storeId)).toEqual([0, 0]);
  });

  test('the same change twice is refused', async () => {
    const { storeId } = await storeAt();
    const record = () =>
      transaction(database.pool, (tx) => recordPaymentEvent(tx, { ...facts, storeId, sessionId: 'cs_test_twice' }));
    await record();
    await expect(record()).rejects.toMatchObject({ code: '23505', constraint: 'events_object_id_type_cause_key' });
    expect(await count(storeId)).toEqual([1, 1]);
  });

  test('for an environment without an endpoint stores the event, which can be sent once there is one', async () => {
    const { receiver, storeId } = await storeAt();
    await recordEvent(context, { storeId, environment: 'live' });
    const { id: eventId } = await database.prisma.event.findFirstOrThrow({ where: { storeId } });
    expect([await count(storeId), await resendEvent(context, { storeId, eventId })]).toEqual([[1, 0], null]);
    await setWebhookEndpoint(context, { storeId, environment: 'live', url: receiver.url });
    expect(await resendEvent(context, { storeId, eventId })).toEqual({ deliveryId: expect.stringMatching(/^\d+$/) });
    await deliverDue();
    expect(receiver.received.map(({ headers }) => headers['x-service-event-id'])).toEqual([eventId]);
  });
});

test('a resent event is a new delivery of the same bytes, and another store cannot request it', async () => {
  const { receiver, storeId, environment } = await storeAt((n) => (n === 0 ? 400 : 200));
  const stranger = await storeAt();
  await recordEvent(context, { storeId, environment });
  await deliverDue();
  const { id: eventId } = await database.prisma.event.findFirstOrThrow({ where: { storeId } });
  expect(await resendEvent(context, { storeId: stranger.storeId, eventId })).toBeNull();
  expect(await readDeliveries(context, { storeId: stranger.storeId, eventId })).toEqual([]);
  await resendEvent(context, { storeId, eventId });
  await deliverDue();
  const [first, second] = receiver.received;
  expect(second!.body.equals(first!.body)).toBe(true);
  expect(second!.headers['x-service-event-id']).toBe(eventId);
  expect((await readDeliveries(context, { storeId, eventId })).map(({ status }) => status)).toEqual([
    'failed',
    'delivered',
  ]);
});
