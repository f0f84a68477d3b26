// The fee budget of an hour: it is exact, separate for each network, and survives a restart and a closed segment of the
// journal.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalKeyOf, SignerJournal } from '@/lib/signer/journal/signer-journal';
import { readJournal } from '@/lib/signer/journal/open';
import { orderOn, partsOf, seed, solanaDraft } from '@/testing/signer/signer-scene';
import {
  batchOf,
  CONTRACT,
  depositAddress,
  LOCAL_EVM_CHAINS,
  openSweepScene,
  sweepOf,
  sweepPolicy,
  sweepSignerOn,
  type SweepScene,
} from '@/testing/signer/sweep-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import type { EvmSweepParams } from './orders';

const directory = useTemporaryDirectory();
const HOUR = 3_600_000;
const isLimit = expect.objectContaining({ code: 'limit' });
const specOf = (network: string) =>
  LOCAL_EVM_CHAINS.find((one) => one.network === network) as (typeof LOCAL_EVM_CHAINS)[number];
const { feeCap } = specOf('ethereum');

/** Costs 500,000 × 1 gwei. */
const params = (changes: Partial<EvmSweepParams> = {}) => sweepOf(batchOf(), changes);
const WEI = 500_000n * 10n ** 9n;
const budgetOf = (wei: bigint) => sweepPolicy(new Map([['ethereum@local', wei]]));
const spent = ({ sweeps }: SweepScene, network = 'ethereum') =>
  sweeps.state().find((one) => one.network === `${network}@local`)?.feesLastHour;

describe('the budget of an hour', () => {
  test('is exact, ends a rolling hour after each signature, and leaves other networks alone', () => {
    const scene = openSweepScene(directory, { policy: budgetOf(2n * WEI) });
    scene.sweeps.sweep(params());
    scene.time.now += HOUR / 2;
    scene.sweeps.sweep(params({ nonce: 1 }));
    expect(() => scene.sweeps.sweep(params({ nonce: 2 }))).toThrow(isLimit);
    const usdc = Object.values(specOf('bsc').tokens)[0]?.contract as string;
    scene.sweeps.sweep(sweepOf(batchOf({ contract: usdc }), { network: 'bsc' }));
    scene.time.now += HOUR / 2 - 1;
    expect(() => scene.sweeps.sweep(params({ nonce: 2 }))).toThrow(isLimit);
    scene.time.now += 1;
    scene.sweeps.sweep(params({ nonce: 2 }));
    expect(() => scene.sweeps.sweep(params({ nonce: 3 }))).toThrow(isLimit);
    expect([spent(scene), spent(scene, 'bsc')]).toEqual([String(2n * WEI), String(WEI)]);
  });

  test('refuses one wei above it', () => {
    const scene = openSweepScene(directory, { policy: budgetOf(2n * WEI - 1n) });
    scene.sweeps.sweep(params());
    expect(() => scene.sweeps.sweep(params({ nonce: 1 }))).toThrow(isLimit);
    expect(spent(scene)).toBe(String(WEI));
  });

  test('survives a restart', () => {
    const scene = openSweepScene(directory, { policy: budgetOf(2n * WEI) });
    scene.sweeps.sweep(params());
    scene.sweeps.sweep(params({ nonce: 1 }));
    scene.restart();
    expect(spent(scene)).toBe(String(2n * WEI));
    expect(() => scene.sweeps.sweep(params({ nonce: 2 }))).toThrow(isLimit);
  });

  test('survives closed segments, where signatures of ten minutes count until the last of them no longer does', () => {
    const scene = openSweepScene(directory, { policy: budgetOf(20n * WEI), segmentBytes: 2000 });
    for (let nonce = 0; nonce < 20; nonce++) {
      scene.sweeps.sweep(params({ nonce }));
      scene.time.now += 1000;
    }
    const closed = fs.readdirSync(path.dirname(scene.journalFile)).filter((name) => /\.\d{6}$/.test(name));
    expect(closed.length).toBeGreaterThan(2);
    for (let restarts = 0; restarts < 3; restarts++) {
      expect(spent(scene)).toBe(String(20n * WEI));
      expect(() => scene.sweeps.sweep(params({ nonce: 20 }))).toThrow(isLimit);
      scene.restart();
    }
    scene.time.now += HOUR - 1000;
    expect(spent(scene)).toBe('0');
    scene.sweeps.sweep(params({ nonce: 20 }));
  });

  test('survives a clock that is set back', () => {
    const scene = openSweepScene(directory, { policy: budgetOf(WEI) });
    scene.sweeps.sweep(params());
    scene.time.now -= 10 * HOUR;
    expect(() => scene.sweeps.sweep(params({ nonce: 1 }))).toThrow(isLimit);
  });

  test('counts at least a hundredth of the fee cap for a signature, so that cheap ones cannot fill the disk', () => {
    const scene = openSweepScene(directory, { policy: budgetOf(feeCap) });
    const free = (nonce: number) => params({ nonce, maxFeePerGas: '0', maxPriorityFeePerGas: '0' });
    for (let nonce = 0; nonce < 100; nonce++) scene.sweeps.sweep(free(nonce));
    expect(() => scene.sweeps.sweep(free(100))).toThrow(isLimit);
  });

  test('of 0 signs nothing', () => {
    const { sweeps } = openSweepScene(directory, { policy: budgetOf(0n) });
    expect(() => sweeps.sweep(params())).toThrow(isLimit);
  });
});

