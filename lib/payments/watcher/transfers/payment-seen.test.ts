// payment.seen on a programmable node with a real database: one for each unconfirmed transfer, whatever the network does to it.

import { beforeEach, expect, it } from 'vitest';
import { watchedStore } from '@/testing/watching/watched-session';
import { payment, useWatchedChain } from '@/testing/watching/watched-chain';

const { run, step, mine, pay, node, session, pool, paymentsOf } = useWatchedChain();
const HASH = `0x${'ab'.repeat(32)}`;

const want = async (...events: string[]) => {
  await pool().query(
    `INSERT INTO webhook_endpoints (id, store_id, environment, url, secret_ciphertext, optional_events)
     VALUES (gen_random_uuid(), $1, 'test', 'https://shop.example.com', '', $2)
     ON CONFLICT (store_id, environment) DO UPDATE SET optional_events = $2`,
    [await watchedStore(pool()), events],
  );
};
beforeEach(() => want('payment.seen'));
const eventsOf = async (id: string) => {
  const text = 'SELECT body FROM events WHERE object_id = $1 ORDER BY written_in, id';
  return (await pool().query(text, [id])).rows.map(({ body }) => JSON.parse(body));
};
const types = async (id: string) => (await eventsOf(id)).map(({ type }) => type);

it('is sent when an unconfirmed transfer is seen, before payment.completed, with what it pays', async () => {
  const { id, address } = await session();
  const watch = step();
  pay(address, HASH);
  await run(watch);
  await run(watch);
  const [seen, ...others] = await eventsOf(id);
  expect(others).toEqual([]);
  expect(seen).toMatchObject({
    type: 'payment.seen',
    data: {
      object: {
        status: 'pending',
        amount: 1234,
        currency: 'USDT',
        session_id: id,
        network: 'ethereum',
        transaction_hash: HASH,
        amount_received: 0,
        payment_amount: 1234,
      },
    },
  });
  mine(4);
  await run(watch);
  expect(await types(id)).toEqual(['payment.seen', 'payment.completed']);
});

it('is not sent to an endpoint that is not subscribed to it', async () => {
  await want('payment.partial', 'payment.exception');
  const { id, address } = await session();
  pay(address);
  await run();
  expect((await paymentsOf(id)).unconfirmed).toEqual(['seen']);
  expect(await types(id)).toEqual([]);
});

it('is sent once for a transfer that a reorg removed and the network included again', async () => {
  const { id, address } = await session();
  const watch = step();
  mine(3);
  pay(address, HASH);
  await run(watch);
  node().drop(2);
  mine(2);
  await run(watch);
  expect((await paymentsOf(id)).unconfirmed).toEqual(['orphaned']);
  pay(address, HASH);
  await run(watch);
  expect((await paymentsOf(id)).unconfirmed).toEqual(['seen']);
  expect(await types(id)).toEqual(['payment.seen']);
});

it('is not sent for a transfer that was seen before the endpoint subscribed, even when it is included again', async () => {
  await want();
  const { id, address } = await session();
  const watch = step();
  mine(3);
  pay(address, HASH);
  await run(watch);
  await want('payment.seen');
  node().drop(2);
  mine(2);
  pay(address, HASH);
  await run(watch);
  expect((await paymentsOf(id)).unconfirmed).toEqual(['seen']);
  expect(await types(id)).toEqual([]);
});

it('is sent once when two workers read the same block', async () => {
  const { id, address } = await session();
  pay(address);
  await Promise.all([run(step()), run(step())]);
  expect(await types(id)).toEqual(['payment.seen']);
});

it('is sent once for each of two transfers in one block', async () => {
  const { id, address } = await session();
  node().mine([payment(address), payment(address)]);
  await run();
  expect(await types(id)).toEqual(['payment.seen', 'payment.seen']);
});

it('is not sent for a transfer that was final when it was found first', async () => {
  const { id, address } = await session();
  pay(address);
  mine(10);
  await run();
  expect(await types(id)).toEqual(['payment.completed']);
});

it('is not sent for a transfer on a network that the session does not offer', async () => {
  const { id, address } = await session(['bsc']);
  pay(address);
  await run();
  expect((await paymentsOf(id)).unconfirmed).toEqual(['seen']);
  expect(await types(id)).toEqual([]);
});
