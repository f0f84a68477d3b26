// One reading of an endpoint's head serves the steps of all workers, and a shared head that is wrong decides nothing.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { openSender } from '@/lib/networks/families/clients';
import { headsOf } from '@/lib/networks/endpoints/shared-head';
import type { SentAttempt } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { recordEndpoints } from '@/lib/installation/status/record-endpoints';
import { openHeadStore } from '@/lib/installation/status/shared-heads';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { copyChain, startFakeNode, transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import type { FakeTronNode } from '@/testing/tron/fake-tron-node';
import { testConfig, testContext } from '@/testing/fixtures';
import {
  closeSessions,
  openNetworkScene,
  openPayee,
  TICK_MS,
  type NetworkScene,
} from '@/testing/watching/network-scene';
import { TRON_PAYER, TRON_STRANGER } from '@/testing/tron/tron-pair';
import { transferLog as tronTransferLog } from '@/testing/tron/tron-shapes';
import { paymentsOf } from '@/testing/watching/watched-session';
import { watchStep } from './step';

const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const PAYEE = `0x${'ab'.repeat(20)}`;
const AMOUNT = 5_000_000n;

let db: TestDatabase;
let scene: NetworkScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
afterEach(() => scene.node.close());

async function openScene(network: 'ethereum' | 'bsc' | 'tron'): Promise<NetworkScene['node']['fake']> {
  const base = testContext(db, systemClock, testConfig());
  await db.pool.query('DELETE FROM endpoints');
  await closeSessions(base);
  scene = await openNetworkScene(base, network);
  return scene.node.fake;
}

const store = () => openHeadStore(scene.context).of({ ...place(), url: scene.node.url, lastsMs: 3000 });
const place = () => ({ environment: 'test', network: scene.network, position: 1 }) as const;
const now = () => scene.context.clock.now().getTime();

/** An attempt of the refund wallet, on EVM networks with nonce 7, of which the node knows that it used 7 nonces. */
function attemptOf(hash: string): SentAttempt {
  const { fake } = scene.node;
  if (isEvm(fake)) {
    const { tamper } = fake;
    fake.tamper = (call, result) => (call.method === 'eth_getTransactionCount' ? '0x7' : tamper(call, result));
  }
  const { family, tokens } = scene.options.spec;
  const [from, to] = family === 'tron' ? [TRON_PAYER, TRON_STRANGER] : [WALLET, PAYEE];
  const order = { intentId: 're', currency: 'USDT', contract: tokens.USDT!.contract, to, amount: AMOUNT };
  const expiresAt = Math.floor(now() / 1000) + 300;
  const validity = family === 'tron' ? ({ kind: 'time', expiresAt } as const) : ({ kind: 'nonce', nonce: 7 } as const);
  return { hash: family === 'tron' ? hash.slice(2) : hash, validity, from, order };
}
const isEvm = (node: NetworkScene['node']['fake']): node is FakeNode => 'chainId' in node;
const isTron = (node: NetworkScene['node']['fake']): node is FakeTronNode => 'solidDepth' in node;

function openFollower(attempt: SentAttempt) {
  const sender = openSender({ ...scene.options, needed: 1 });
  return () => sender.outcome(attempt);
}

/** Mines a payment of the refund wallet; returns its block number. */
function mineRefund(hash: string): number {
  const { fake } = scene.node;
  const { contract } = scene.options.spec.tokens.USDT!;
  if (isEvm(fake)) return fake.mine([{ logs: [transferLog(contract, WALLET, PAYEE, AMOUNT)], hash }]).number;
  if (!isTron(fake)) throw new Error('no refunds are mined there');
  const logs = [tronTransferLog(contract, TRON_PAYER, TRON_STRANGER, AMOUNT)];
  return fake.mine([{ logs, id: hash.slice(2) }]).number;
}

/** Counts the requests to a node for its newest final block. */
function countHeads(node: NetworkScene['node']['fake']): () => number {
  let heads = 0;
  if (isEvm(node)) {
    const { tamper } = node;
    node.tamper = (call, result) => {
      if (call.method === 'eth_getBlockByNumber' && call.params[0] === 'finalized') heads++;
      return tamper(call, result);
    };
  } else if (isTron(node)) {
    node.tamper = ({ side, api, body }) =>
      void (heads += Number(side === 'walletsolidity' && api === 'getblock' && body.id_or_num === undefined));
  }
  return () => heads;
}

/** A head that the web process could write: any height, read now. */
async function forge(final: number, readAt = now()): Promise<void> {
  const { rowCount } = await db.pool.query(
    `UPDATE endpoints SET tip_number = $1, final_number = $1, tip_time = $2, final_time = $2, head_read_at = $2
      WHERE head_source IS NOT NULL`,
    [final, new Date(readAt)],
  );
  expect(rowCount).toBe(1);
}

describe('heads', () => {
  /** Seconds between two scans, and for how long a head lasts. */
  it.each([
    ['ethereum', 12, 12],
    ['bsc', 2, 3],
    ['tron', 9, 3],
  ] as const)(
    'of %s are read once a poll interval by two workers and the refund followers together',
    async (network, scanEvery, lasts) => {
      const node = await openScene(network);
      await openPayee(scene.context, network);
      const second = watchStep(scene.openChain());
      const both = async () => void (await second(scene.context));
      await scene.run(60, both);
      const hash = `0x${'ef'.repeat(32)}`;
      const followers = [openFollower(attemptOf(`0x${'cd'.repeat(32)}`)), openFollower(attemptOf(hash))];
      for (const follow of followers) await follow();
      // With finality within seconds the refund would have completed.
      if (network !== 'bsc') mineRefund(hash);
      const [seconds, lookEvery] = [48, 3];
      const heads = countHeads(node);
      for (let passed = 0; passed < seconds; passed += lookEvery) {
        await scene.run((lookEvery * 1000) / TICK_MS, both);
        for (const follow of followers) await follow();
      }
      const scans = Math.ceil(seconds / scanEvery);
      // After a head expires, one reading serves all followers.
      const readings = scanEvery <= lasts ? 0 : Math.ceil(seconds / lasts) - scans;
      expect(heads()).toBeLessThanOrEqual(scans + readings + 2);
      expect(heads()).toBeGreaterThanOrEqual(scans - 1);
    },
    30_000,
  );

  it('of an endpoint in reserve are read once for the health checks of all workers', async () => {
    const node = (await openScene('ethereum')) as FakeNode;
    const { spec } = scene.options;
    const reserve = await startFakeNode({ chainId: node.chainId, decimals: node.decimals, time: 0 });
    copyChain(node, reserve);
    reserve.finalDepth = 64;
    const urls = [node.url, reserve.url];
    const heads = headsOf(openHeadStore(scene.context), { environment: 'test', spec, urls });
    const workers = [1, 2].map(() => {
      const adapter = openEvmAdapter({ ...scene.options, urls, heads });
      return recordEndpoints({ ...place(), spec, adapter, endpoints: adapter.endpoints });
    });
    for (const check of workers) await check(scene.context);
    const counted = countHeads(reserve);
    const minutes = 20;
    for (let tick = 0; tick < minutes * 120; tick++) {
      scene.options.clock.advance(TICK_MS);
      if (tick % 10 === 0) for (const check of workers) await check(scene.context);
    }
    // One is due every two minutes.
    expect(counted()).toBeLessThanOrEqual(minutes / 2 + 1);
    expect(counted()).toBeGreaterThanOrEqual(minutes / 2 - 1);
    await reserve.close();
  });
});

describe('a shared head', () => {
  it('that is too high credits no payment and completes no refund before they are final', async () => {
    const node = (await openScene('ethereum')) as FakeNode;
    const payee = await openPayee(scene.context, 'ethereum');
    await scene.run(20);
    const block = scene.pay(payee);
    await scene.run(60);
    const hash = `0x${'ef'.repeat(32)}`;
    const refundBlock = mineRefund(hash);
    const follow = openFollower(attemptOf(hash));
    for (let tick = 0; scene.node.final() < block; tick++) {
      expect(await paymentsOf(db.pool, payee.id)).toMatchObject({ status: 'pending', transfers: [], entries: 0 });
      await forge(1_000_000);
      expect((await follow()).kind).toBe('seen');
      await scene.run(24);
      expect(tick).toBeLessThan(200);
    }
    node.finalDepth = node.blocks.length - 1 - Math.max(block, refundBlock);
    await forge(1_000_000);
    expect((await follow()).kind).toBe('landed');
    await scene.run(30);
    expect(await paymentsOf(db.pool, payee.id)).toMatchObject({ status: 'completed' });
  });

  it('that is too high does not show that another transaction took the nonce', async () => {
    const node = (await openScene('ethereum')) as FakeNode;
    await openPayee(scene.context, 'ethereum');
    await scene.run(60);
    const follow = openFollower(attemptOf(`0x${'cd'.repeat(32)}`));
    const final = scene.node.final();
    // Above finality another transaction has the nonce.
    node.tamper = ({ method, params }) =>
      method === 'eth_getTransactionCount' ? (Number(params[1]) > final ? '0x8' : '0x7') : undefined;
    await forge(final + 10);
    expect((await follow()).kind).toBe('waiting');
  });

  it('that is older than the poll interval, from the future or of another address is not used', async () => {
    await openScene('ethereum');
    await openPayee(scene.context, 'ethereum');
    await scene.run(60);
    expect(await store().recent(12_000)).not.toBeNull();
    await forge(5, now() - 3001);
    expect(await store().recent(3000)).toBeNull();
    await forge(5, now() + 3_600_000);
    expect(await store().recent(3000)).toBeNull();
    const tip = { number: 9, hash: '0x9', parentHash: '0x8', time: 90 };
    await store().keep({ tip, final: tip });
    expect(await store().recent(3000)).toMatchObject({ final: { number: 9, time: 90 } });
    const other = openHeadStore(scene.context).of({ ...place(), url: 'http://127.0.0.1:1', lastsMs: 3000 });
    expect(await other.recent(3000)).toBeNull();
  });

  it('is not replaced by the lower head of a lagging node', async () => {
    await openScene('ethereum');
    await openPayee(scene.context, 'ethereum');
    await scene.run(60);
    const block = (number: number) => ({ number, hash: `0x${number}`, parentHash: '0x', time: number * 10 });
    await forge(50);
    await store().keep({ tip: block(49), final: block(49) });
    expect(await store().recent(3000)).toMatchObject({ final: { number: 50 } });
    await store().keep({ tip: block(51), final: block(51) });
    expect(await store().recent(3000)).toMatchObject({ final: { number: 51 } });
    scene.options.clock.advance(61_000);
    await store().keep({ tip: block(49), final: block(49) });
    expect(await store().recent(3000)).toMatchObject({ final: { number: 49 } });
  });
});