describe('the cap of a transaction', () => {
  const deposits = (count: number): string[] => Array.from({ length: count }, () => depositAddress(0));
  const gasFor = (wei: bigint) => ({ gasLimit: String(wei / 10n ** 9n), maxFeePerGas: '1000000000' });
  test.each<[string, EvmSweepParams['transaction'], bigint]>([
    ['a batch of one', batchOf({ deposits: deposits(1) }), feeCap],
    ['a batch of seven', batchOf({ deposits: deposits(7) }), 7n * feeCap],
    ['a deployment', { kind: 'deploy' }, 4n * feeCap],
    ['a transfer', { kind: 'transfer', index: 0, contract: CONTRACT, amount: '1' }, feeCap],
    ['a top-up with its coin', { kind: 'top_up', index: 0, amount: String(feeCap / 2n) }, feeCap / 2n],
  ])('%s may cost the fee cap of each of its payments, and one gas more is refused', (_what, transaction, most) => {
    const { sweeps } = openSweepScene(directory);
    expect(() => sweeps.sweep(sweepOf(transaction, gasFor(most + 10n ** 9n)))).toThrow(isLimit);
    sweeps.sweep(sweepOf(transaction, gasFor(most)));
    const coin = transaction.kind === 'top_up' ? feeCap / 2n : 0n;
    expect(sweeps.state()[0]?.feesLastHour).toBe(String(most + coin));
  });

  test('includes the tip, which is at most the whole price', () => {
    const { sweeps } = openSweepScene(directory);
    const tipped = (tip: string) => params({ maxFeePerGas: '1000000000', maxPriorityFeePerGas: tip });
    expect(() => sweeps.sweep(tipped('1000000001'))).toThrow(expect.objectContaining({ code: 'not_allowed' }));
    sweeps.sweep(tipped('1000000000'));
    expect(sweeps.state()[0]?.feesLastHour).toBe(String(WEI));
  });

  test('keeps the part for the fee for data where gas does not pay for everything', () => {
    const base = specOf('base');
    const kept = base.dataFee?.most as bigint;
    const contract = Object.values(base.tokens)[0]?.contract as string;
    const order = batchOf({ contract, deposits: deposits(2) });
    const gas = (wei: bigint) => ({
      network: 'base',
      gasLimit: String(wei),
      maxFeePerGas: '1',
      maxPriorityFeePerGas: '1',
    });
    const most = 2n * (base.feeCap - kept);
    const price = 10n ** 6n;
    const priced = (wei: bigint) => ({ ...gas(wei / price), maxFeePerGas: String(price) });
    const { sweeps } = openSweepScene(directory);
    expect(() => sweeps.sweep(sweepOf(order, priced(most + price)))).toThrow(isLimit);
    sweeps.sweep(sweepOf(order, priced(most)));
  });
});

