// Bandwidth and energy on the local TRON chain: the use and cost of a transfer, the effect of stakes and delegations,
// and calls with too low a fee limit.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromEvm, readAddress, toBase58 } from './address';
import { Wallet } from 'ethers';
import { buildTransaction, signTransaction } from './transaction';
import { startTronNode, type TronNode } from './start';
import type { ContractType } from './messages';
import type { Json } from './views';

const USDT = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const TRX = 1_000_000;

let node: TronNode;
let now = Date.parse('2026-11-21T12:00:00Z');
beforeAll(async () => {
  node = await startTronNode({ blockMs: null, clock: { now: () => new Date(now) } });
}, 30_000);
afterAll(() => node.stop());

const accountOf = (key: string) => ({ key, address: fromEvm(new Wallet(key).address) });
const newAccount = () => accountOf(Wallet.createRandom().privateKey);
type Account = ReturnType<typeof newAccount>;
const founder = () => accountOf(`0x${node.payer.privateKey}`);

/** An account with TRX and some USDT. */
async function funded(trx: number): Promise<Account> {
  const account = newAccount();
  await transact(founder(), 'TransferContract', { to_address: account.address, amount: trx * TRX });
  await node.pay({ currency: 'USDT', recipient: toBase58(account.address), cents: 100_00n, scenario: 'exact' });
  return account;
}

/** The receipt of the account's transaction, or the reason for its rejection. */
async function transact(account: Account, type: ContractType, value: Json, feeLimit = 100 * TRX): Promise<Json> {
  const draft = { ...node.chain.reference(), timestamp: ++now, expiration: now + 60_000, fee_limit: feeLimit };
  const owned = { owner_address: account.address, ...value };
  const transaction = signTransaction(buildTransaction(type, owned, draft), account.key);
  await node.chain.exclusively(() => node.chain.accept(transaction));
  await node.mine(1);
  return node.chain.known(transaction.id)?.included?.entry.receipt ?? { dropped: true };
}

const transferOf = (to: string, amount: number): Json => {
  const words = [to.slice(2).padStart(64, '0'), amount.toString(16).padStart(64, '0')];
  return { contract_address: USDT, data: `a9059cbb${words.join('')}` };
};

async function resourcesOf(address: string): Promise<Record<string, number>> {
  const answer = await fetch(`${node.rpcUrl}/wallet/getaccountresource?address=${address}`);
  return (await answer.json()) as Record<string, number>;
}

test('a USDT transfer takes about as much energy as on the real network, and twice as much to an address without USDT', async () => {
  const account = await funded(1000);
  const { address: to } = newAccount();
  const first = await transact(account, 'TriggerSmartContract', transferOf(to, 1));
  const second = await transact(account, 'TriggerSmartContract', transferOf(to, 1));
  const energies = [first, second].map(({ receipt }) => (receipt as Json).energy_usage_total as number);
  expect(Math.abs(energies[0]! - 130_285)).toBeLessThan(15_000);
  expect(Math.abs(energies[1]! - 64_285)).toBeLessThan(15_000);
  const { energy_fee: fee, energy_penalty_total: penalty, net_usage: bytes } = first.receipt as Record<string, number>;
  expect(fee).toBe(energies[0]! * 100);
  expect(penalty).toBe(Math.floor((energies[0]! * 34) / 44));
  expect(bytes).toBe(345);
  expect(first.fee).toBe(fee);
});

test('six hundred bytes a day are free, further bytes cost a thousand sun each, and the free share recovers', async () => {
  const account = await funded(1000);
  const { address: to } = newAccount();
  const send = () => transact(account, 'TriggerSmartContract', transferOf(to, 1));
  expect((await send()).receipt).toMatchObject({ net_usage: 345 });
  expect((await send()).receipt).toMatchObject({ net_fee: 345_000 });
  expect(await resourcesOf(account.address)).toMatchObject({ freeNetUsed: 345, freeNetLimit: 600 });
  now += 86_400_000;
  await node.mine(1);
  expect((await send()).receipt).toMatchObject({ net_usage: 345 });
});

test('staked energy is used before TRX is burned', async () => {
  const account = await funded(20_000);
  await transact(account, 'FreezeBalanceV2Contract', { frozen_balance: 10_000 * TRX, resource: 'ENERGY' });
  const { EnergyLimit: limit = 0 } = await resourcesOf(account.address);
  expect(limit).toBe(Math.floor((10_000 * 180_000_000_000) / 19_000_000_000));
  const { receipt } = await transact(account, 'TriggerSmartContract', transferOf(newAccount().address, 1));
  const { energy_usage: staked, energy_fee: burned, energy_usage_total: total } = receipt as Record<string, number>;
  expect([staked, burned]).toEqual([limit, (total! - limit) * 100]);
  expect(await resourcesOf(account.address)).toMatchObject({ EnergyUsed: limit });
});

