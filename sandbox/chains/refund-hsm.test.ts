// Refunds on the local chains, signed by keys that were made in an HSM and never leave it: the worker's steps, the real signer and a real
// PKCS#11 module (SoftHSM).

import type { Address } from '@solana/kit';
import { Keypair } from '@solana/web3.js';
import { toQuantity, Wallet } from 'ethers';
import { utils } from 'tronweb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { openSolanaSender } from '@/lib/networks/families/solana/sending/send';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import type { RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { accounts as ofSeed } from '@/testing/signer/signer-scene';
import { openSoftHsm, refundAccountsIn, type SoftHsm } from '@/testing/signer/soft-hsm';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { openRpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import { FINALITY_LAG } from './solana/blocks';
import { startSolanaNode } from './solana/node';
import { readAddress } from './tron/address';
import { startTronNode } from './tron/start';

const [COIN, SUN, USD] = [10n ** 18n, 1_000_000n, 1_000_000n];
const directory = useTemporaryDirectory();
let now = Date.parse('2026-11-21T12:00:00Z');
const clock = { now: () => new Date(now) };

let db: TestDatabase;
let soft: SoftHsm;
let accounts: RefundAccounts;
beforeAll(async () => {
  db = await openTestDatabase();
  soft = openSoftHsm(directory);
  accounts = refundAccountsIn(soft);
});
afterAll(() => db.close());

type Chain = { readonly spec: NetworkSpec; readonly sender: ChainSender; readonly clock: typeof clock };

/** A refund that arrives, and one that waits while the HSM is away. */
async function payTwo({ spec, sender, clock: its }: Chain, newAddress: () => string, mine: () => Promise<unknown>) {
  const scene = await openRefundScene({ db, clock: its, spec, sender, accounts, intervals: { lease: 0 } });
  const [first, second] = [newAddress(), newAddress()];
  const paid = await scene.untilEnded(await scene.refund({ to: first }), mine);
  const waiting = await scene.refund({ to: second });
  soft.remove();
  for (let pass = 0; pass < 3; pass++) await scene.pass();
  const away = await scene.read(waiting);
  const signedAway = scene.signing.signer.attempts(waiting).attempts.length;
  soft.putBack();
  const back = await scene.untilEnded(waiting, mine);
  return {
    to: [first, second] as const,
    statuses: [paid.status, away.status, back.status],
    hold: away.hold,
    signedAway,
    attempts: (await scene.attempts(waiting)).filter(({ status }) => status === 'landed').length,
    events: [...(await scene.events(paid.id)), ...(await scene.events(waiting))],
  };
}

const EXPECTED = {
  statuses: ['completed', 'processing', 'completed'],
  ...{ hold: 'signer_unavailable', signedAway: 0, attempts: 1 },
  events: ['refund.succeeded', 'refund.succeeded'],
};

test('on Ethereum a refund that the HSM signs arrives, and one waits while the HSM is away', async () => {
  const chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === 'ethereum'));
  const { spec, rpcUrl } = chain;
  const wallet = accounts.of('test', 'evm').address;
  expect(wallet).not.toBe(ofSeed.of('test', 'evm').address);
  await chain.pay({ currency: 'USDT', recipient: wallet, cents: 100_000_00n, scenario: 'exact' });
  await openRpc(rpcUrl)('anvil_setBalance', wallet, toQuantity(COIN));
  await chain.mine(6);
  const sender = openEvmSender({
    spec,
    urls: [rpcUrl],
    needed: 1,
    clock: systemClock,
    log: silentLog(),
    timeoutMs: 5000,
  });
  const newAddress = () => Wallet.createRandom().address.toLowerCase();
  const { to, ...paid } = await payTwo({ spec, sender, clock: systemClock }, newAddress, () => chain.mine(6));
  expect(paid).toEqual(EXPECTED);
  const five = 5n * 10n ** BigInt(spec.tokens.USDT!.decimals);
  expect(await Promise.all(to.map((one) => chain.balance(one, 'USDT')))).toEqual([five, five]);
  await chain.stop();
});

test('on TRON a refund that the HSM signs arrives, and one waits while the HSM is away', async () => {
  const node = await startTronNode({ blockMs: null, clock });
  const { spec, rpcUrl } = node;
  const wallet = accounts.of('test', 'tron').address;
  await node.chain.exclusively(() => {
    node.chain.state.activate(readAddress(wallet) as string);
    node.chain.state.addBalance(readAddress(wallet) as string, 10_000n * SUN);
  });
  await node.pay({ currency: 'USDT', recipient: wallet, cents: 100_000_00n, scenario: 'exact' });
  const sender = openTronSender({ spec, urls: [rpcUrl], needed: 1, clock, log: silentLog(), timeoutMs: 5000 });
  const mine = async () => {
    now += 1000;
    await node.mine(20);
  };
  const newAddress = (): string => utils.accounts.generateAccount().address.base58;
  const { to, ...paid } = await payTwo({ spec, sender, clock }, newAddress, mine);
  expect(paid).toEqual(EXPECTED);
  expect(await Promise.all(to.map((one) => node.balance(one, 'USDT')))).toEqual([5n * SUN, 5n * SUN]);
  await node.stop();
});

test('on Solana a refund that the HSM signs arrives, and one waits while the HSM is away', async () => {
  const node = await startSolanaNode({ tick: 'manual' });
  const { spec, rpcUrl } = node;
  const wallet = accounts.of('test', 'solana').address as Address;
  const mint = node.mints.genuine.USDT as Address;
  await node.bank.airdrop(wallet, 10_000_000_000n);
  await node.bank.mint({ to: wallet, mint, amount: 10_000n * USD });
  node.tick(FINALITY_LAG);
  const sender = openSolanaSender({ spec, urls: [rpcUrl], needed: 1, clock, log: silentLog(), timeoutMs: 5000 });
  const newAddress = (): string => Keypair.generate().publicKey.toBase58();
  const { to, ...paid } = await payTwo({ spec, sender, clock }, newAddress, async () => node.tick(FINALITY_LAG + 1));
  expect(paid).toEqual(EXPECTED);
  expect(to.map((one) => node.bank.balanceOf(one as Address, mint))).toEqual([5n * USD, 5n * USD]);
  await node.stop();
});
