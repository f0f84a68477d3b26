// Refund costs on local chains, charged to the store: the worker's steps, the real signer, fees of real nodes.

import type { Address, KeyPairSigner } from '@solana/kit';
import { getBurnInstruction, getCloseAccountInstruction } from '@solana-program/token';
import { Keypair } from '@solana/web3.js';
import { toQuantity, Wallet } from 'ethers';
import { utils } from 'tronweb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COINS } from '@/lib/networks/coins';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import { openSolanaSender } from '@/lib/networks/families/solana/sending/send';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';
import { systemClock, type Clock } from '@/lib/platform/clock';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { openRpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import { FINALITY_LAG } from './solana/blocks';
import { startSolanaNode } from './solana/node';
import { readAddress } from './tron/address';
import { startTronNode } from './tron/start';

const PRICES = { ETH: '2500', BNB: '700', TRX: '0.32', SOL: '150', POL: '0.2' };

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
  await db.pool.query(
    'INSERT INTO coin_prices (coin, price, agreed_at) SELECT coin, price, now() FROM unnest($1::text[], $2::numeric[]) AS p (coin, price)',
    [Object.keys(PRICES), Object.values(PRICES)],
  );
});
afterAll(() => db.close());

type Opened = { clock: Clock; spec: NetworkSpec; sender: ChainSender; coin: keyof typeof PRICES };

/** A store that bears its costs, and its charges compared with the costs on the chain. */
async function open({ clock, spec, sender, coin }: Opened) {
  const scene = await openRefundScene({
    db,
    clock,
    spec,
    sender,
    intervals: { lease: 0 },
    settings: { REFUND_COSTS_TEST: 'store' },
  });
  const centsOf = (fee: bigint): bigint => {
    const [over, under] = [fee * BigInt(Number(PRICES[coin]) * 100) * 100n, 100n * 10n ** BigInt(COINS[coin].decimals)];
    return (over + under - 1n) / under;
  };
  return {
    ...scene,
    async cost(id: string) {
      const [refund, [attempt]] = [await scene.read(id), await scene.attempts(id)];
      const fee = BigInt(attempt?.fee?.toFixed() ?? -1);
      expect(refund).toMatchObject({ status: 'completed', costBearer: 'store', costCharged: centsOf(fee) });
      expect(refund.costQuoted).toBeGreaterThanOrEqual(refund.costCharged ?? 0n);
      return { fee, rent: attempt?.rent ? BigInt(attempt.rent.toFixed()) : null, charged: refund.costCharged };
    },
    /** The total charge of the store in the ledger, in cents. */
    async charged(): Promise<bigint> {
      const { rows } = await db.pool.query<{ cents: string }>(
        `SELECT coalesce(-sum(p.amount), 0)::text AS cents FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id
         WHERE e.store_id = $1 AND p.account = 'cost_recovery'`,
        [scene.storeId],
      );
      return BigInt(rows[0]?.cents ?? 0) / 10n ** BigInt((spec.tokens.USDT?.decimals ?? 6) - 2);
    },
  };
}

const brokenBooks = async () =>
  (await checkBooks(db.pool)).filter(({ id, count }) => count > 0 && /^INV-(2|3|4)/.test(id));

it.each(EVM_NETWORKS)('$network: the gas that a refund used is charged', { timeout: 90_000 }, async (row) => {
  const chain = await startTestEvm(row);
  try {
    const [rpc, wallet] = [openRpc(chain.rpcUrl), accounts.of('test', 'evm').address];
    await chain.pay({ currency: 'USDT', recipient: wallet, cents: 100_000_00n, scenario: 'exact' });
    await rpc('anvil_setBalance', wallet, toQuantity(10n ** 18n));
    await chain.mine(6);
    const { spec } = chain;
    const sender = openEvmSender({
      spec,
      urls: [chain.rpcUrl],
      needed: 1,
      clock: systemClock,
      log: silentLog(),
      timeoutMs: 5000,
    });
    const coin = spec.coin.symbol;
    const scene = await open({ clock: systemClock, spec, sender, coin });
    const before = BigInt(await rpc('eth_getBalance', wallet, 'latest'));
    const id = await scene.refund({ to: Wallet.createRandom().address.toLowerCase() });
    await scene.untilEnded(id, () => chain.mine(6));
    const { fee, charged } = await scene.cost(id);
    expect(fee).toBe(before - BigInt(await rpc('eth_getBalance', wallet, 'latest')));
    expect(await scene.charged()).toBe(charged);
    expect(await brokenBooks()).toEqual([]);
  } finally {
    await chain.stop();
  }
});

