// Accounts with several keys on the local TRON chain, as an unmodified tronweb makes and uses them.

import { TronWeb } from 'tronweb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { readAddress } from './address';
import { operationsOf } from './permissions';
import { startTronNode, type TronNode } from './start';

const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const [TRX, TWO_OF_THREE] = [1_000_000, 2];
type Unsigned = Awaited<ReturnType<TronWeb['transactionBuilder']['sendTrx']>>;

let node: TronNode;
let tronWeb: TronWeb;
beforeAll(async () => {
  node = await startTronNode({ blockMs: null });
  tronWeb = new TronWeb({ fullHost: node.rpcUrl, privateKey: node.payer.privateKey });
}, 30_000);
afterAll(() => node.stop());

const newKey = () => TronWeb.createRandom().privateKey.slice(2);
const addressOf = (key: string) => String(TronWeb.address.fromPrivateKey(key));

const TWICE = { address: addressOf(newKey()), weight: 1 };

async function broadcast(transaction: unknown) {
  const { code, message, result } = await tronWeb.trx.sendRawTransaction(transaction as never);
  return result ? 'taken' : `${code}: ${TronWeb.toUtf8(message)}`;
}

async function funded(): Promise<string> {
  const key = newKey();
  const paid = await tronWeb.transactionBuilder.sendTrx(addressOf(key), 500 * TRX, node.payer.address);
  expect(await broadcast(await tronWeb.trx.sign(paid))).toBe('taken');
  await node.mine(1);
  return key;
}

const permission = (type: number, keys: readonly string[], more: object = {}) => ({
  ...{ type, permission_name: type === 0 ? 'owner' : 'treasury', threshold: TWO_OF_THREE },
  keys: keys.map((key) => ({ address: addressOf(key), weight: 1 })),
  ...(type === 0 ? {} : { operations: operationsOf(['TransferContract', 'TriggerSmartContract']) }),
  ...more,
});

/** An account whose owner permission and whose active permission 2 are 2 of the 3 keys. */
async function twoOfThree(active: object = {}): Promise<{ account: string; keys: readonly [string, string, string] }> {
  const [first, keys] = [await funded(), [newKey(), newKey(), newKey()] as const];
  const account = addressOf(first);
  const update = await tronWeb.transactionBuilder.updateAccountPermissions(account, permission(0, keys), undefined, [
    permission(2, keys, active),
  ]);
  expect(await broadcast(await tronWeb.trx.sign(update, first))).toBe('taken');
  await node.mine(1);
  return { account, keys };
}

/** A transfer of TRX under a permission, with the signatures of these keys. */
async function signed(account: string, keys: readonly string[], permissionId = 2): Promise<Unsigned> {
  const { transactionBuilder, trx } = tronWeb;
  let transaction: Unsigned = await transactionBuilder.sendTrx(node.payer.address, TRX, account, { permissionId });
  for (const key of keys) transaction = (await trx.multiSign(transaction, key)) as unknown as Unsigned;
  return transaction;
}

