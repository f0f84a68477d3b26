// The energy that operators see comes from what a run reads anyway.

import { expect, test } from 'vitest';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { TronSweepChain } from '@/lib/networks/families/tron/sweeping/chain';
import { TestClock } from '@/testing/fixtures';
import { NOTHING_KNOWN, tronSweeps } from './family';
import type { Tron, TronRun } from './run';

test('the energy of the sponsor is that of the last plan, and takes no request of its own', async () => {
  const clock = new TestClock();
  const requests: string[] = [];
  let energy = 130_000n;
  const chain = {
    prices: async () => {
      requests.push('prices');
      return { energy: 100n, bandwidth: 1000n, activation: 1_100_000n };
    },
    sponsor: async (address: string) => {
      requests.push(`sponsor ${address}`);
      const total = { energy: 180_000_000_000n, staked: 18_000_000_000n };
      return { coin: 0n, lendable: 10n ** 15n, bandwidth: 0n, energy, total };
    },
  } satisfies Partial<TronSweepChain>;
  const spec = networkSpec('live', 'tron', 'public') as NetworkSpec;
  const tron = { spec, chain, lasts: 60_000, known: { ...NOTHING_KNOWN } } as unknown as Tron;
  const family = tronSweeps(tron);
  const plan = () =>
    family.costEach({ context: { clock }, wallets: { active: 'TSponsor' }, tron } as unknown as TronRun);

  expect(family.energy?.()).toBeNull();
  await plan();
  const first = { left: 130_000n, readAt: clock.now() };
  expect(family.energy?.()).toEqual(first);
  energy = 65_000n;
  clock.advance(59);
  await plan();
  expect(family.energy?.()).toEqual(first);
  clock.advance(1);
  await plan();
  expect(family.energy?.()).toEqual({ left: 65_000n, readAt: clock.now() });
  expect(requests).toEqual(['prices', 'sponsor TSponsor', 'prices', 'sponsor TSponsor']);
  expect(NOTHING_KNOWN.energy).toBeNull();
});