it('tron: the TRX that a refund burned are charged', { timeout: 90_000 }, async () => {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const clock = { now: () => new Date(now) };
  const node = await startTronNode({ blockMs: null, clock });
  try {
    const wallet = accounts.of('test', 'tron').address;
    const hex = readAddress(wallet) as string;
    await node.chain.exclusively(() => {
      node.chain.state.activate(hex);
      node.chain.state.addBalance(hex, 10_000_000_000n);
    });
    await node.pay({ currency: 'USDT', recipient: wallet, cents: 100_000_00n, scenario: 'exact' });
    const sender = openTronSender({
      spec: node.spec,
      urls: [node.rpcUrl],
      needed: 1,
      clock,
      log: silentLog(),
      timeoutMs: 5000,
    });
    const scene = await open({ clock, spec: node.spec, sender, coin: 'TRX' });
    const before = node.chain.state.account(hex).balance;
    const id = await scene.refund({ to: utils.accounts.generateAccount().address.base58 });
    await scene.untilEnded(id, async () => {
      now += 3000;
      await node.mine(20);
    });
    const { fee, charged } = await scene.cost(id);
    expect(fee).toBe(before - node.chain.state.account(hex).balance);
    expect(fee).toBeGreaterThan(1_000_000n);
    expect(await scene.charged()).toBe(charged);
    expect(await brokenBooks()).toEqual([]);
  } finally {
    await node.stop();
  }
});

it(
  'solana: the rent of the payee’s account is charged with the fee, and an account is opened three times a month',
  { timeout: 120_000 },
  async () => {
    let now = Date.parse('2026-11-21T12:00:00Z');
    const clock = { now: () => new Date(now) };
    const node = await startSolanaNode({ tick: 'manual' });
    try {
      const [wallet, mint] = [accounts.of('test', 'solana').address as Address, node.mints.genuine.USDT as Address];
      await node.bank.airdrop(wallet, 10_000_000_000n);
      await node.bank.mint({ to: wallet, mint, amount: 10_000_000_000n });
      node.tick(FINALITY_LAG);
      const sender = openSolanaSender({
        spec: node.spec,
        urls: [node.rpcUrl],
        needed: 1,
        clock,
        log: silentLog(),
        timeoutMs: 5000,
      });
      const scene = await open({ clock, spec: node.spec, sender, coin: 'SOL' });
      const mine = async () => node.tick(FINALITY_LAG + 1);
      const paid = async (to: string) => {
        const id = await scene.refund({ to });
        await scene.untilEnded(id, mine);
        return scene.cost(id);
      };
      const stranger = Keypair.generate().publicKey.toBase58();
      const first = await paid(stranger);
      expect(first.rent).toBe(node.ledger.vm.rent(165n));
      expect(first.fee).toBeGreaterThan(first.rent ?? 0n);
      const second = await paid(stranger);
      expect(second).toMatchObject({ rent: null, charged: 1n });
      expect(await scene.charged()).toBe((first.charged ?? 0n) + 1n);

      const payee: KeyPairSigner = await node.bank.newHolder();
      const close = async () => {
        const account = await node.bank.associatedAccount(payee.address, mint);
        const amount = node.bank.balanceOf(payee.address, mint);
        const burn = getBurnInstruction({ account, mint, authority: payee, amount });
        await node.bank.send(payee, [
          burn,
          getCloseAccountInstruction({ account, destination: payee.address, owner: payee }),
        ]);
        await mine();
      };
      for (let opened = 0; opened < 3; opened++) {
        expect((await paid(payee.address)).rent).not.toBeNull();
        await close();
      }
      const fourth = await scene.refund({ to: payee.address });
      await scene.pass();
      await scene.pass();
      expect(await scene.read(fourth)).toMatchObject({
        status: 'processing',
        hold: 'account_limit',
        signatureRequestedAt: null,
        costBearer: null,
      });
      expect(await scene.attempts(fourth)).toEqual([]);
      // Another payee does not count, nor does this payee once the account exists or a month has passed.
      expect((await paid(Keypair.generate().publicKey.toBase58())).rent).not.toBeNull();
      await node.bank.mint({ to: payee.address, mint, amount: 1n });
      await mine();
      await scene.untilEnded(fourth, mine);
      expect(await scene.cost(fourth)).toMatchObject({ rent: null });
      await close();
      const fifth = await scene.refund({ to: payee.address });
      await scene.pass();
      expect(await scene.read(fifth)).toMatchObject({ hold: 'account_limit' });
      now += 31 * 86_400_000;
      await scene.untilEnded(fifth, mine);
      expect((await scene.cost(fifth)).rent).not.toBeNull();
      expect(await brokenBooks()).toEqual([]);
    } finally {
      await node.stop();
    }
  },
);