test('delegated energy pays for the receiver until it is undelegated', async () => {
  const [lender, receiver] = [await funded(100_000), await funded(2)];
  await transact(lender, 'FreezeBalanceV2Contract', { frozen_balance: 50_000 * TRX, resource: 'ENERGY' });
  const lending = { receiver_address: receiver.address, balance: 50_000 * TRX, resource: 'ENERGY' };
  await transact(lender, 'DelegateResourceContract', lending);
  const paid = await transact(receiver, 'TriggerSmartContract', transferOf(lender.address, 1));
  expect(paid.receipt).toMatchObject({ result: 'SUCCESS', energy_usage: expect.any(Number) });
  expect(paid.receipt).not.toHaveProperty('energy_fee');
  await transact(lender, 'UnDelegateResourceContract', lending);
  expect(await resourcesOf(receiver.address)).not.toHaveProperty('EnergyLimit');
  await expect(transact(lender, 'UnDelegateResourceContract', lending)).rejects.toThrow('insufficient');
});

test('rejects delegating more than is staked, or to an address that was never activated', async () => {
  const [lender, receiver] = [await funded(100), await funded(2)];
  await transact(lender, 'FreezeBalanceV2Contract', { frozen_balance: 10 * TRX, resource: 'ENERGY' });
  const lend = (to: string, balance: number) =>
    transact(lender, 'DelegateResourceContract', { receiver_address: to, balance, resource: 'ENERGY' });
  await expect(lend(receiver.address, 11 * TRX)).rejects.toThrow('available FreezeV2 balance');
  await expect(lend(newAccount().address, 5 * TRX)).rejects.toThrow('not exists');
  await expect(lend(lender.address, 5 * TRX)).rejects.toThrow('must not be the same');
});

test('a fee limit below the cost ends in OUT_OF_ENERGY, costs the whole limit and moves nothing', async () => {
  const account = await funded(1000);
  const { address: to } = newAccount();
  const failed = await transact(account, 'TriggerSmartContract', transferOf(to, 5), 500_000);
  expect(failed).toMatchObject({ result: 'FAILED', contractResult: [''], receipt: { result: 'OUT_OF_ENERGY' } });
  expect((failed.receipt as Json).energy_fee).toBeGreaterThan(499_000);
  expect((failed.receipt as Json).energy_fee).toBeLessThanOrEqual(500_000);
  expect(Buffer.from(String(failed.resMessage), 'hex').toString()).toContain('Not enough energy');
  expect(await node.balance(toBase58(to), 'USDT')).toBe(0n);
});

test('an account with tokens and no TRX is not activated and cannot send', async () => {
  const account = newAccount();
  await node.pay({ currency: 'USDT', recipient: toBase58(account.address), cents: 100n, scenario: 'exact' });
  const send = transact(account, 'TriggerSmartContract', transferOf(founder().address, 1));
  await expect(send).rejects.toThrow('does not exist');
  expect(readAddress(toBase58(account.address))).toBe(account.address);
});

test('creating an account costs 1.1 TRX and can be done once', async () => {
  const account = await funded(10);
  const { address } = newAccount();
  const created = await transact(account, 'AccountCreateContract', { account_address: address });
  expect(created).toMatchObject({ fee: 1_100_000, receipt: { net_fee: 100_000 } });
  const again = transact(account, 'AccountCreateContract', { account_address: address });
  await expect(again).rejects.toThrow('Account has existed');
});

test('of two transactions that spend the same TRX, the second is dropped from the block', async () => {
  const account = await funded(10);
  const drafts = [6, 7].map((trx) => {
    const value = { owner_address: account.address, to_address: founder().address, amount: trx * TRX };
    const draft = { ...node.chain.reference(), timestamp: ++now, expiration: now + 60_000 };
    return signTransaction(buildTransaction('TransferContract', value, draft), account.key);
  });
  await node.chain.exclusively(() => drafts.forEach((one) => node.chain.accept(one)));
  await node.mine(1);
  expect(drafts.map(({ id }) => node.chain.known(id)?.included?.entry.outcome)).toEqual(['SUCCESS', undefined]);
});
