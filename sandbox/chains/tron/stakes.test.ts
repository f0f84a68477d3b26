// Stakes of the local TRON chain: what they can lend in a day, what comes back used, and the price of energy.

import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromEvm, toBase58 } from './address';
import type { ContractType } from './messages';
import { startTronNode, type TronNode } from './start';
import { buildTransaction, signTransaction } from './transaction';
import type { Json } from './views';

const USDT = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const TRX = 1_000_000;
const STAKE = 20_000 * TRX;

let node: TronNode;
let now = Date.parse('2026-11-21T12:00:00Z');
beforeAll(async () => {
  node = await startTronNode({ blockMs: null, clock: { now: () => new Date(now) } });
}, 30_000);
afterAll(() => node.stop());

type Account = { readonly key: string; readonly address: string };
const accountOf = (key: string): Account => ({ key, address: fromEvm(new Wallet(key).address) });

async function transact(account: Account, type: ContractType, value: Json, feeLimit = 100 * TRX): Promise<Json> {
  const draft = { ...node.chain.reference(), timestamp: ++now, expiration: now + 60_000, fee_limit: feeLimit };
  const transaction = signTransaction(
    buildTransaction(type, { owner_address: account.address, ...value }, draft),
    account.key,
  );
  await node.chain.exclusively(() => node.chain.accept(transaction));
  await node.mine(1);
  return node.chain.known(transaction.id)?.included?.entry.receipt ?? { dropped: true };
}

/** An account with TRX and USDT. */
async function funded(trx: number): Promise<Account> {
  const account = accountOf(Wallet.createRandom().privateKey);
  const payer = accountOf(`0x${node.payer.privateKey}`);
  await transact(payer, 'TransferContract', { to_address: account.address, amount: trx * TRX });
  await node.pay({ currency: 'USDT', recipient: toBase58(account.address), cents: 100_00n, scenario: 'exact' });
  return account;
}

const send = (from: Account, to: string, feeLimit?: number): Promise<Json> => {
  const words = [to.slice(2).padStart(64, '0'), '1'.padStart(64, '0')];
  const value = { contract_address: USDT, data: `a9059cbb${words.join('')}` };
  return transact(from, 'TriggerSmartContract', value, feeLimit);
};

async function ask(api: string, body: Json): Promise<Json> {
  const answer = await fetch(`${node.rpcUrl}/wallet/${api}`, { method: 'POST', body: JSON.stringify(body) });
  return (await answer.json()) as Json;
}
const mostOf = async ({ address }: Account): Promise<number> =>
  Number((await ask('getcandelegatedmaxsize', { owner_address: address, type: 1 })).max_size ?? 0);
const lending = (to: Account, balance: number): Json => ({
  receiver_address: to.address,
  balance,
  resource: 'ENERGY',
});

test('energy that the receiver used comes back used: a stake lends its daily energy once a day', async () => {
  const [lender, receiver, other] = [await funded(21_000), await funded(2), await funded(2)];
  await transact(lender, 'FreezeBalanceV2Contract', { frozen_balance: STAKE, resource: 'ENERGY' });
  expect(await mostOf(lender)).toBe(STAKE);
  await transact(lender, 'DelegateResourceContract', lending(receiver, STAKE));
  expect(await mostOf(lender)).toBe(0);
  const paid = (await send(receiver, other.address)).receipt as Record<string, number>;
  const used = paid.energy_usage!;
  expect(paid.energy_fee).toBeUndefined();
  await transact(lender, 'UnDelegateResourceContract', lending(receiver, STAKE));
  // The used energy in sun of the stake.
  const stakeUsed = (used * 19_000_000_000 * TRX) / 180_000_000_000;
  expect(Math.abs(STAKE - (await mostOf(lender)) - stakeUsed)).toBeLessThan(TRX);
  expect(await ask('getaccountresource', { address: receiver.address })).not.toHaveProperty('EnergyUsed');
  await expect(transact(lender, 'DelegateResourceContract', lending(other, STAKE))).rejects.toThrow(
    'available FreezeV2',
  );
  // It recovers evenly over a day.
  now += 43_200_000;
  await node.mine(1);
  expect(Math.abs(STAKE - (await mostOf(lender)) - stakeUsed / 2)).toBeLessThan(TRX);
  now += 43_300_000;
  await node.mine(1);
  expect(await mostOf(lender)).toBe(STAKE);
});

test('a stake that is not lent can be unstaked, and withdrawn after fourteen days, also by the next one that is unstaked', async () => {
  const [lender, receiver] = [await funded(21_000), await funded(2)];
  const address = toBase58(lender.address);
  const account = () => ask('getaccount', { address, visible: true });
  const unstake = (sun: number) =>
    transact(lender, 'UnfreezeBalanceV2Contract', { unfreeze_balance: sun, resource: 'ENERGY' });
  await transact(lender, 'FreezeBalanceV2Contract', { frozen_balance: STAKE, resource: 'ENERGY' });
  await transact(lender, 'DelegateResourceContract', lending(receiver, STAKE / 2));
  // The free bandwidth of the day is used up.
  now += 86_400_000;
  await node.mine(1);
  await expect(unstake(STAKE / 2 + 1)).rejects.toThrow('Invalid unfreeze_balance');
  const before = Number((await account()).balance);
  await unstake(STAKE / 4);
  expect((await account()).unfrozenV2).toEqual([
    { type: 'ENERGY', unfreeze_amount: STAKE / 4, unfreeze_expire_time: node.chain.head().time + 14 * 86_400_000 },
  ]);
  expect((await account()).frozenV2).toContainEqual({ type: 'ENERGY', amount: STAKE / 4 });
  now += 13 * 86_400_000;
  await node.mine(1);
  await expect(transact(lender, 'WithdrawExpireUnfreezeContract', {})).rejects.toThrow('no unFreeze balance');
  now += 86_400_000;
  await node.mine(1);
  await unstake(STAKE / 8);
  expect(Number((await account()).balance)).toBe(before + STAKE / 4);
  now += 14 * 86_400_000;
  await node.mine(1);
  await transact(lender, 'WithdrawExpireUnfreezeContract', {});
  expect(Number((await account()).balance)).toBe(before + STAKE / 4 + STAKE / 8);
  expect(await account()).not.toHaveProperty('unfrozenV2');
});

