// What the simulated EVM chain does with the transactions of a sweep. ethers signs them, not the product.

import { Interface } from 'ethers/abi';
import type { TransactionLike } from 'ethers/transaction';
import { Wallet } from 'ethers/wallet';
import { beforeEach, describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { CREATE2_FACTORY, delegateAddress, deploymentData } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { openEvmChain } from './evm-chain';

const walletOf = (byte: string): Wallet => new Wallet(`0x${byte.repeat(32)}`);
const lower = ({ address }: Wallet): string => address.toLowerCase();
const [refunds, sponsor, spare, stranger, one, other] = ['11', '12', '13', '14', '15', '16'].map(walletOf) as [
  Wallet,
  Wallet,
  Wallet,
  Wallet,
  Wallet,
  Wallet,
];
const treasury = `0x${'7e'.repeat(20)}`;
const alice = `0x${'a1'.repeat(20)}`;
const spec = networkSpec('test', 'bsc', 'local')!;
const token = spec.tokens.USDT!.contract;
const wallets = { treasury, sponsor: lower(sponsor), spareSponsor: lower(spare) };
const delegate = delegateAddress(wallets);
const calls = new Interface([
  'function sweepMany(address token, uint256 gasEach, address[] deposits)',
  'function transfer(address to, uint256 amount)',
]);

const open = () => openEvmChain({ spec, finalDepth: 2, wallet: lower(refunds), unixSeconds: 0 });
let chain: ReturnType<typeof open>;
beforeEach(() => {
  chain = open();
  for (const from of [sponsor, stranger]) chain.giveCoin?.(lower(from), 10n ** 18n);
});

const ask = (method: string, ...params: readonly unknown[]): unknown =>
  chain.answer({ height: chain.height() }, method, params);
const send = async (from: Wallet, transaction: TransactionLike): Promise<unknown> =>
  ask(
    'eth_sendRawTransaction',
    await from.signTransaction({
      ...{ chainId: spec.chainId!, type: 2, gasLimit: 2_000_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n },
      ...transaction,
    }),
  );
const deploy = (nonce = 0) => send(sponsor, { nonce, to: CREATE2_FACTORY, data: deploymentData(wallets) });

/** A batch with the delegations of some deposit addresses, each with the nonce that it says. */
async function sweep(
  nonce: number,
  deposits: readonly Wallet[],
  delegations: readonly [Wallet, number][],
  from = sponsor,
) {
  const data = calls.encodeFunctionData('sweepMany', [token, 100_000n, deposits.map(lower)]);
  const authorizationList = delegations.map(([who, at]) =>
    who.authorizeSync({ address: delegate, nonce: at, chainId: spec.chainId! }),
  );
  const more = delegations.length > 0 ? { type: 4, authorizationList } : {};
  return send(from, { nonce, to: delegate, data, ...more });
}

const pay = (to: Wallet, amount: bigint) => chain.pay({ token, payer: alice, recipient: lower(to), amount });
const moved = () =>
  chain
    .transfers(chain.height())
    .filter(({ payer }) => payer !== alice)
    .map(({ payer, recipient, amount }) => ({ payer, recipient, amount }));
const to = (payer: Wallet, amount: bigint) => ({ payer: lower(payer), recipient: treasury, amount });

describe('a batch', () => {
  it('moves the whole balance of each address that delegates, and nothing of the others', async () => {
    expect(ask('eth_getCode', delegate, 'latest')).toBe('0x');
    await deploy();
    pay(one, 5n);
    pay(other, 7n);
    await sweep(1, [one, other], [[one, 0]]);
    pay(one, 1n);
    chain.mine(1);
    expect(ask('eth_getCode', delegate, 'latest')).not.toBe('0x');
    expect(ask('eth_getCode', lower(one), 'latest')).toBe(`0xef0100${delegate.slice(2)}`);
    expect(ask('eth_getTransactionCount', lower(one), 'latest')).toBe('0x1');
    expect(moved()).toEqual([to(one, 6n)]);
    await sweep(2, [one, other], [[other, 0]]);
    chain.mine(2);
    expect(moved()).toEqual([to(one, 6n), to(other, 7n)]);
  });

  it('leaves out an address whose delegation has another nonce, and a blocked one', async () => {
    await deploy();
    for (const who of [one, other]) pay(who, 5n);
    chain.mine(1);
    chain.refuse(token, lower(other));
    await sweep(
      1,
      [one, other],
      [
        [one, 1],
        [other, 0],
      ],
    );
    chain.mine(2);
    expect(moved()).toEqual([]);
    expect(ask('eth_getCode', lower(one), 'latest')).toBe('0x');
    expect(ask('eth_getCode', lower(other), 'latest')).not.toBe('0x');
    expect(chain.sent?.().map(({ blockNumber }) => blockNumber)).toEqual([1, 2]);
  });

  it('of a stranger fails, and its delegations stay', async () => {
    await deploy();
    pay(one, 5n);
    await sweep(0, [one], [[one, 0]], stranger);
    chain.mine(1);
    expect(moved()).toEqual([]);
    expect(ask('eth_getTransactionCount', lower(one), 'latest')).toBe('0x1');
    expect(chain.sent?.().every(({ cost }) => cost > 0n)).toBe(true);
  });

  it('runs again in the blocks after a reorganisation', async () => {
    await deploy();
    pay(one, 5n);
    await sweep(1, [one], [[one, 0]]);
    chain.mine(1);
    expect(chain.reorg(1, () => false)).toBe(1);
    expect(ask('eth_getTransactionCount', lower(one), 'latest')).toBe('0x0');
    pay(one, 2n);
    chain.mine(2);
    expect(moved()).toEqual([to(one, 7n)]);
  });
});

it('takes a transaction that the account can pay for, and the next one when its nonce comes', async () => {
  expect(await sweep(0, [one], [], other)).toMatchObject({
    error: { message: expect.stringMatching(/insufficient funds/) },
  });
  await deploy(1);
  chain.mine(1);
  expect(chain.sent?.().map(({ blockNumber }) => blockNumber)).toEqual([null]);
  await send(sponsor, { nonce: 0, to: lower(one), value: 10n ** 17n });
  chain.mine(2);
  expect(chain.sent?.().map(({ blockNumber }) => blockNumber)).toEqual([2, 2]);
  expect(ask('eth_getBalance', lower(one), 'latest')).toBe(`0x${(10n ** 17n).toString(16)}`);
  expect(await deploy(1)).toMatchObject({ error: { message: 'nonce too low' } });
});

it('lets a deposit address send its own tokens, as many as it has', async () => {
  chain.giveCoin?.(lower(one), 10n ** 18n);
  pay(one, 5n);
  const transfer = (nonce: number, amount: bigint) =>
    send(one, { nonce, to: token, data: calls.encodeFunctionData('transfer', [treasury, amount]) });
  await transfer(0, 6n);
  await transfer(1, 5n);
  chain.mine(1);
  expect(moved()).toEqual([to(one, 5n)]);
});

it('estimates what would fail as reverted', async () => {
  const estimate = (from: Wallet, amount: bigint) =>
    ask('eth_estimateGas', {
      ...{ from: lower(from), to: token, data: calls.encodeFunctionData('transfer', [treasury, amount]) },
    });
  pay(one, 5n);
  chain.mine(1);
  expect(estimate(one, 5n)).toMatch(/^0x/);
  expect(estimate(one, 6n)).toMatchObject({ error: { code: 3 } });
  chain.refuse(token, lower(one));
  expect(estimate(one, 5n)).toMatchObject({ error: { code: 3 } });
});
