import { describe, expect, it } from 'vitest';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { DUE, localEthereum, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { transaction } from '@/lib/platform/database/db';
import { testConfig } from '@/testing/fixtures';
import { postColdTransfer } from '@/lib/ledger/post-cold';
import { NO_COSTS, reservePayout } from '@/lib/ledger/post-payout';
import { readColdWallet } from '@/lib/ledger/reconciliation/cold-wallet';
import { outflowStep } from '@/lib/ledger/reconciliation/outflows';
import { readTreasury } from '@/lib/ledger/reconciliation/treasury';
import { heldTotal, readReserves } from './reserves';

const { run, mine, pay, node, row, session, pool, context, chainOf } = useWatchedChain();
const TREASURY = '0x52908400098527886e0f7030069857d2e4169ee7';
const REFUND_WALLET = '0x00000000000000000000000000000000000000aa';

/** A paid session whose payment is final and credited. */
async function paid() {
  await run();
  const { address } = await session();
  pay(address);
  mine(4);
  await run();
  return address;
}

const reserves = async (over: Record<string, string> = {}) =>
  (await readReserves(pool(), 'test', testConfig(over))).find(
    ({ network, currency }) => network === 'ethereum' && currency === 'USDT',
  );
const direct = (...wallets: string[]) => ({
  DIRECT_SETTLEMENT: 'on',
  TREASURY_WALLETS: wallets.map((one) => `ethereum@local=${one}`).join(','),
});

/** Reads the treasury wallet, in which a chain reports this much of each token. */
async function readWallet(amount: bigint | null, isSameChain = true, wallets = [TREASURY], hasSigner = true) {
  const { id: chainId, final_number: number } = await row();
  const block = { number: Number(number), hash: '0x1', parentHash: '0x0', time: 0 };
  const tokens: BalanceReader['tokens'] = async ([holding]) =>
    new Map(amount === null || !holding ? [] : [[holding.address, { amount, from: block, through: block }]]);
  const reader = { most: 1, tokens, feeCoin: async () => ({ amount: 0n, stake: null }) };
  const given = context();
  const config = { ...given.config, TREASURY_WALLETS: wallets.map((one) => `ethereum@local=${one}`) };
  const addresses = { evm: REFUND_WALLET, tron: 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA', solana: REFUND_WALLET };
  const signer = hasSigner ? { state: async () => ({ wallets: { live: addresses, test: addresses } }) } : null;
  const parts = { reader, signer, isSameChain: async () => isSameChain };
  const treasury = { chain: chainOf(node().url), lease: { chainId }, ...parts };
  await readTreasury({ ...given, config }, treasury);
}

it('a payment is held at its deposit address and owed to its store, up to a block', async () => {
  const before = await reserves();
  await paid();
  const after = await reserves();
  expect(after?.deposits.amount).toBe(DUE);
  expect((after?.owed ?? 0n) - (before?.owed ?? 0n)).toBe(DUE);
  const { final_number: final } = await row();
  expect(after?.deposits.block).toBe(Number(final));
  expect(after).toMatchObject({ network: 'ethereum', currency: 'USDT', treasury: null });
  expect((await reserves(direct(TREASURY)))?.treasury).toEqual({ amount: 0n, block: Number(final) });
});

it('a sweep moves what is held from the deposit address to the treasury, and what is owed stays', async () => {
  const address = await paid();
  const before = await reserves();
  node().mine([{ logs: [transferLog(usdt, address, TREASURY, DUE)] }]);
  mine(4);
  await run();
  await readWallet(DUE);
  const after = await reserves();
  expect(after?.deposits.amount).toBe((before?.deposits.amount ?? 0n) - DUE);
  expect(after?.treasury?.amount).toBe(DUE);
  expect(after && heldTotal(after)).toBe(before && heldTotal(before));
  expect(after?.owed).toBe(before?.owed);
});

it('direct settlement has delivered what sweeps brought to the merchant’s wallets, and nothing that another treasury got', async () => {
  const address = await paid();
  const merchant = '0x00000000000000000000000000000000000000d1';
  const before = (await reserves(direct(merchant)))?.treasury?.amount;
  node().mine([{ logs: [transferLog(usdt, address, TREASURY, DUE)] }]);
  mine(4);
  await run();
  const given = context();
  const config = testConfig(direct(TREASURY));
  await outflowStep(config, null)({ ...given, config });
  // The wallet's own balance does not count: the merchant spends it.
  await readWallet(3n * DUE);
  expect(before).toBe(0n);
  expect((await reserves(direct(merchant)))?.treasury?.amount).toBe(0n);
  expect((await reserves(direct(TREASURY)))?.treasury?.amount).toBe(DUE);
  // A merchant who has another wallet by now names both.
  expect((await reserves(direct(merchant, TREASURY)))?.treasury?.amount).toBe(DUE);
  expect((await reserves({ TREASURY_WALLETS: `ethereum@local=${merchant}` }))?.treasury?.amount).toBe(3n * DUE);
});

it('former refund wallets count with what they still hold, unless the settings name them for another purpose', async () => {
  await paid();
  const { id } = await row();
  const [present, former, emptied] = [REFUND_WALLET, `0x${'f1'.repeat(20)}`, `0x${'f2'.repeat(20)}`];
  const insert = `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at)
    VALUES ($1, $2, 'USDT', $3, $4, now() - $5::int * interval '1 day')`;
  for (const [address, amount, block, days] of [
    [present, 30n, 90, 0],
    [former, 12n, 89, 1],
    [emptied, 0n, 80, 2],
  ] as const)
    await pool().query(insert, [id, address, String(amount), block, days]);
  expect((await reserves())?.refundWallet).toEqual({ amount: 42n, block: 90 });
  for (const setting of ['TREASURY_WALLETS', 'COLD_WALLETS'])
    expect((await reserves({ [setting]: `ethereum@local=${former}` }))?.refundWallet?.amount).toBe(30n);
  const cold = `INSERT INTO cold_balances (chain_id, currency, address, amount, block_number, read_at) VALUES ($1, 'USDT', $2, 12, 90, now())`;
  await pool().query(cold, [id, former]);
  expect((await reserves({ COLD_WALLETS: `ethereum@local=${former}` }))?.cold?.amount).toBe(12n);
  await pool().query('DELETE FROM cold_balances');
  await pool().query('DELETE FROM wallet_balances');
});

it('a payout that has not arrived is still owed', async () => {
  await paid();
  const before = await reserves();
  const { rows } = await pool().query<{ store_id: string }>('SELECT store_id FROM sessions LIMIT 1');
  const storeId = rows[0]?.store_id ?? '';
  const payout = { intentId: `po_${'1'.repeat(40)}`, storeId, environment: 'test' } as const;
  const amount = { network: 'ethereum', currency: 'USDT', amount: DUE };
  expect(await transaction(pool(), (tx) => reservePayout(tx, { ...payout, paid: amount, costs: NO_COSTS }))).toBe(0n);
  expect((await reserves())?.owed).toBe(before?.owed);
});

it('the treasury keeps its last reading while too few endpoints agree, and while they serve another chain', async () => {
  await paid();
  await readWallet(5n * DUE);
  await readWallet(null);
  await readWallet(7n * DUE, false);
  expect((await reserves())?.treasury?.amount).toBe(5n * DUE);
  await readWallet(DUE);
  expect((await reserves())?.treasury?.amount).toBe(DUE);
});

it.each([REFUND_WALLET, 'refund-wallet'])(
  'the refund wallet as the treasury (%s) is no treasury of its own, so its balance counts once, and a former treasury still counts',
  async (named) => {
    await paid();
    await readWallet(5n * DUE);
    await readWallet(DUE, true, [named]);
    expect((await reserves())?.treasury).toBeNull();
    await readWallet(3n * DUE, true, [named, TREASURY]);
    expect((await reserves())?.treasury?.amount).toBe(3n * DUE);
  },
);

describe('the cold wallet', () => {
  const COLD = '0x00000000000000000000000000000000000000c0';
  /** The chain reports this much of each token in it. */
  async function readCold(amount: bigint | null, { address = COLD, isSameChain = true } = {}) {
    const { id: chainId, final_number: number } = await row();
    const block = { number: Number(number), hash: '0x1', parentHash: '0x0', time: 0 };
    const tokens: BalanceReader['tokens'] = async ([holding]) =>
      new Map(amount === null || !holding ? [] : [[holding.address, { amount, from: block, through: block }]]);
    const given = context();
    const config = { ...given.config, COLD_WALLETS: address === '' ? [] : [`ethereum@local=${address}`] };
    const reader = { most: 1, tokens, feeCoin: async () => ({ amount: 0n, stake: null }) };
    const reading = { chain: chainOf(node().url), lease: { chainId }, reader, isSameChain: async () => isSameChain };
    await readColdWallet({ ...given, config }, reading);
  }

  it('counts with what the chain reports, also after the operator sent some of it back', async () => {
    await paid();
    const before = await reserves();
    const moved = { network: 'ethereum', currency: 'USDT', amount: 9n * DUE };
    await transaction(pool(), (tx) =>
      postColdTransfer(tx, { intentId: 'ct_test_ethereum_USDT_1', environment: 'test', moved }),
    );
    await readCold(9n * DUE);
    const { final_number: final } = await row();
    expect((await reserves())?.cold).toEqual({ amount: 9n * DUE, block: Number(final) });
    await readCold(2n * DUE);
    const after = (await reserves())!;
    expect(after.cold?.amount).toBe(2n * DUE);
    expect(heldTotal(after)).toBe(heldTotal(before!) - (before?.cold?.amount ?? 0n) + 2n * DUE);
  });

  it('keeps its last reading while too few endpoints agree, and while they serve another chain', async () => {
    await paid();
    await readCold(5n * DUE);
    await readCold(null);
    await readCold(7n * DUE, { isSameChain: false });
    expect((await reserves())?.cold?.amount).toBe(5n * DUE);
  });

  it('does not keep the reading of a wallet that the settings no longer name', async () => {
    await paid();
    await readCold(5n * DUE);
    await readCold(null, { address: '0x00000000000000000000000000000000000000c1' });
    expect((await reserves())?.cold).toBeNull();
    await readCold(5n * DUE);
    await readCold(1n, { address: '' });
    expect((await reserves())?.cold).toBeNull();
  });

  it('counts once where it is the treasury wallet too', async () => {
    await paid();
    await readWallet(5n * DUE);
    await readCold(5n * DUE, { address: TREASURY });
    expect(await reserves()).toMatchObject({ treasury: { amount: 5n * DUE }, cold: null });
    await readCold(1n, { address: '' });
  });
});

it('a process without a signer reads the treasury, but not the refund wallet that another process has read', async () => {
  await paid();
  await readWallet(5n * DUE, true, [TREASURY], false);
  expect((await reserves())?.treasury?.amount).toBe(5n * DUE);
  await pool().query(
    `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, $2, 'USDT', 0, 1, now())
     ON CONFLICT DO NOTHING`,
    [(await row()).id, REFUND_WALLET],
  );
  await readWallet(7n * DUE, true, [REFUND_WALLET], false);
  expect((await reserves())?.treasury).toBeNull();
});

it('every token of the network that holds or owes something has a row', async () => {
  await paid();
  await readWallet(1n);
  const found = (await readReserves(pool(), 'test', testConfig())).filter(({ network }) => network === 'ethereum');
  expect(found.map(({ currency }) => currency)).toEqual(Object.keys(localEthereum.tokens).toSorted());
});
