// The watcher against each plan's limits, in the wording of the providers: every payment is credited, and no
// trouble remains once the provider responds again.

import { describe, expect, it } from 'vitest';
import { behaveLike, PROVIDER_PROFILES, type ProviderProfile } from '@/testing/evm/provider-profiles';
import { T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from './step';

const { clock, context, chainOf, node, newNode, mine, pay, session, paymentsOf, row } = useWatchedChain();

/** Runs a step like the worker, until the chain is read completely or this many seconds are over. */
async function watch(seconds: number, ...urls: string[]): Promise<void> {
  const step = watchStep(chainOf(...urls));
  const last = node().blocks.length - 1 - node().finalDepth;
  for (let passed = 0; passed < seconds; passed += 2) {
    while ((await step(context())).more);
    const current = await row();
    if (current && Number(current.final_number) >= last && current.trouble === null) return;
    clock.advance(2000);
  }
}

describe('an endpoint of a provider with', () => {
  it.each(PROVIDER_PROFILES.map((profile) => [profile.name, profile] as const))(
    '%s is read to the end, and every payment is credited once',
    async (_name, profile: ProviderProfile) => {
      await watch(2, node().url);
      const sessions = [await session(), await session(), await session()];
      for (const { address } of sessions) {
        pay(address);
        mine(45);
      }
      behaveLike(node(), profile, clock);
      await watch(240, node().url);
      for (const { id } of sessions) {
        expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
      }
      expect((await row()).trouble).toBeNull();
    },
    60_000,
  );
});

it('a payment in blocks that a lagging node read as empty is credited when they are read again', async () => {
  const step = watchStep(chainOf(node().url));
  while ((await step(context())).more);
  const { id, address } = await session();
  pay(address);
  mine(6);
  node().logsLag = 7;
  await watch(2, node().url);
  expect(await paymentsOf(id)).toMatchObject({ status: 'pending', transfers: [] });
  node().logsLag = 0;
  for (let blocks = 0; blocks < 50; blocks += 5) {
    mine(5);
    while ((await step(context())).more);
  }
  expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
});

it('a limit on ranges is not mistaken for a refusal of all logs when a single new block comes with a second reading', async () => {
  const step = watchStep(chainOf(node().url));
  while ((await step(context())).more);
  const profile = PROVIDER_PROFILES.find(({ range }) => range?.most === 10)!;
  behaveLike(node(), profile, clock);
  for (let blocks = 0; blocks < 70; blocks++) {
    mine(1);
    while ((await step(context())).more);
  }
  expect((await row()).trouble).toBeNull();
  expect(node().calls.get('eth_getBlockReceipts')).toBeUndefined();
});

it('a used-up daily limit is reported as such, another endpoint continues, and the next day the first one does', async () => {
  await watch(2, node().url);
  const { id, address } = await session();
  behaveLike(node(), { name: 'a daily cap', perDay: 0 }, clock);
  pay(address);
  mine(8);
  await watch(20, node().url);
  expect((await row()).trouble).toMatch(/endpoint 1 .*(rate limit|status 429)/);
  expect((await paymentsOf(id)).entries).toBe(0);

  const spare = await newNode();
  spare.finalDepth = node().finalDepth;
  spare.blocks.splice(0, spare.blocks.length, ...node().blocks);
  await watch(20, node().url, spare.url);
  expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
  await spare.close();

  behaveLike(node(), { name: 'a daily cap', perDay: 10_000 }, clock);
  clock.set(Math.ceil(T0 / 86_400) * 86_400);
  mine(8);
  await watch(80, node().url);
  expect((await row()).trouble).toBeNull();
});
