// Direct settlement on a local EVM node: the sweeps of the only merchant go straight to the merchant's own wallet, nothing is paid out, a
// refund waits until its own wallet is funded, and the proof of reserves stays right when the merchant spends the money.

import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { directSettlementOf } from '@/lib/dashboard/payouts/direct';
import { readReserveRows } from '@/lib/dashboard/operator/reserves';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { listProofs, readProof } from '@/lib/ledger/proofs/document';
import { proofStepWith } from '@/lib/ledger/proofs/step';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { decideSchedule } from '@/lib/payouts/schedules/decide';
import { cancelPayout } from '@/lib/payouts/cancel';
import { requestPayout } from '@/lib/payouts/request';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { openSweepScene, type SweepScene } from '@/testing/sweeps/sweep-scene';
import { watchedStore } from '@/testing/watching/watched-session';
import { openRpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const PAID = 1234n * 10_000n;
const SESSIONS = 3n;
const FINAL = 6;
const REFUND_WALLET = accounts.of('test', 'evm').address;
const OWN = Wallet.createRandom().address.toLowerCase();
const DIRECT = { TEST_CHAINS: 'local', DIRECT_SETTLEMENT: 'on', TREASURY_WALLETS: `ethereum@local=${OWN}` };

let db: TestDatabase;
let chain: LocalNetwork;
let scene: SweepScene;
let storeId: string;
beforeAll(async () => {
  db = await openTestDatabase();
  chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === 'ethereum'));
  storeId = await watchedStore(db.pool);
  scene = await openSweepScene({ db, chain, treasury: OWN, settings: DIRECT });
}, 60_000);
afterAll(async () => {
  await chain.stop();
  await db.close();
});

const broken = async () => (await checkBooks(db.pool)).filter(({ count }) => count > 0);
const asset = { network: 'ethereum', currency: 'USDT' } as const;

/** The merchant moves tokens out of the own wallet. */
async function spend(amount: bigint): Promise<void> {
  const rpc = openRpc(chain.rpcUrl);
  const word = (hex: string): string => hex.padStart(64, '0');
  await rpc('anvil_setBalance', OWN, '0xde0b6b3a7640000');
  await rpc('anvil_impersonateAccount', OWN);
  const data = `0xa9059cbb${word(Wallet.createRandom().address.slice(2))}${word(amount.toString(16))}`;
  await rpc('eth_sendTransaction', { from: OWN, to: chain.spec.tokens.USDT?.contract, data });
  await chain.mine(FINAL);
}