test('of a part that is taken back, only its share of the used energy comes back', async () => {
  const [lender, receiver] = [await funded(21_000), await funded(2)];
  await transact(lender, 'FreezeBalanceV2Contract', { frozen_balance: STAKE, resource: 'ENERGY' });
  await transact(lender, 'DelegateResourceContract', lending(receiver, STAKE));
  const used = ((await send(receiver, lender.address)).receipt as Record<string, number>).energy_usage!;
  await transact(lender, 'UnDelegateResourceContract', lending(receiver, STAKE / 4));
  const left = (await ask('getaccountresource', { address: receiver.address })) as Record<string, number>;
  const back = (await ask('getaccountresource', { address: lender.address })) as Record<string, number>;
  expect(Math.abs(back.EnergyUsed! - used / 4)).toBeLessThan(3);
  expect(Math.abs(left.EnergyUsed! - (used * 3) / 4)).toBeLessThan(3);
});

test('shows who lends to whom until it is taken back', async () => {
  const [lender, receiver] = [await funded(21_000), await funded(2)];
  await transact(lender, 'FreezeBalanceV2Contract', { frozen_balance: STAKE, resource: 'ENERGY' });
  const index = () => ask('getdelegatedresourceaccountindexv2', { value: lender.address });
  const pair = { fromAddress: lender.address, toAddress: receiver.address };
  expect(await index()).toEqual({ account: lender.address });
  expect(await ask('getdelegatedresourcev2', pair)).toEqual({});
  await transact(lender, 'DelegateResourceContract', lending(receiver, 5 * TRX));
  expect(await index()).toEqual({ account: lender.address, toAccounts: [receiver.address] });
  expect(await ask('getdelegatedresourceaccountindexv2', { value: receiver.address })).toEqual({
    ...{ account: receiver.address, fromAccounts: [lender.address] },
  });
  expect(await ask('getdelegatedresourcev2', pair)).toEqual({
    delegatedResource: [{ from: lender.address, to: receiver.address, frozen_balance_for_energy: 5 * TRX }],
  });
  await transact(lender, 'UnDelegateResourceContract', lending(receiver, 5 * TRX));
  expect(await index()).toEqual({ account: lender.address });
  expect(await ask('getdelegatedresourcev2', pair)).toEqual({});
});

test('lent energy does not replace the fee limit, which caps it too', async () => {
  const [lender, receiver] = [await funded(21_000), await funded(2)];
  await transact(lender, 'FreezeBalanceV2Contract', { frozen_balance: STAKE, resource: 'ENERGY' });
  await transact(lender, 'DelegateResourceContract', lending(receiver, STAKE));
  for (const limit of [0, 3_000_000])
    expect((await send(receiver, lender.address, limit)).receipt).toMatchObject({ result: 'OUT_OF_ENERGY' });
  expect((await send(receiver, lender.address, 9_000_000)).receipt).toMatchObject({ result: 'SUCCESS' });
});

test('the price of energy can be set: it decides what is burned and how far a fee limit goes', async () => {
  const [account, other] = [await funded(100), await funded(2)];
  const priceIn = async () => {
    const { chainParameter } = (await ask('getchainparameters', {})) as {
      chainParameter: { key: string; value: number }[];
    };
    return chainParameter.find(({ key }) => key === 'getEnergyFee')?.value;
  };
  const burned = async (limit?: number) =>
    (await send(account, other.address, limit)).receipt as Record<string, number>;
  const before = await burned();
  expect(before.energy_fee).toBe(before.energy_usage_total! * 100);
  expect(await priceIn()).toBe(100);
  await node.chain.exclusively(() => node.chain.setEnergyPrice(210n));
  expect(await priceIn()).toBe(210);
  const after = await burned();
  expect(after.energy_fee).toBe(after.energy_usage_total! * 210);
  expect(await burned(after.energy_usage_total! * 200)).toMatchObject({ result: 'OUT_OF_ENERGY' });
  await node.chain.exclusively(() => node.chain.setEnergyPrice(100n));
});

test('coin for exactly the energy that the simulation names is enough for a transfer', async () => {
  const [account, other] = [await funded(50), await funded(2)];
  const parameter = other.address.slice(2).padStart(64, '0') + '1'.padStart(64, '0');
  const call = { owner_address: account.address, contract_address: USDT, parameter };
  const { energy_used: energy } = await ask('triggerconstantcontract', {
    ...{ ...call, function_selector: 'transfer(address,uint256)' },
  });
  const { state } = node.chain;
  await node.chain.exclusively(() => state.update(account.address, { balance: BigInt(energy as number) * 100n }));
  expect((await send(account, other.address)).receipt).toMatchObject({ result: 'SUCCESS', energy_usage_total: energy });
  expect(state.account(account.address).balance).toBe(0n);
});
