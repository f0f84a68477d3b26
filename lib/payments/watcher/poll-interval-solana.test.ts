// On a network read by account, final scans read accounts only now and then, unless a payment waits for one.

import { expect, it } from 'vitest';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import type { FollowedChain } from '@/lib/networks/registry';
import { silentLog } from '@/testing/chain-clock';
import { localSolana } from '@/testing/solana/solana-scene';
import { useWatchedSolana } from '@/testing/solana/solana-watched';
import { watchStep } from './step';

const { clock, context, node, mine, pay, session, paymentsOf, row } = useWatchedSolana();

/** The local chain followed as the main network is. */
const paidChain = (): FollowedChain => {
  const spec = { ...localSolana, chain: 'mainnet', genesis: node().genesis } as const;
  const adapter = openSolanaAdapter({ spec, urls: [node().url], clock, log: silentLog() });
  return { environment: 'test', network: 'solana', spec, adapter };
};
/** Five slots every two seconds, as on the main network. */
async function runFor(seconds: number, step: ReturnType<typeof watchStep>): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 2) {
    mine(5);
    for (let quarter = 0; quarter < 4; quarter++) {
      while ((await step(context())).more);
      clock.advance(500);
    }
  }
}

it('credits a payment within seconds of its finality, and otherwise scans final blocks about every twenty seconds', async () => {
  node().finalDepth = 31;
  mine(40);
  const { id, owner } = await session();
  const step = watchStep(paidChain());
  await runFor(4, step);
  const before = Number((await row()).final_number);
  await runFor(12, step);
  expect(Number((await row()).final_number)).toBe(before);
  await runFor(12, step);
  expect(Number((await row()).final_number)).toBeGreaterThan(before);

  pay(owner);
  await runFor(4, step);
  expect(await paymentsOf(id)).toMatchObject({ status: 'pending', unconfirmed: ['seen'] });
  // Finality is 31 slots behind: thirteen seconds.
  await runFor(14, step);
  expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
});
