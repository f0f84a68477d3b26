// The worker or the whole machine was stopped, or its clock jumps, while all endpoints work. The state of the networks is then unknown, and
// no session is closed for a missing network.

import { expect, it } from 'vitest';
import { T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { expireSessions } from './expire';

const w = useWatchedChain();
const EXPIRES = T0 + 10 + 1800;

/** Mines up to this chain time, a minute apart. */
const mineTo = (time: number) => {
  while (w.node().blocks.at(-1)!.time < time) w.node().mine([], w.node().blocks.at(-1)!.time + 60);
};

it('a session that was paid in time while the worker was stopped for two hours completes when the worker is back', async () => {
  const watch = w.step();
  await w.run(watch);
  const { id, address } = await w.session();
  w.mine(5);
  w.pay(address);
  // The worker is stopped here; the chain continues, and its endpoint works all the time.
  mineTo(EXPIRES + 2 * 3600);
  w.clock.set(EXPIRES + 2 * 3600);
  // The worker starts: each step has its own loop (worker/loop), so they start together.
  await Promise.all([w.run(w.step()), expireSessions(w.context())]);
  await w.run();
  expect((await w.paymentsOf(id)).status).toBe('completed');
});

it('a session that was paid in time completes after such a stop although the endpoint does not respond to the first request', async () => {
  const watch = w.step();
  await w.run(watch);
  const { id, address } = await w.session();
  w.mine(5);
  w.pay(address);
  mineTo(EXPIRES + 2 * 3600);
  w.clock.set(EXPIRES + 2 * 3600);
  // One process runs only the steps in the order of a cron pass; its endpoint does not respond to the first request.
  w.node().tamper = () => ({ error: { code: -32000, message: 'try again' } });
  await w.run();
  await expireSessions(w.context());
  w.node().tamper = () => undefined;
  await w.run();
  expect((await w.paymentsOf(id)).status).toBe('completed');
});

it('a clock that is two hours ahead for a moment closes no session', async () => {
  const watch = w.step();
  await w.run(watch);
  const { id, address } = await w.session();
  w.clock.set(EXPIRES + 2 * 3600);
  await expireSessions(w.context());
  w.clock.set(T0 + 120);
  w.mine(5);
  w.pay(address);
  w.mine(6);
  await w.run(watch);
  expect((await w.paymentsOf(id)).status).toBe('completed');
});

it('a session whose network does not respond is closed after the hold while a worker sends requests, even only every ten minutes', async () => {
  await w.run(w.step());
  const { id } = await w.session();
  w.clock.set(EXPIRES);
  const askFor = async (minutes: number) => {
    for (let left = minutes; left > 0; left -= 10) {
      await expireSessions(w.context());
      w.clock.advance(600_000);
    }
  };
  await askFor(60);
  expect((await w.paymentsOf(id)).status).toBe('pending');
  // No worker ran for two hours, so the hour starts again.
  w.clock.advance(2 * 3_600_000);
  await askFor(60);
  expect((await w.paymentsOf(id)).status).toBe('pending');
  await askFor(10);
  expect((await w.paymentsOf(id)).status).toBe('expired');
});
