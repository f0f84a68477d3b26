// The coin that payments of an hour may cost: whatever a taken-over worker requests, the signer signs no more than the budget of the network.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { batchOf, openBatchScene, payoutOrders } from '@/testing/signer/batch-scene';
import {
  draftOf,
  evmDraft,
  localSpec,
  orderOn,
  outcomeOf,
  partsOf,
  policy,
  START,
  type EvmChanges,
} from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { readJournal } from './journal/open';
import { paymentFeesPerHour } from './payment-fees';
import type { Policy } from './policy';
import { RefundSigner } from './refund-signer';
import { policyOf, readSignerSettings } from './settings';

const directory = useTemporaryDirectory();
const HOUR = 3_600_000;
const GWEI = 10n ** 9n;
const COIN = 10n ** 18n;
const limitOf = (network: string) =>
  expect.objectContaining({
    code: 'limit',
    message: `the fees per hour for payments on ${network}@local are reached: see SIGNER_PAYMENT_FEES`,
  });
const budget = (network: string, fees: bigint): Pick<Policy, 'fees'> => ({
  fees: new Map([[`${network}@local`, fees]]),
});

function openScene(network: string, fees: bigint, segmentBytes?: number) {
  const journalFile = path.join(fs.mkdtempSync(path.join(directory, 'fees-')), 'journal');
  const time = { now: START };
  const open = () =>
    new RefundSigner({
      ...partsOf(journalFile, time),
      policy: { ...policy(), ...budget(network, fees) },
      isNewWallet: !fs.existsSync(journalFile),
      ...(segmentBytes === undefined ? {} : { segmentBytes }),
    });
  const scene = {
    ...{ time, journalFile, signer: open() },
    restart: () => void (scene.signer = open()),
    sign: async (at: number, on = network) => {
      const order = orderOn(on, { intentId: `re_${at}`, session: `cs_${at}`, cents: 1n });
      return scene.signer.sign({ order, draft: await draftOf(order, at, time.now) });
    },
    evm: (at: number, changes: EvmChanges) => {
      const order = orderOn(network, { intentId: `re_${at}`, session: `cs_${at}` });
      return scene.signer.sign({ order, draft: evmDraft(order, { nonce: at, ...changes }) });
    },
  };
  return scene;
}

/** What a draft of signer-scene may cost: gas with the fee for data, the fee limit with bandwidth, the priority fee with rent. */
const COSTS: readonly [string, bigint][] = [
  ['ethereum', 270_000n * GWEI],
  ['base', 270_000n * GWEI + 200_000n * GWEI],
  ['tron', 30_000_000n + 345_000n],
  ['solana', 5_000n + 1_200n + 2_039_280n],
];

describe.each(COSTS)('the budget of an hour on %s', (network, cost) => {
  test('counts all that each payment may cost, and refuses the one that is above it', async () => {
    const scene = openScene(network, 2n * cost);
    const first = await scene.sign(0);
    await scene.sign(1);
    const { records } = scene.signer.state().journal;
    await expect(scene.sign(2)).rejects.toThrow(limitOf(network));
    expect(scene.signer.state().journal.records).toBe(records);
    // What is signed is answered again.
    expect(await scene.sign(0)).toEqual(first);
    const short = openScene(network, 2n * cost - 1n);
    await short.sign(0);
    await expect(short.sign(1)).rejects.toThrow(limitOf(network));
  });
});

test('another network goes on, and so does this one after an hour', async () => {
  const scene = openScene('tron', 30_345_000n);
  await scene.sign(0);
  await expect(scene.sign(1)).rejects.toThrow(limitOf('tron'));
  await scene.sign(2, 'solana');
  scene.time.now += HOUR - 1;
  await expect(scene.sign(1)).rejects.toThrow(limitOf('tron'));
  scene.time.now += 1;
  await scene.sign(1);
});

test('the budget survives restarts and closed segments, and a clock that is set back', async () => {
  const cost = COSTS[3]![1];
  const scene = openScene('solana', 12n * cost, 6000);
  for (let at = 0; at < 12; at++) await scene.sign(at);
  for (let restarts = 0; restarts < 2; restarts++) {
    await expect(scene.sign(12)).rejects.toThrow(limitOf('solana'));
    scene.restart();
  }
  expect(scene.signer.state().journal.segments).toBeGreaterThan(1);
  scene.time.now -= 5 * HOUR;
  await expect(scene.sign(12)).rejects.toThrow(limitOf('solana'));
});

test('an attempt that follows a lapsed one counts in full: only the worker says that it lapsed', async () => {
  const cost = COSTS[3]![1];
  const scene = openScene('solana', 2n * cost);
  const order = orderOn('solana', { intentId: 're_0', session: 'cs_0', cents: 1n });
  let former = await scene.sign(0);
  const again = async (variant: number) => {
    scene.time.now += 100_000;
    const lapsed = outcomeOf(order, former, { outcome: 'lapsed', finalized: variant * 1000 + 100 });
    return scene.signer.sign({ order, draft: await draftOf(order, variant), lapsed });
  };
  former = await again(1);
  await expect(again(2)).rejects.toThrow(limitOf('solana'));
});