async function proofNow() {
  const { spec } = scene;
  const reading = { spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log: silentLog(), timeoutMs: 5000 };
  const [reader, adapter] = [openBalanceReader(reading), openEvmAdapter(reading)];
  const wallets = { evm: REFUND_WALLET, tron: 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA', solana: OWN };
  const step = proofStepWith({
    evidenceKey: [Buffer.alloc(32, 9)],
    chains: [{ chain: { environment: 'test', network: 'ethereum', spec, adapter }, reader }],
    refundWallets: async () => ({ live: wallets, test: wallets }),
  });
  await db.pool.query('TRUNCATE reserve_proofs CASCADE');
  for (let turn = 0; turn < 20; turn++) {
    await step(scene.context);
    const [made] = await listProofs(db.pool, 'test', 1);
    if (made) return readProof(db.pool, { storeId, environment: 'test' }, made.id);
    await chain.mine(FINAL);
    await scene.watch();
  }
  throw new Error('no proof was made');
}

it('sweeps to the merchant’s own wallet and books it, and the store keeps what it can refund', async () => {
  await scene.paid(Number(SESSIONS));
  await scene.rounds(8);
  expect(await scene.held(OWN)).toBe(SESSIONS * PAID);
  expect(await scene.held(REFUND_WALLET)).toBe(0n);
  expect(await scene.treasuryInLedger()).toBe(SESSIONS * PAID);
  expect([scene.frozen, await broken()]).toEqual([[], []]);
  expect(await directSettlementOf(scene.context, { environment: 'test' })).toMatchObject([
    { network: 'ethereum', address: expect.stringMatching(new RegExp(`^${OWN}$`, 'i')) },
  ]);
});

it('pays nothing out, by hand or by a schedule, also with a payout address from before', async () => {
  const request = { payoutId: 'po-1', amount: 100n, ...asset, description: null };
  const maker = { storeId, environment: 'test', record: async () => {} } as const;
  expect(await requestPayout(scene.context, maker, request)).toEqual({ refused: { code: 'direct' } });
  const key = { storeId, environment: 'test', ...asset } as const;
  await db.pool.query(
    `INSERT INTO payout_addresses (id, store_id, environment, network, address, created_at, created_by)
     VALUES ('pa_1', $1, 'test', 'ethereum', $2, now(), $3)`,
    [storeId, `0x${'a1'.repeat(20)}`, crypto.randomUUID()],
  );
  await db.pool.query(
    `INSERT INTO payout_schedules (store_id, environment, network, currency, interval, least, keep, created_at, updated_at, next_run_at)
     VALUES ($1, 'test', 'ethereum', 'USDT', 'daily', 100, 0, now(), now(), now())`,
    [storeId],
  );
  await decideSchedule(scene.context, key);
  expect(await db.prisma.payoutSchedule.findMany()).toMatchObject([{ reason: 'no_address', lastPayoutId: null }]);
  expect(await db.prisma.payout.count()).toBe(0);
  // Direct settlement alone stands in the way.
  const { config } = scene.context;
  const other = { ...scene.context, config: { ...config, DIRECT_SETTLEMENT: false } };
  const made = await requestPayout(other, maker, request);
  expect('id' in made && (await cancelPayout(other, maker, made.id))).toBe(true);
});

it('proves that what was swept was delivered, whatever the merchant’s wallet still holds', async () => {
  const before = await proofNow();
  await spend(SESSIONS * PAID);
  expect(await scene.held(OWN)).toBe(0n);
  await scene.watch();
  await scene.book();
  const after = await proofNow();
  for (const document of [before, after]) {
    const [network] = document?.statement.networks ?? [];
    expect(network).toMatchObject({ network: 'ethereum', direct_settlement: true, unread: null });
    expect(network?.wallets.map(({ place }) => place)).toEqual(['refund_wallet']);
    const token = network?.tokens.find(({ currency }) => currency === 'USDT');
    expect(token).toMatchObject({ held: { treasury: String(SESSIONS * PAID), refund_wallet: '0', deposits: '0' } });
    expect(token?.held?.total).toBe(token?.owed);
  }
  const rows = await readReserveRows(scene.context, 'test');
  expect(rows.find(({ currency }) => currency === 'USDT')).toMatchObject({
    missing: null,
    held: '37.02',
    owed: '37.02',
  });
  expect([scene.frozen, await scene.treasuryInLedger()]).toEqual([[], SESSIONS * PAID]);
});

it('a refund says that its own wallet has to be funded, waits for that, and is then paid once', async () => {
  const sender = openEvmSender({
    ...{ spec: chain.spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log: silentLog(), timeoutMs: 5000 },
  });
  const given = { db, clock: systemClock, spec: chain.spec, sender, intervals: { lease: 0 }, settings: DIRECT };
  const refunds = await openRefundScene(given);
  const payer = Wallet.createRandom().address.toLowerCase();
  await openRpc(chain.rpcUrl)('anvil_setBalance', REFUND_WALLET, '0xde0b6b3a7640000');
  const id = await refunds.refund({ to: payer, cents: 500n });
  for (let turn = 0; turn < 5; turn++) await refunds.pass();
  expect(await refunds.read(id)).toMatchObject({ status: 'processing', hold: 'no_tokens' });
  expect((await refunds.read(id)).holdMessage).toMatch(/wallet/i);
  await chain.pay({ currency: 'USDT', recipient: REFUND_WALLET, cents: 600n, scenario: 'exact' });
  await chain.mine(FINAL);
  expect(await refunds.untilEnded(id, () => chain.mine(FINAL))).toMatchObject({ status: 'completed' });
  expect([await scene.held(payer), await scene.held(REFUND_WALLET)]).toEqual([5_000_000n, 1_000_000n]);
});
