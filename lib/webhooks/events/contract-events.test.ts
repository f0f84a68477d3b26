// The six events of the contract as a merchant's receiver gets them. Each is caused by a real change, delivered over
// HTTP and read with the contract's own steps (docs/contract.md#6-events).

import { createHmac, timingSafeEqual } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { proveBalances } from '@/testing/payments/proven-balances';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { openContract, SESSIONS, type Client, type Contract } from '@/testing/contract-client';
import { testContext } from '@/testing/fixtures';
import { openReceiver, type Received, type Receiver } from '@/testing/receivers/receiver';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { landed, scriptedSender } from '@/testing/refunds/scripted-sender';
import { openSettledSessions } from '@/testing/payments/settled-session';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { openDispatcher } from '@/lib/webhooks/delivery/deliver';

let contract: Contract;
let merchant: Client;
let receiver: Receiver;
let context: Context;
let secret: string;
let sessions: ReturnType<typeof openSettledSessions>;
beforeAll(async () => {
  contract = await openContract();
  context = testContext(contract.db, contract.clock, contract.config);
  merchant = contract.client('the Node server');
  receiver = await openReceiver((_n, _call) => (answer) => answer.end('{"received":true}'));
  secret = await endpointOf(contract.store.storeId);
  sessions = openSettledSessions(contract.db, contract.clock, contract.chains);
});
afterAll(async () => {
  await receiver.close();
  await contract.close();
});

async function endpointOf(storeId: string): Promise<string> {
  const { secret: made } = await setWebhookEndpoint(context, { storeId, environment: 'test', url: receiver.url });
  return made as string;
}

/** Delivers due events and returns the only new call. */
async function delivered(): Promise<Received> {
  const before = receiver.received.length;
  const dispatcher = openDispatcher(context);
  await dispatcher.pump();
  expect(await dispatcher.idle(60_000)).toBe(true);
  expect(receiver.received.length).toBe(before + 1);
  return receiver.received[before] as Received;
}

/** The steps of "Signature verification (merchant side)". Returns the parsed body, or the status to refuse with. */
function verified({ headers, body }: Received, key: string) {
  const one = (name: string) => String(headers[name]);
  const [signature, timestamp, nonce] = [
    one('x-service-signature'),
    one('x-service-timestamp'),
    one('x-service-nonce'),
  ];
  if (Math.abs(contract.now() - Number(timestamp)) > 300) return 400;
  const expected = createHmac('sha256', key).update(`${timestamp}.${nonce}.`).update(body).digest('hex');
  if (signature.length !== expected.length) return 401;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? JSON.parse(body.toString('utf8')) : 401;
}

const EVENT_ID = /^evt_\d{19}$/;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** The fields of every payment event of the contract, whichever of the four it is. */
const payment = (type: string, status: string, session: { id: string; metadata: { order_id: string } }) => ({
  id: expect.stringMatching(EVENT_ID),
  type,
  created_at: contract.now(),
  data: {
    object: expect.objectContaining({
      amount: 1250,
      status,
      currency: 'USDT',
      exchange_rate: expect.stringMatching(/^\d+(\.\d+)?$/),
      order_id: session.metadata.order_id,
      session_id: session.id,
      source: 'api',
    }),
  },
});
const create = async (over: object = {}) => (await merchant.create({ currency: 'USDT', ...over })).json;
const runOut = async () => {
  contract.clock.advance(3601);
  const finalTime = contract.clock.now();
  await contract.db.prisma.chain.updateMany({ data: { finalTime } });
  await contract.setRates('0.8');
  await proveBalances(contract.db.pool);
  await expireSessions(context);
};

