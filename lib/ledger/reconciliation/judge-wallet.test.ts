import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { confirmed, signedBeforeOf, unexplained, type InFlight } from './judge-wallet';

const payment = (intentId: string, amount: bigint, signedAt = 0): InFlight => ({ intentId, amount, signedAt });
const judge = (expected: bigint, found: bigint, inFlight: InFlight[] = [], signedBefore: number | null = null) =>
  unexplained({ expected: { least: expected, most: expected }, found, inFlight, signedBefore });

describe('a reading of the refund wallet', () => {
  it('needs no explanation when it equals the ledger', () => expect(judge(100n, 100n)).toBe(0n));

  it('shows a deposit', () => {
    expect(judge(100n, 130n)).toBe(30n);
    expect(judge(100n, 130n, [payment('a', 50n)])).toBe(30n);
  });

  it('shows the amount missing beyond the payments in flight', () => {
    expect(judge(100n, 99n)).toBe(-1n);
    expect(judge(100n, 60n, [payment('a', 40n)])).toBe(0n);
    expect(judge(100n, 59n, [payment('a', 40n)])).toBe(-1n);
  });

  it('counts the attempts of one payment once', () => {
    expect(judge(100n, 20n, [payment('a', 40n), payment('a', 40n)])).toBe(-40n);
    expect(judge(100n, 20n, [payment('a', 40n), payment('b', 40n)])).toBe(0n);
  });

  it('does not count payments signed after its block', () => {
    expect(judge(100n, 60n, [payment('a', 40n, 501)], 500)).toBe(-40n);
    expect(judge(100n, 60n, [payment('a', 40n, 500)], 500)).toBe(0n);
  });

  it('counts every payment where block times are unusable, and reports nothing while less is missing than is in flight', () => {
    expect(judge(100n, 60n, [payment('a', 40n, 501)], null)).toBe(0n);
    expect(judge(100n, 80n, [payment('a', 40n)])).toBe(0n);
  });

  it('uses the block time of public networks with their margin, and none of Solana or of a local chain', () => {
    const before = (environment: 'live' | 'test', network: string, chains: 'public' | 'local') =>
      signedBeforeOf(networkSpec(environment, network, chains)!, 10_000);
    const margin = networkSpec('live', 'tron', 'public')!.blockTimeMarginSeconds;
    expect([before('live', 'tron', 'public'), before('test', 'tron', 'public')]).toEqual([
      ...[10_000 + margin, 10_000 + margin],
    ]);
    expect([before('test', 'tron', 'local'), before('live', 'solana', 'public')]).toEqual([null, null]);
  });

  it('reports no theft when the worker’s clock is five minutes ahead of the chain', () => {
    for (const network of ['ethereum', 'bsc', 'tron']) {
      const before = signedBeforeOf(networkSpec('live', network, 'public')!, 10_000);
      expect(judge(100n, 60n, [payment('a', 40n, 10_300)], before)).toBe(0n);
      expect(judge(100n, 60n, [payment('a', 40n, 10_400)], before)).toBe(-40n);
    }
  });

  it('never reports a theft for any landed payments and deposits, and always does when more is missing', () => {
    const amount = fc.bigInt({ min: 1n, max: 1000n });
    const payments = fc.array(fc.record({ amount, landed: fc.boolean() }), { maxLength: 8 });
    fc.assert(
      fc.property(payments, fc.nat(1000), fc.nat(1000), (all, put, stolen) => {
        const inFlight = all.map((one, n) => payment(String(n), one.amount));
        const total = all.reduce((sum, one) => sum + one.amount, 0n);
        const left = all.reduce((sum, one) => sum + (one.landed ? one.amount : 0n), 0n);
        expect(judge(10_000n, 10_000n - left + BigInt(put), inFlight) >= 0n).toBe(true);
        expect(judge(10_000n, 10_000n - total - BigInt(stolen), inFlight)).toBe(BigInt(-stolen));
      }),
    );
  });
});

describe('two consecutive readings', () => {
  it('confirm the amount that both show', () => {
    expect([confirmed(30n, 50n), confirmed(50n, 30n)]).toEqual([30n, 30n]);
    expect([confirmed(-30n, -50n), confirmed(-50n, -30n)]).toEqual([-30n, -30n]);
  });
  it('confirm nothing when one shows nothing or the opposite', () => {
    expect([confirmed(0n, 5n), confirmed(5n, 0n), confirmed(-5n, 5n), confirmed(5n, -5n)]).toEqual([0n, 0n, 0n, 0n]);
  });
});