describe('2 of 3', () => {
  let account: string;
  let keys: readonly [string, string, string];
  beforeEach(async () => void ({ account, keys } = await twoOfThree()));

  it('costs 100 TRX, and the node shows the permissions', async () => {
    const shown = await tronWeb.trx.getUnconfirmedAccount(account);
    expect(shown.balance).toBe(400 * TRX);
    const listed = keys.map((key) => ({ address: readAddress(addressOf(key)), weight: 1 }));
    expect(shown).toMatchObject({
      owner_permission: { permission_name: 'owner', threshold: 2, keys: listed },
      active_permission: [{ type: 'Active', id: 2, permission_name: 'treasury', threshold: 2, keys: listed }],
    });
  });

  it('pays with two signatures for one TRX more, and with three', async () => {
    const two = await signed(account, keys.slice(0, 2));
    expect(await broadcast(two)).toBe('taken');
    await node.mine(1);
    const { fee, receipt } = await tronWeb.trx.getUnconfirmedTransactionInfo(two.txID);
    expect(fee - receipt.net_fee).toBe(TRX);
    expect(await broadcast(await signed(account, keys))).toBe('taken');
    await node.mine(1);
    const spent = 2 * TRX + fee + TRX;
    expect((await tronWeb.trx.getUnconfirmedAccount(account)).balance).toBeLessThan(400 * TRX - spent);
  });

  it('weighs signatures before they are enough', async () => {
    const weighed = await tronWeb.trx.getSignWeight(await signed(account, keys.slice(1, 2)));
    expect(weighed).toMatchObject({ result: { code: 'NOT_ENOUGH_PERMISSION' }, current_weight: 1 });
    const enough = await tronWeb.trx.getSignWeight(await signed(account, keys.slice(1)));
    expect(enough).toMatchObject({ result: {}, current_weight: 2 });
  });

  it('refuses one signature, the same key twice, a foreign key, and too many signatures', async () => {
    const [first] = keys;
    expect(await broadcast(await signed(account, [first]))).toBe('SIGERROR: Validate signature error: sig error');
    const once = await signed(account, [first]);
    const [signature] = (once as unknown as { signature: string[] }).signature;
    expect(await broadcast({ ...once, signature: [signature, signature] })).toContain(
      `${addressOf(first)} has signed twice!`,
    );
    expect(await broadcast(await signed(account, [first, newKey()]))).toContain('not contained of permission');
    expect(await broadcast({ ...once, signature: Array(4).fill(signature) })).toContain('Signature count is 4');
    expect(await broadcast({ ...once, signature: Array(6).fill(signature) })).toContain('too many signatures');
    expect(await broadcast({ ...once, signature: [] })).toContain('miss sig or contract');
  });

  it('refuses a permission that the account does not have, and takes the owner permission', async () => {
    expect(await broadcast(await signed(account, keys.slice(0, 2), 3))).toContain("permission isn't exit");
    expect(await broadcast(await signed(account, keys.slice(0, 2), 0))).toBe('taken');
  });

  it('signatures that were enough for the former permissions are not in a block', async () => {
    const payment = await signed(account, keys.slice(0, 2));
    const { transactionBuilder, trx } = tronWeb;
    const others = [newKey(), newKey()];
    const update = await transactionBuilder.updateAccountPermissions(account, permission(0, others), undefined, [
      permission(2, others),
    ]);
    let change = update as unknown as Unsigned;
    for (const key of keys.slice(0, 2)) change = (await trx.multiSign(change, key)) as unknown as Unsigned;
    expect(await broadcast(change)).toBe('taken');
    expect(await broadcast(payment)).toBe('taken');
    await node.mine(1);
    expect(await trx.getUnconfirmedTransactionInfo(change.txID)).toMatchObject({ id: change.txID });
    expect(await trx.getUnconfirmedTransactionInfo(payment.txID)).toEqual({});
    expect(await broadcast(payment)).toContain('SIGERROR');
  });
});

test('an active permission allows only its contracts', async () => {
  const { account, keys } = await twoOfThree({ operations: operationsOf(['TriggerSmartContract']) });
  expect(await broadcast(await signed(account, keys.slice(0, 2)))).toContain('Permission denied');
  const call = await tronWeb.transactionBuilder.triggerSmartContract(
    USDT,
    'transfer(address,uint256)',
    { feeLimit: 50 * TRX, permissionId: 2 },
    [
      { type: 'address', value: node.payer.address },
      { type: 'uint256', value: 0 },
    ],
    account,
  );
  let transaction = call.transaction as unknown as Unsigned;
  for (const key of keys.slice(0, 2))
    transaction = (await tronWeb.trx.multiSign(transaction, key)) as unknown as Unsigned;
  expect(await broadcast(transaction)).toBe('taken');
});

test.each([
  ['a threshold above the weights', { threshold: 4 }, 'sum of all key'],
  ['a key twice', { keys: [TWICE, TWICE] }, 'address should be distinct'],
  ['a contract that does not exist', { operations: 'ff'.repeat(32) }, "7 isn't a validate ContractType"],
  ['a short bitmap', { operations: 'ff' }, 'operations size must 32'],
])('an account cannot set %s', async (_, change, expected) => {
  const key = await funded();
  const actives = [permission(2, [newKey(), newKey()], change) as never];
  const owner = permission(0, [key], { threshold: 1 }) as never;
  const update = await tronWeb.transactionBuilder.updateAccountPermissions(addressOf(key), owner, undefined, actives);
  expect(await broadcast(await tronWeb.trx.sign(update, key))).toContain(expected);
});
