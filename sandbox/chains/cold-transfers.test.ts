// Cold transfers on the local chains of all families, by the worker's steps and the real signer: each exactly once, whatever is
// interrupted, and beside refunds of the same wallet.

import { Wallet } from 'ethers';
import type { Address } from '@solana/kit';
import { Keypair } from '@solana/web3.js';
import { utils } from 'tronweb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { openSolanaSender } from '@/lib/networks/families/solana/sending/send';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import { systemClock, type Clock } from '@/lib/platform/clock';
import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import { silentLog } from '@/testing/chain-clock';
import { openColdScene, type ColdScene } from '@/testing/cold-storage/cold-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { crashAt } from '@/testing/refunds/crash';
import { accounts } from '@/testing/signer/signer-scene';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import { openRpc } from './evm/rpc';
import { FINALITY_LAG } from './solana/blocks';
import { startSolanaNode } from './solana/node';
import { readAddress } from './tron/address';
import { startTronNode } from './tron/start';

const FUNDED = 10_000_00n;
const [EVM_FINAL, UNTIL_SOLID] = [6, 20];

type Started = {
  readonly spec: NetworkSpec;
  readonly clock: Clock;
  readonly sender: ChainSender;
  readonly newAddress: () => string;
  readonly mine: () => Promise<unknown>;
  /** One block. */
  readonly tick: () => Promise<unknown>;
  /** In cents. */
  readonly held: (address: string) => Promise<bigint>;
  readonly stop: () => Promise<unknown>;
};
const options = (spec: NetworkSpec, url: string, clock: Clock) => ({
  ...{ spec, urls: [url], needed: 1, clock, log: silentLog(), timeoutMs: 5000 },
});

async function ethereum(): Promise<Started> {
  const wallet = accounts.of('test', 'evm').address;
  const chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === 'ethereum'));
  await openRpc(chain.rpcUrl)('anvil_setBalance', wallet, '0xde0b6b3a7640000');
  await chain.pay({ currency: 'USDT', recipient: wallet, cents: FUNDED, scenario: 'exact' });
  await chain.mine(EVM_FINAL);
  return {
    ...{ spec: chain.spec, clock: systemClock, sender: openEvmSender(options(chain.spec, chain.rpcUrl, systemClock)) },
    newAddress: () => Wallet.createRandom().address.toLowerCase(),
    mine: () => chain.mine(EVM_FINAL),
    tick: () => chain.mine(1),
    held: async (address) => (await chain.balance(address, 'USDT')) / 10_000n,
    stop: () => chain.stop(),
  };
}

async function tron(): Promise<Started> {
  const wallet = accounts.of('test', 'tron').address;
  let now = Date.parse('2026-11-29T12:00:00Z');
  const clock = { now: () => new Date(now) };
  const node = await startTronNode({ blockMs: null, clock });
  await node.chain.exclusively(() => {
    const hex = readAddress(wallet) as string;
    node.chain.state.activate(hex);
    node.chain.state.addBalance(hex, 10_000_000_000n);
  });
  await node.pay({ currency: 'USDT', recipient: wallet, cents: FUNDED, scenario: 'exact' });
  return {
    ...{ spec: node.spec, clock, sender: openTronSender(options(node.spec, node.rpcUrl, clock)) },
    newAddress: () => utils.accounts.generateAccount().address.base58,
    async mine() {
      now += 1000;
      await node.mine(UNTIL_SOLID);
    },
    tick: () => node.mine(1),
    held: async (address) => (await node.balance(address, 'USDT')) / 10_000n,
    stop: () => node.stop(),
  };
}

async function solana(): Promise<Started> {
  const wallet = accounts.of('test', 'solana').address as Address;
  const node = await startSolanaNode({ tick: 'manual' });
  const mint = node.mints.genuine.USDT as Address;
  await node.bank.airdrop(wallet, 10_000_000_000n);
  await node.bank.mint({ to: wallet, mint, amount: FUNDED * 10_000n });
  node.tick(FINALITY_LAG);
  return {
    ...{ spec: node.spec, clock: systemClock, sender: openSolanaSender(options(node.spec, node.rpcUrl, systemClock)) },
    newAddress: () => Keypair.generate().publicKey.toBase58(),
    mine: async () => node.tick(FINALITY_LAG + 1),
    tick: async () => node.tick(2),
    held: async (address) => node.bank.balanceOf(address as Address, mint) / 10_000n,
    stop: () => node.stop(),
  };
}

describe.each([
  ['ethereum', ethereum],
  ['tron', tron],
  ['solana', solana],
] as const)('%s', (_, start) => {
  let chain: Started;
  let db: TestDatabase;
  let cold: string;
  let scene: ColdScene;
  beforeAll(async () => void (chain = await start()), 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => {
    db = await openTestDatabase();
    cold = chain.newAddress();
    scene = await openColdScene({ db, ...chain, wallet: cold });
    await scene.holds(600_00n);
  });
  afterEach(async () => {
    armCrashPoint(undefined);
    await db.close();
  });

  async function expectMovedOnce() {
    expect(await scene.transfers()).toMatchObject([{ status: 'completed', amount: 300_00n, destination: cold }]);
    const [transfer] = await scene.transfers();
    expect((await scene.attempts(transfer!.id)).map(({ status }) => status)).toEqual(['landed']);
    expect(await chain.held(cold)).toBe(300_00n);
    expect(await scene.books()).toEqual({ cold: 300_00n, wallet: 300_00n });
    expect((await checkBooks(db.pool)).filter(({ id, count }) => /^INV-(?:2|3[de]|4)/.test(id) && count > 0)).toEqual(
      [],
    );
  }

  it.each(CRASH_POINTS)('a crash at %s moves the excess once, with the same signed bytes', async (point) => {
    await scene.step();
    await crashAt(point, scene, chain.tick);
    await scene.untilEnded(chain.mine);
    await expectMovedOnce();
  });

  it('two workers move it once, and a refund of the same wallet is paid beside it', async () => {
    const to = chain.newAddress();
    const refund = await scene.refunds.refund({ to, cents: 500n });
    await Promise.all([scene.step(), scene.step()]);
    for (let turn = 0; turn < 30; turn++) {
      await Promise.all([scene.pass(), scene.pass()]);
      await chain.mine();
    }
    expect(await scene.refunds.read(refund)).toMatchObject({ status: 'completed' });
    expect(await chain.held(to)).toBe(500n);
    expect(await scene.transfers()).toMatchObject([{ status: 'completed', amount: 295_00n, destination: cold }]);
    expect(await chain.held(cold)).toBe(295_00n);
    expect(await scene.books()).toEqual({ cold: 295_00n, wallet: 300_00n });
  });
});