describe('payment events', () => {
  test('a payment that is confirmed sends payment.completed with the amount and the token', async () => {
    const session = await create();
    await sessions.transfer(session.id, { cents: 1250, time: contract.now() });
    await sessions.settle(session.id);
    expect(verified(await delivered(), secret)).toEqual(payment('payment.completed', 'completed', session));
  });

  test('a payment that stays incomplete sends payment.failed when the time runs out', async () => {
    const session = await create();
    await sessions.transfer(session.id, { cents: 700, time: contract.now() });
    await sessions.settle(session.id);
    await runOut();
    expect(verified(await delivered(), secret)).toEqual(payment('payment.failed', 'failed', session));
  });

  test('a payment that never comes sends payment.expired when the time runs out', async () => {
    const session = await create();
    await runOut();
    expect(verified(await delivered(), secret)).toEqual(payment('payment.expired', 'expired', session));
  });

  test('a payment whose session the merchant cancels sends payment.cancelled', async () => {
    const session = await create();
    await merchant.post(`${SESSIONS}/${session.id}/cancel`, {});
    expect(verified(await delivered(), secret)).toEqual(payment('payment.cancelled', 'canceled', session));
  });

  test('an event reports the settlement token when the customer had not chosen one', async () => {
    const session = await create({ currency: 'USD' });
    await runOut();
    expect(verified(await delivered(), secret)).toEqual(payment('payment.expired', 'expired', session));
  });

  test('an event of a converted session reports its locked exchange rate', async () => {
    const session = await create({ currency: 'EUR', amount: 1000 });
    await merchant.post(`${SESSIONS}/${session.id}/cancel`, {});
    const body = verified(await delivered(), secret);
    expect(body.data.object.exchange_rate).toBe(session.exchange_rate);
  });
});

describe('refund events', () => {
  const spec = localSpec('ethereum');
  let scene: RefundScene;
  let outcomeOf: (hash: string) => AttemptOutcome;
  const sender = scriptedSender({ spec, scene: () => scene, outcome: (hash) => outcomeOf(hash) });
  const reverted = (hash: string): AttemptOutcome => ({
    kind: 'reverted',
    hash,
    reason: 'The token contract refused it.',
  });

  test.each([
    ['is paid', landed, 'refund.succeeded', 'completed'],
    ['fails', reverted, 'refund.failed', 'failed'],
  ] as const)(
    'a refund that %s sends its event with the amount and the currency of the refund',
    async (_, outcome, type, status) => {
      outcomeOf = outcome;
      scene = await openRefundScene({ db: contract.db, clock: contract.clock, spec, sender });
      const key = await endpointOf(scene.storeId);
      const id = await scene.refund({ to: PAYERS.evm, cents: 500n });
      const { refundId, sessionId, orderId } = await scene.untilEnded(id);
      expect(verified(await delivered(), key)).toEqual({
        id: expect.stringMatching(EVENT_ID),
        type,
        created_at: contract.now(),
        data: {
          object: expect.objectContaining({
            session_id: sessionId,
            order_id: orderId,
            refund_id: refundId,
            refund_amount: 500,
            refund_currency: 'USDT',
            status,
            source: 'api',
          }),
        },
      });
    },
  );
});

test('a delivery is a POST with the headers of the specification, and its event id is the id of the body', async () => {
  const session = await create();
  await merchant.post(`${SESSIONS}/${session.id}/cancel`, {});
  const call = await delivered();
  expect(call.method).toBe('POST');
  expect(call.headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/json/),
    'x-service-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    'x-service-timestamp': String(contract.now()),
    'x-service-nonce': expect.stringMatching(UUID_V4),
    'x-service-event-type': 'payment.cancelled',
    'x-service-event-id': JSON.parse(call.body.toString()).id,
    'user-agent': 'Service-Webhook/1.0',
  });
});

test('a merchant who follows the specification refuses an old, a changed and a foreign delivery', async () => {
  const session = await create();
  await merchant.post(`${SESSIONS}/${session.id}/cancel`, {});
  const call = await delivered();
  expect(verified(call, 'another secret')).toBe(401);
  expect(verified({ ...call, body: Buffer.from(`${call.body.toString()} `) }, secret)).toBe(401);
  contract.clock.advance(300);
  expect(verified(call, secret)).toMatchObject({ type: 'payment.cancelled' });
  contract.clock.advance(1);
  expect(verified(call, secret)).toBe(400);
});
