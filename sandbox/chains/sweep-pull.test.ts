// A refund wallet that lacks tokens for a payout, on a local chain with the watcher, the real signers and the steps of sweeps and payouts. The
// rules are those of the main network, where a sweep waits for an hour. No time passes.

import { Wallet } from 'ethers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { rulesOf } from '@/lib/sweeps/rules';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { accounts, evidenceKey } from '@/testing/signer/signer-scene';
import { openSweepScene } from '@/testing/sweeps/sweep-scene';
import { watchedStore } from '@/testing/watching/watched-session';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const WALLET = accounts.of('test', 'evm').address;
const RULES = { rules: rulesOf({ chain: 'mainnet', network: 'ethereum' }) };
const settings = { EVIDENCE_KEY: evidenceKey[0].toString('base64') };
/** Base units of the deposit, and cents of the payout with their base units. */
const DEPOSIT = 12_340_000n;
const [CENTS, PAID] = [500n, 5_000_000n];
const [ROUNDS, FINAL] = [12, 6];

let chain: LocalNetwork;
let db: TestDatabase;
beforeEach(async () => {
  chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === 'ethereum'));
  db = await openTestDatabase();
}, 60_000);
afterEach(async () => {
  await chain.stop();
  await db.close();
});

/** A final deposit of a closed session, and a payout of its store for which the refund wallet has too little. */
async function open(treasury: string, coinPrice: number | null = 10) {
  if (coinPrice !== null)
    await db.pool.query(`INSERT INTO coin_prices (coin, price, agreed_at) VALUES ('ETH', $1, now())`, [coinPrice]);
  const sweeps = await openSweepScene({ db, chain, treasury, settings });
  await sweeps.rpc('anvil_setBalance', WALLET, '0xde0b6b3a7640000');
  const [deposit] = await sweeps.paid(1);
  const followed = (await db.prisma.chain.findFirstOrThrow({ where: { retiredAt: null } })).id;
  const { clock, log } = sweeps.context;
  const { spec } = chain;
  const sender = openEvmSender({ spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log, timeoutMs: 5000 });
  const refunds = await openRefundScene({ db, clock, spec, sender, followed, intervals: { lease: 0 } });
  const payouts = openPayoutScene(refunds);
  const storeId = await watchedStore(db.pool);
  const to = Wallet.createRandom().address.toLowerCase();
  await payouts.address(to, clock.now(), storeId);
  const id = await payouts.request({ amount: CENTS }, storeId);
  await payouts.pass();
  expect(await payouts.read(id)).toMatchObject({ status: 'processing', hold: 'no_tokens' });
  return { sweeps, payouts, deposit: deposit!.address, id, to };
}

it('a payout that waits for tokens pulls the sweep of a young deposit into the refund wallet, and is paid once after it', async () => {
  const { sweeps, payouts, deposit, id, to } = await open(WALLET);
  const round = async () => {
    await sweeps.sweep(RULES);
    await chain.mine(FINAL);
    await sweeps.watch();
    await sweeps.book();
  };
  expect(await payouts.untilEnded(id, round, ROUNDS)).toMatchObject({ status: 'completed', destination: to });
  await round();
  expect(await payouts.attempts(id)).toHaveLength(1);
  expect((await sweeps.sweeps()).map(({ kind, status }) => [kind, status])).toEqual([
    ['deploy', 'final'],
    ['batch', 'final'],
  ]);
  const held = await Promise.all([deposit, WALLET, to].map((address) => sweeps.held(address)));
  expect(held).toEqual([0n, DEPOSIT - PAID, PAID]);
  expect(sweeps.frozen).toEqual([]);
  expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
});

it('a payout pulls no sweep into a separate treasury, because that would not pay it', async () => {
  const { sweeps, payouts, id } = await open(Wallet.createRandom().address.toLowerCase());
  await sweeps.sweep(RULES);
  expect(await sweeps.sweeps()).toEqual([]);
  expect(await payouts.read(id)).toMatchObject({ hold: 'no_tokens' });
});

it('a payout pulls no sweep while the cost of the sweep is unknown because the coin has no price', async () => {
  const { sweeps, payouts, id } = await open(WALLET, null);
  await sweeps.sweep(RULES);
  expect((await sweeps.sweeps()).filter(({ kind }) => kind === 'batch')).toEqual([]);
  expect(await payouts.read(id)).toMatchObject({ hold: 'no_tokens' });
});
