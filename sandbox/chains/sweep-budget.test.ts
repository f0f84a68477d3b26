// What is left of the signer's fee budget of the hour, on a real EVM node: a batch has as many addresses as it is enough for, and no sweep
// is stored that the signer refuses.

import { describe, expect, it } from 'vitest';
import type { SweepScene } from '@/testing/sweeps/sweep-scene';
import { ETHEREUM_SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';

const GWEI = 10n ** 9n;
const HOUR = 3601;
/** Wei, enough for two top-ups and two transfers at these prices, and not for three. */
const TWO_ALONE = 34n * 10n ** 14n;
const FINAL = 6;
const PRICES = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };

describe.each(ETHEREUM_SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const { scene, open, use, expectSweptOnce } = useSweeps(row, { isSeedless });

  const atPrice = (of: SweepScene, maxFeePerGas = PRICES.maxFeePerGas): SweepScene => {
    Object.assign(of.evm.chain, { prices: async () => ({ ...PRICES, maxFeePerGas }) });
    return of;
  };
  const spent = async (of: SweepScene) => BigInt((await of.signer.calls.state()).sweeps![0]!.feesLastHour);
  const statuses = async () => (await scene().sweeps()).map(({ kind, status }) => `${kind} ${status}`);

  /** Goes on with a signer that has this budget and has spent none of it. */
  async function withBudget(feesPerHour: bigint): Promise<SweepScene> {
    const next = await open({ treasury: scene().treasury, feesPerHour });
    use(next);
    return atPrice(next);
  }

  /** What the signer counts of the deployment, and of a batch of so many addresses to a treasury that holds something. */
  async function costs(count: number): Promise<readonly [bigint, bigint]> {
    atPrice(scene());
    const [first] = await scene().paid(1);
    await scene().rounds(1);
    const deployment = await spent(scene());
    await scene().rounds(2);
    const before = await spent(scene());
    const others = await scene().paid(count);
    await scene().rounds(2);
    await expectSweptOnce([first!, ...others]);
    return [deployment, (await spent(scene())) - before];
  }

  it('a batch above the budget of the hour moves as many addresses as it is enough for, and the others follow an hour later', async () => {
    const [, three] = await costs(3);
    const next = await withBudget((three * 11n) / 10n);
    const before = await statuses();
    const sessions = await next.paid(6);
    await next.rounds(3);
    expect((await statuses()).slice(before.length)).toEqual(['batch final']);
    expect((await next.sweeps()).at(-1)).toMatchObject({ moved: 3 });
    expect(await next.hold()).toBe('budget');
    let authorized = 0;
    const { authorize } = next.signer.calls;
    Object.assign(next.signer.calls, {
      authorize: (params: Parameters<typeof authorize>[0]) => (authorized++, authorize(params)),
    });
    await next.rounds(10);
    expect((await statuses()).slice(before.length)).toEqual(['batch final']);
    expect([await next.hold(), authorized]).toEqual(['budget', 0]);
    next.later(HOUR);
    await next.rounds(3);
    expect((await statuses()).slice(before.length)).toEqual(['batch final', 'batch final']);
    for (const { address } of sessions) expect(await next.held(address)).toBe(0n);
  });

  it('one address above the budget of the hour leaves no row behind, nor does the deployment', async () => {
    const [deployment, one] = await costs(1);
    const before = await statuses();
    const next = await withBudget(one - 1n);
    await next.paid(1);
    await next.rounds(3);
    expect(await next.hold()).toBe('budget');
    expect(await statuses()).toEqual(before);
    const other = atPrice(await open({ feesPerHour: deployment - 1n }));
    use(other);
    await other.rounds(3);
    expect(await other.hold()).toBe('budget');
    expect(await statuses()).toEqual(before);
  });

  it('one address above the fee cap of its payment waits for a lower price, and leaves no row behind', async () => {
    await costs(1);
    const before = await statuses();
    atPrice(scene(), 150n * GWEI);
    const sessions = await scene().paid(1);
    await scene().rounds(3);
    expect(await scene().hold()).toBe('fee_too_high');
    expect(await statuses()).toEqual(before);
    atPrice(scene());
    await scene().rounds(2);
    for (const { address } of sessions) expect(await scene().held(address)).toBe(0n);
  });

  it.skipIf(isSeedless)(
    'one by one, as many addresses move as the budget of the hour is enough for, and no refused sweep is stored',
    async () => {
      const next = await withBudget(TWO_ALONE);
      const sessions = await next.paid(4);
      const alone = async (rounds: number): Promise<void> => {
        for (let n = 0; n < rounds; n++) {
          await next.sweep({ fallback: { until: Infinity } });
          await next.chain.mine(FINAL);
          await next.watch();
        }
      };
      await alone(10);
      const two = ['top_up final', 'transfer final', 'top_up final', 'transfer final'];
      expect(await statuses()).toEqual(two);
      expect(await next.hold()).toBe('budget');
      next.later(HOUR);
      await alone(6);
      expect(await statuses()).toEqual([...two, ...two]);
      for (const { address } of sessions) expect(await next.held(address)).toBe(0n);
    },
  );
});
