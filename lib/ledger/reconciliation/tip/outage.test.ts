// Endpoints that cannot be read for minutes, or read tokens but no coin: the operators learn that no theft can be confirmed, and what left
// meanwhile still freezes signing once the endpoints are back.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '@/lib/platform/context';
import type { FakeNode, FakeTransaction } from '@/testing/evm/fake-evm-node';
import { REFUND_WALLET, STRANGER, TREASURY } from '@/testing/watching/outflows';
import { SPONSOR, TICK_SECONDS, useTip } from '@/testing/watching/tip-scene';

const { context, closeOthers, held, mine, mineBlock, node, open, other, paid, secondsUntilFrozen, transfer } = useTip();
const HASH = `0x${'ab'.repeat(32)}`;

const coin = (to: string, hash = HASH): FakeTransaction => ({ from: SPONSOR, to, value: 5n, hash, logs: [] });
const theft = [coin(STRANGER)];
const tokens = [transfer(REFUND_WALLET, STRANGER)];

let step: Step;
beforeEach(async () => {
  await paid();
  node().finalDepth = 100;
});
afterEach(() => closeOthers());

/** A step that has just read the newest block by its first endpoint: what follows waits longest. */
async function justRead(...nodes: FakeNode[]): Promise<Step> {
  const opened = open(...nodes);
  mine();
  await opened(context());
  return opened;
}
const until = (most?: number): Promise<number | null> => secondsUntilFrozen([step], most);
/** The steps may fail. */
const during = (seconds: number): Promise<number | null> => secondsUntilFrozen([step], seconds, true);

const refusal = { error: { code: -32601, message: 'the method does not exist' } };
/** The endpoint reads blocks and logs, and nothing of what only coin needs. */
const withoutCoin = (one: FakeNode): void =>
  void (one.tamper = ({ method, params }) =>
    method === 'eth_getTransactionCount' || (method === 'eth_getBlockByNumber' && params[1] === true)
      ? refusal
      : undefined);
const withoutTokens = (one: FakeNode): void =>
  void (one.tamper = ({ method }) =>
    method === 'eth_getLogs' ? { error: { code: -32000, message: 'busy' } } : undefined);
const works = (one: FakeNode): void => void (one.tamper = () => undefined);

describe('the step fails, which alarms the operators', () => {
  it.each([
    ['coin', 'eth_getTransactionCount', withoutCoin, () => mineBlock(theft)],
    ['tokens', 'eth_getLogs', withoutTokens, () => mine(tokens, HASH)],
  ])(
    'while one of two endpoints cannot read %s for minutes, although the other one can',
    async (_, message, spoil, steal) => {
      const second = await other();
      step = await justRead(node(), second);
      spoil(second);
      steal();
      expect(await until(240)).toBeNull();
      await expect(until(400)).rejects.toThrow(message);
      // Also between two readings: a run that succeeds would end the alarm.
      for (let runs = 0; runs < 8; runs++) await expect(until(TICK_SECONDS)).rejects.toThrow(message);
      works(second);
      expect(await during(60)).not.toBeNull();
      held.reason = null;
      await during(40);
      expect(await until(400)).toBeNull();
    },
  );

  it('but not while two others are enough to confirm a theft', async () => {
    const [second, third] = [await other(), await other()];
    withoutCoin(third);
    step = await justRead(node(), second, third);
    expect(await until(900)).toBeNull();
    mineBlock(theft);
    expect(await until()).toBeLessThan(60);
  });

  it('and not for short outages, however many', async () => {
    const second = await other();
    step = await justRead(node(), second);
    for (let outages = 0; outages < 5; outages++) {
      withoutCoin(second);
      expect(await until(200)).toBeNull();
      works(second);
      expect(await until(60)).toBeNull();
    }
  });
});

describe('what one endpoint reports while the other one cannot', () => {
  it.each([
    ['coin', withoutCoin, () => mineBlock(theft)],
    ['tokens', withoutTokens, () => mine(tokens, HASH)],
  ])('freezes signing once that is back, also after longer than ten minutes: %s', async (_, spoil, steal) => {
    const second = await other();
    step = await justRead(node(), second);
    spoil(second);
    steal();
    expect(await during(1200)).toBeNull();
    works(second);
    expect(await during(60)).not.toBeNull();
    expect(held.reason).toContain(HASH);
  });

  it('is not requested any more ten minutes later if the other one answers without it', async () => {
    const honest = await other();
    step = await justRead(node(), honest);
    const requests = async (): Promise<number> => {
      const total = () =>
        [node(), honest].flatMap(({ calls }) => [...calls.values()]).reduce((sum, count) => sum + count, 0);
      const before = total();
      expect(await until(200)).toBeNull();
      return total() - before;
    };
    await until(60);
    const idle = await requests();
    mineBlock(theft, [honest]);
    expect(await requests()).toBeGreaterThan(idle + 5);
    await until(600);
    expect(await requests()).toBe(idle);
  });
});

describe('coin that left while coin could not be read for longer than five minutes', () => {
  /** With two headers in each reading. */
  const fullBlocks = (): number => node().calls.get('eth_getBlockByNumber')!;
  beforeEach(async () => {
    step = await justRead(node());
    withoutCoin(node());
  });

  it('freezes signing once it can be read again', async () => {
    mineBlock(theft);
    expect(await during(420)).toBeNull();
    works(node());
    expect(await during(20)).not.toBeNull();
    expect(held.reason).toContain(HASH);
  });

  it('freezes signing although the endpoint has deleted the state of the last reading, if it left in the last minutes', async () => {
    await during(420);
    mineBlock(theft);
    expect(await during(120)).toBeNull();
    const oldest = node().blocks.length - 40;
    const before = fullBlocks();
    node().tamper = ({ method, params }) =>
      method === 'eth_getTransactionCount' && Number(params[1]) < oldest
        ? { error: { code: -32000, message: 'missing trie node' } }
        : undefined;
    expect(await during(20)).not.toBeNull();
    expect(fullBlocks() - before).toBeLessThan(15);
  });

  it('costs a bounded number of full blocks, whatever the sponsor has signed meanwhile', async () => {
    for (let sweeps = 0; sweeps < 150; sweeps++) mineBlock([coin(TREASURY, `0x${String(sweeps).padStart(64, '0')}`)]);
    await during(320);
    mineBlock(theft);
    await during(100);
    works(node());
    const before = fullBlocks();
    expect(await during(20)).not.toBeNull();
    expect(fullBlocks() - before).toBeLessThan(15);
  });
});

it('coin freezes signing within a minute although no endpoint can read tokens', async () => {
  step = await justRead(node());
  withoutTokens(node());
  mineBlock(theft);
  expect(await until()).toBeLessThan(60);
});
