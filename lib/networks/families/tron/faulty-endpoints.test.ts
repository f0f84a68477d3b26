// Endpoints that are dead, slow, lagging, lying or limited. Alone they prove nothing; beside a good endpoint nothing is credited
// falsely and nothing is missed.

import { describe, expect, it } from 'vitest';
import { tronFaults } from '@/testing/tron/tron-faults';
import { TRON_PAID_IN, tronWindow, useTronPair, watchTronOurs } from '@/testing/tron/tron-pair';

const pair = useTronPair();
const { faulty, good, open } = pair;

describe.each(tronFaults(pair))('an endpoint that is %s', (_kind, fault, spoil) => {
  it(`alone proves nothing: ${fault}`, async () => {
    spoil();
    const scan = open([faulty().url]).scan(tronWindow, watchTronOurs);
    await expect(scan).rejects.toMatchObject({ name: expect.stringMatching(/Error$/), fault });
    await expect(scan).rejects.not.toThrow(/127\.0\.0\.1|key-9f8e7d/);
  });

  it('is bypassed, and the payment is found once', async () => {
    spoil();
    const { transfers, through } = await open([faulty().url, good().url]).scan(tronWindow, watchTronOurs);
    expect(transfers.map(({ amount, blockNumber }) => [amount, blockNumber])).toEqual([[12n, TRON_PAID_IN]]);
    expect(through.hash).toBe(good().blocks[10]!.id);
  });
});

describe('facts that need a second endpoint', () => {
  it('a payment invented by a consistent liar is not found if agreement is required', async () => {
    const block = faulty().blocks[6]!;
    const [first, ...rest] = block.transactions;
    const forged = { ...block.transactions[1]!, logs: good().blocks[TRON_PAID_IN]!.transactions.at(-1)!.logs };
    faulty().blocks[6] = { ...block, transactions: [first!, forged, ...rest.slice(1)] };
    const trusting = open([faulty().url]);
    expect((await trusting.scan(tronWindow, watchTronOurs)).transfers).toHaveLength(2);
    const careful = open([faulty().url, good().url], { trust: { above: 0n, abovePerHour: 0n, endpoints: 2 } });
    await expect(careful.scan(tronWindow, watchTronOurs)).rejects.toMatchObject({ fault: 'contradiction' });
  });
});