test('a replacement counts what it may cost more, because only one of the two can land', () => {
  const gasLimit = 1_000_000n;
  const scene = openScene('ethereum', 3_600_000n * GWEI);
  scene.evm(0, { gasLimit, maxFeePerGas: 3n * GWEI });
  scene.evm(0, { gasLimit, maxFeePerGas: (36n * GWEI) / 10n, maxPriorityFeePerGas: 2n * GWEI });
  expect(() => scene.evm(1, {})).toThrow(limitOf('ethereum'));
  expect(() => scene.evm(0, { gasLimit, maxFeePerGas: 4n * GWEI, maxPriorityFeePerGas: 3n * GWEI })).toThrow(
    limitOf('ethereum'),
  );
});

test('a signature counts at least a hundredth of the fee cap, so that free ones cannot fill the disk', () => {
  const scene = openScene('bsc', localSpec('bsc').feeCap / 10n);
  const free = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  for (let at = 0; at < 10; at++) scene.evm(at, free);
  expect(() => scene.evm(10, free)).toThrow(limitOf('bsc'));
});

test('the journal has the fees in the format that former versions read, before the payment', async () => {
  const { sign, journalFile } = openScene('ethereum', 10n ** 18n);
  const { hash } = await sign(0);
  const entries = fs.readFileSync(journalFile, 'utf8').trimEnd().split('\n').slice(-2);
  expect(entries.map((line) => JSON.parse(line).record.entry)).toMatchObject([
    { kind: 'fees', chain: 'payments ethereum@local', wei: String(270_000n * GWEI), hash },
    { kind: 'signed', intentId: 're_0' },
  ]);
});

describe('batches of payouts', () => {
  const terms = { reset: false, maxFeePerGas: String(3n * GWEI), maxPriorityFeePerGas: String(GWEI) } as const;
  const allow = { environment: 'test', network: 'ethereum', currency: 'USDT', gasLimit: '100000', ...terms } as const;

  test('a batch counts its whole fee, and its replacement what that may cost more', () => {
    const whole = 3_000_000n * GWEI;
    const scene = openBatchScene(directory, budget('ethereum', whole + (whole * 12n) / 100n));
    scene.batches.sign(batchOf(payoutOrders(3)));
    expect(() => scene.batches.sign(batchOf(payoutOrders(3, 3), { nonce: 1 }))).toThrow(limitOf('ethereum'));
    const prices = { maxFeePerGas: (336n * GWEI) / 100n, maxPriorityFeePerGas: 2n * GWEI };
    scene.restart();
    scene.batches.sign(batchOf(payoutOrders(3), prices));
    const [order] = payoutOrders(1, 3) as [ReturnType<typeof payoutOrders>[number]];
    expect(() => scene.refunds.sign({ order, draft: evmDraft(order, { nonce: 1 }) })).toThrow(limitOf('ethereum'));
  });

  test('changes of the allowance count in the same budget', () => {
    const scene = openBatchScene(directory, budget('ethereum', 600_000n * GWEI));
    for (const nonce of [0, 1]) scene.batches.allow({ ...allow, nonce });
    expect(() => scene.batches.allow({ ...allow, nonce: 2 })).toThrow(limitOf('ethereum'));
    const [order] = payoutOrders(1) as [ReturnType<typeof payoutOrders>[number]];
    expect(() => scene.refunds.sign({ order, draft: evmDraft(order, { nonce: 2 }) })).toThrow(limitOf('ethereum'));
  });
});

test('a payment does not count as a signed sweep: coin that it sends has no intent', async () => {
  const scene = openScene('ethereum', COIN);
  const { hash } = await scene.sign(0);
  const { index } = readJournal(scene.journalFile, partsOf(scene.journalFile).journalKey);
  expect(index.sweeps.among([hash])).toEqual([]);
});

test('the budget follows the limits in cents unless a setting names it', () => {
  const perHour = (settings: Record<string, string>, network = 'ethereum') =>
    paymentFeesPerHour(
      policyOf(readSignerSettings({ KEYSTORE_FILE: 'k', ...settings })),
      networkSpec('live', network, 'public') as NetworkSpec,
    );
  // With the defaults of all settings: 200 payments at the fee cap.
  expect(perHour({})).toBe(4n * 10n ** 18n);
  expect(perHour({}, 'bsc')).toBe(4n * 10n ** 17n);
  expect(perHour({}, 'tron')).toBe(10_069n * 10n ** 6n);
  expect(perHour({}, 'solana')).toBe(10n ** 9n);
  const payouts = { SIGNER_PAYOUT_CENTS_PER_HOUR: '3000000', SIGNER_PAYOUT_CENTS_PER_DAY: '3000000' };
  expect(perHour(payouts)).toBe(10n * 10n ** 18n);
  expect(perHour({ SIGNER_CENTS_PER_REFUND: '0', SIGNER_CENTS_PER_HOUR: '0' })).toBe(2n * 10n ** 18n);
  const named = { ...payouts, SIGNER_PAYMENT_FEES: 'ethereum@mainnet=0.05,solana@mainnet=0' };
  expect([perHour(named), perHour(named, 'solana')]).toEqual([5n * 10n ** 16n, 0n]);
  expect(() => perHour({ SIGNER_PAYMENT_FEES: 'ethereum@mainnet=x' })).toThrow(/SIGNER_PAYMENT_FEES/);
});
