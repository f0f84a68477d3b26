import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RpcCall } from '@/lib/networks/endpoints/json-rpc/client';
import { answerFault } from '@/lib/networks/endpoints/json-rpc/faults';
import { NETWORKS, type EvmSpec } from '@/lib/networks/networks';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { checkCost, checkDataFee, offeredPrices, readDataFee, replacingPrices } from './fees';

const GWEI = 10n ** 9n;
const main = (network: string) => NETWORKS.find((row) => row.network === network && row.chain === 'mainnet') as EvmSpec;
const hex = (value: bigint) => `0x${value.toString(16)}`;

/** A node that answers only these methods. */
function nodeWith(answers: Readonly<Record<string, unknown>>): EvmNode {
  const call = async <T>({ method, shape }: RpcCall<T>): Promise<T> => {
    if (method in answers) return shape.parse(answers[method]);
    throw answerFault('endpoint 1', { method, calls: 1 }, { code: -32601, message: 'method not found' });
  };
  const batch = () => Promise.reject(new Error('not requested'));
  return { name: 'endpoint 1', rpc: { name: 'endpoint 1', source: 'endpoint 1', call, batch }, logsRefused: false };
}
const history = (base: bigint, tips: readonly bigint[] | null) => ({
  baseFeePerGas: [hex(base), hex(base)],
  reward: tips?.map((tip) => [hex(tip)]) ?? null,
});
const ethereum = (base: bigint, tips: readonly bigint[] | null, more = {}) =>
  offeredPrices(nodeWith({ eth_feeHistory: history(base, tips), ...more }), main('ethereum'));
const bsc = (price: bigint) =>
  offeredPrices(nodeWith({ eth_feeHistory: history(0n, [0n]), eth_gasPrice: hex(price) }), main('bsc'));

describe('the price of a new transaction', () => {
  it('is twice the base fee plus the usual tip of the last blocks', async () => {
    const prices = await ethereum(
      20n * GWEI,
      [9n, 1n, 2n].map((tip) => tip * GWEI),
    );
    expect(prices).toEqual({ maxFeePerGas: 42n * GWEI, maxPriorityFeePerGas: 2n * GWEI });
  });

  it('keeps the tip between the accepted minimum and the cap', async () => {
    expect((await ethereum(GWEI, [0n])).maxPriorityFeePerGas).toBe(GWEI / 20n);
    expect((await ethereum(GWEI, [900n * GWEI])).maxPriorityFeePerGas).toBe(5n * GWEI);
  });

  it('requests a suggested tip without a fee history, and falls back if neither is offered', async () => {
    const reported = await ethereum(GWEI, null, { eth_maxPriorityFeePerGas: hex(GWEI) });
    expect(reported.maxPriorityFeePerGas).toBe(GWEI);
    expect((await ethereum(GWEI, null)).maxPriorityFeePerGas).toBe(GWEI / 20n);
  });

  it('caps the tip too if an endpoint reports no base fee', async () => {
    const prices = await ethereum(0n, [0n], { eth_gasPrice: hex(249n * GWEI) });
    expect(prices).toEqual({ maxFeePerGas: 249n * GWEI, maxPriorityFeePerGas: 5n * GWEI });
  });

  it('is at most the cap; the payment waits above it', async () => {
    expect((await ethereum(200n * GWEI, [GWEI])).maxFeePerGas).toBe(300n * GWEI);
    await expect(ethereum(300n * GWEI, [GWEI])).rejects.toMatchObject({ name: 'SendHold', reason: 'fee_too_high' });
  });

  it('is one explicit price between floor and cap on BSC, which has no base fee', async () => {
    const both = (price: bigint) => ({ maxFeePerGas: price, maxPriorityFeePerGas: price });
    expect(await bsc(0n)).toEqual(both(GWEI / 20n));
    expect(await bsc(GWEI)).toEqual(both(GWEI));
    await expect(bsc(4n * GWEI)).rejects.toMatchObject({ reason: 'fee_too_high' });
  });
});