describe('the journal', () => {
  test('has the fees of a sweep before it is answered, and no signature leaves a signer that cannot write it', () => {
    const scene = openSweepScene(directory);
    const signed = scene.sweeps.sweep(params());
    const lines = fs.readFileSync(scene.journalFile, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) as string).record.entry).toEqual({
      ...{ kind: 'fees', chain: 'ethereum@local', wei: String(WEI), hash: signed.hash },
    });
    const moved = `${scene.journalFile}.moved`;
    fs.renameSync(scene.journalFile, moved);
    expect(() => scene.sweeps.sweep(params({ nonce: 1 }))).toThrow(/changed by another process/);
    fs.renameSync(moved, scene.journalFile);
    expect(() => scene.sweeps.sweep(params({ nonce: 1 }))).toThrow(expect.objectContaining({ code: 'frozen' }));
  });

  test('takes refunds and sweeps in any order, and neither counts against the limits of the other', () => {
    const scene = openSweepScene(directory, { policy: budgetOf(30n * WEI), segmentBytes: 6000 });
    const order = (at: number) => orderOn('solana', { intentId: `re_${at}`, session: `cs_${at}` });
    const signed = Array.from({ length: 8 }, (_, at) => {
      scene.sweeps.sweep(params({ nonce: at }));
      return scene.refunds.sign({ order: order(at), draft: solanaDraft(order(at)) });
    });
    scene.restart();
    expect(scene.refunds.state().journal).toMatchObject({ intents: 8, attempts: 8, trouble: null });
    expect(scene.refunds.state().journal.segments).toBeGreaterThan(1);
    for (const [at, one] of signed.entries())
      expect(scene.refunds.sign({ order: order(at), draft: solanaDraft(order(at)) })).toEqual(one);
    expect(spent(scene)).toBe(String(8n * WEI));
    expect(readJournal(scene.journalFile, journalKeyOf(seed)).damage).toBeNull();
  });

  test('of a version that knew no sweeps opens, and its addresses are swept', () => {
    const file = path.join(directory, 'older-journal');
    fs.writeFileSync(file, OLDER_JOURNAL);
    const journal = new SignerJournal({ ...partsOf(file), isNewWallet: false });
    expect([journal.frozen(), journal.index.highestIndex]).toEqual([null, 2]);
    const sweeps = sweepSignerOn(journal);
    sweeps.sweep(params());
    expect(sweeps.authorize({ environment: 'test', network: 'ethereum', index: 2, nonce: 0 }).deposit).toBe(
      depositAddress(2),
    );
    expect(() => sweeps.authorize({ environment: 'test', network: 'ethereum', index: 3, nonce: 0 })).toThrow(
      expect.objectContaining({ code: 'not_allowed' }),
    );
  });
});

/** Written by the version before sweeps, with the wallet of signer-scene. */
const OLDER_JOURNAL = [
  '{"hash":"4b1987cac15b0215da2cb6348f3c345a75593bbec50db85059375376aaf10e20","record":{"number":0,"at":1795219200000,"previous":"0000000000000000000000000000000000000000000000000000000000000000","entry":{"kind":"begun","fingerprint":"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}}}',
  '{"hash":"f403b2c6190603f44e9df3c5bfb33edf11306c0f01d4e832d88cdf92f3eaa993","record":{"number":1,"at":1795219200000,"previous":"4b1987cac15b0215da2cb6348f3c345a75593bbec50db85059375376aaf10e20","entry":{"kind":"machine","digest":"3a7c520ef34f0ba7887ec1f427edb7e1f72ab91db4db2dbaa3407187ba64b869"}}}',
  '{"hash":"22d6eec5c0c529d7c25eec5db8e188ade1755d837074d3436399f7938ed82b37","record":{"number":2,"at":1795219200000,"previous":"f403b2c6190603f44e9df3c5bfb33edf11306c0f01d4e832d88cdf92f3eaa993","entry":{"kind":"addresses","highest":2}}}',
  '',
].join('\n');