describe('the price of a replacement', () => {
  const price = fc.bigInt({ min: 1n, max: 100n * GWEI });

  it('is at least an eighth more on both fields and the current price, with the tip at most the price', () => {
    fc.assert(
      fc.property(price, price, price, price, (one, two, three, four) => {
        const pair = (a: bigint, b: bigint) => ({ maxFeePerGas: a > b ? a : b, maxPriorityFeePerGas: a > b ? b : a });
        const [before, now] = [pair(one, two), pair(three, four)];
        const next = replacingPrices(main('ethereum'), before, now);
        for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
          expect(next[field] * 1000n).toBeGreaterThanOrEqual(before[field] * 1125n);
          expect(next[field]).toBeGreaterThanOrEqual(now[field]);
        }
        expect(next.maxFeePerGas).toBeGreaterThanOrEqual(next.maxPriorityFeePerGas);
      }),
    );
  });

  it('makes the payment wait above the cap', () => {
    const before = { maxFeePerGas: 290n * GWEI, maxPriorityFeePerGas: GWEI };
    expect(() => replacingPrices(main('ethereum'), before, before)).toThrow(
      expect.objectContaining({ reason: 'fee_too_high' }),
    );
  });
});

describe('the cost of a payment', () => {
  const priced = (price: bigint) => ({ maxFeePerGas: price * GWEI, maxPriorityFeePerGas: GWEI });

  it('makes the payment wait exactly above the signer’s limit, so that no draft is refused later', () => {
    expect(() => checkCost(main('ethereum'), priced(200n), { gasLimit: 100_000n })).not.toThrow();
    expect(() => checkCost(main('ethereum'), priced(200n), { gasLimit: 100_001n })).toThrow(
      /at most 199\.99\d are paid/,
    );
    expect(() => checkCost(main('ethereum'), priced(300n), { gasLimit: 79_000n })).toThrow(
      expect.objectContaining({ reason: 'fee_too_high' }),
    );
    expect(() => checkCost(main('bsc'), priced(3n), { gasLimit: 100_000n })).not.toThrow();
  });

  it('makes a batch wait that may cost more than one coin, because nodes refuse it by their own cap', () => {
    const batch = { gasLimit: 6_552_000n, payments: 50n };
    expect(() => checkCost(main('polygon'), priced(152n), batch)).not.toThrow();
    expect(() => checkCost(main('polygon'), priced(153n), batch)).toThrow(
      expect.objectContaining({ reason: 'fee_too_high' }),
    );
  });
});

describe('the fee for data apart from gas', () => {
  const base = main('base');
  const quoting = (wei: bigint) => nodeWith({ eth_call: `0x${wei.toString(16).padStart(64, '0')}` });
  const most = base.dataFee?.most ?? 0n;

  it('is what the network quotes, and nothing where gas pays for everything', async () => {
    expect(await readDataFee(quoting(7n), base)).toBe(7n);
    expect(await readDataFee(nodeWith({}), main('ethereum'))).toBe(0n);
  });

  it('holds the payment while the quote exceeds what the row keeps for it', async () => {
    await checkDataFee(quoting(most), base);
    await expect(checkDataFee(quoting(most + 1n), base)).rejects.toMatchObject({ reason: 'fee_too_high' });
  });

  it('is never assumed to be zero on a node without the quoting contract', async () => {
    await expect(checkDataFee(nodeWith({ eth_call: '0x' }), base)).rejects.toMatchObject({ fault: 'unavailable' });
  });

  it('uses a part of the fee cap, which lowers the limit for gas', () => {
    const prices = { maxFeePerGas: (base.feeCap - most) / 100_000n, maxPriorityFeePerGas: 1n };
    checkCost(base, prices, { gasLimit: 100_000n });
    expect(() =>
      checkCost(base, { ...prices, maxFeePerGas: prices.maxFeePerGas + 1n }, { gasLimit: 100_000n }),
    ).toThrow(/at most/);
  });
});
