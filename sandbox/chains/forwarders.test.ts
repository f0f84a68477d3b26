// The contract of forwarders (lib/networks/families/tron/sweeping/forwarders.sol) on the local TRON chain: where money goes, who may move
// it, and what stops one address without stopping the others.

import { AbiCoder, Interface, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  FLUSH_SELECTOR,
  flushParameters,
  forwarderAddress,
  forwardersCreation,
  forwardersRuntime,
  type ForwarderWallets,
} from '@/lib/networks/families/tron/sweeping/forwarders';
import { fromEvm, readAddress, toBase58, toEvm } from './tron/address';
import type { Signer } from './tron/pay';
import { startTronNode, type TronNode } from './tron/start';
import { callContract, deployCode, deployForwarders, grantCoin, sendTo } from './tron/sweeping';

const EACH = 1_000_000n;
const TRX = 1_000_000n;
const abi = new Interface([
  'function addBlackList(address)',
  'function setPaused(bool)',
  'function transfer(address,uint256)',
  'function move(address,uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Skipped(address indexed deposit, address indexed token)',
]);
const topicOf = (name: string): string => abi.getEvent(name)!.topicHash.slice(2);
const hexOf = (address: string): string => readAddress(address) as string;
const newSigner = (): Signer => {
  const wallet = Wallet.createRandom();
  return { address: fromEvm(wallet.address), key: wallet.privateKey };
};
const [sponsor, spare, treasury, stranger] = [newSigner(), newSigner(), newSigner(), newSigner()];
const wallets: ForwarderWallets = {
  treasury: toBase58(treasury.address),
  sponsor: toBase58(sponsor.address),
  spareSponsor: toBase58(spare.address),
};

let node: TronNode;
let factory: string;
let usdt: string;
beforeAll(async () => {
  node = await startTronNode({ blockMs: null });
  usdt = node.spec.tokens.USDT!.contract;
  for (const one of [sponsor, spare, treasury, stranger]) await grantCoin(node, one.address);
  factory = await deployForwarders(node, sponsor, wallets);
}, 60_000);
afterAll(() => node.stop());

/** New deposit addresses with so many cents of USDT. */
async function paid(count: number, cents = 1_00n) {
  const deposits = Array.from({ length: count }, () => {
    const salt = Wallet.createRandom().address.toLowerCase();
    return { salt, address: forwarderAddress(factory, salt) };
  });
  for (const { address } of deposits) await pay(address, cents);
  return deposits;
}
const pay = (recipient: string, cents = 1_00n) => node.pay({ currency: 'USDT', recipient, cents, scenario: 'exact' });
const held = (address: string) => node.balance(address, 'USDT');
const inTreasury = () => held(wallets.treasury);
type Deposits = readonly { readonly salt: string; readonly address: string }[];
const flushData = (deposits: Deposits, token = usdt, each = EACH): string =>
  FLUSH_SELECTOR +
  flushParameters(
    token,
    each,
    deposits.map(({ salt }) => salt),
  );
const flush = (deposits: Deposits, { from = sponsor, at = factory, feeLimit = undefined as number | undefined } = {}) =>
  callContract(node, from, at, flushData(deposits), feeLimit);
const named = (logs: Awaited<ReturnType<typeof flush>>['logs'], name: string): string[] =>
  logs.filter(({ topics }) => topics[0] === topicOf(name)).map(({ topics }) => toBase58(`41${topics[1]!.slice(24)}`));
const hasCode = (address: string): boolean => node.chain.state.account(hexOf(address)).contract !== null;
const issue = async (name: 'addBlackList' | 'setPaused', value: string | boolean) => {
  const { origin_address: from } = node.chain.state.account(hexOf(usdt)).contract as { origin_address: string };
  const data = abi.encodeFunctionData(name, [typeof value === 'string' ? toEvm(hexOf(value)) : value]);
  const { number, time, witness } = node.chain.head();
  const run = { from, to: hexOf(usdt), data: Buffer.from(data.slice(2), 'hex'), value: 0n, energyLimit: 10_000_000n };
  const block = { number, time, witness: witness.address };
  await node.chain.exclusively(() => node.chain.engine.machine.call(run, block));
};

it('the code on the chain is the one that is compared, and no other wallets give the same', () => {
  return node.chain.exclusively(async () => {
    const { Address } = await import('@ethereumjs/util');
    const stored = await node.chain.state.getCode(new Address(Buffer.from(hexOf(factory).slice(2), 'hex')));
    const code = Buffer.from(stored).toString('hex');
    expect(code).toBe(forwardersRuntime(factory, wallets));
    for (const name of ['treasury', 'sponsor', 'spareSponsor'] as const)
      expect(code).not.toBe(forwardersRuntime(factory, { ...wallets, [name]: toBase58(stranger.address) }));
    expect(code).not.toBe(forwardersRuntime(toBase58(stranger.address), wallets));
  });
});

it('creates twenty forwarders and moves the whole balance of each to the treasury, by one transaction', async () => {
  const deposits = await paid(20);
  const before = await inTreasury();
  const { outcome, logs } = await flush(deposits);
  expect(outcome).toBe('SUCCESS');
  expect(named(logs, 'Transfer')).toEqual(deposits.map(({ address }) => address));
  expect(named(logs, 'Skipped')).toEqual([]);
  expect((await inTreasury()) - before).toBe(20_000_000n);
  for (const { address } of deposits) expect(await held(address)).toBe(0n);
});

it('a later payment is moved by another flush, for less energy', async () => {
  const deposits = await paid(10);
  const first = await flush(deposits);
  for (const { address } of deposits) await pay(address);
  const before = await inTreasury();
  const later = await flush(deposits);
  expect((await inTreasury()) - before).toBe(10_000_000n);
  expect(later.energy).toBeLessThan(first.energy - 10 * 40_000);
});

it('creates no forwarder for an address that holds nothing', async () => {
  const salt = Wallet.createRandom().address.toLowerCase();
  const address = forwarderAddress(factory, salt);
  const { outcome, logs } = await flush([{ salt, address }]);
  expect([outcome, logs, hasCode(address)]).toEqual(['SUCCESS', [], false]);
});

it('one address that the issuer blocked is reported and keeps its money, and the others move', async () => {
  const deposits = await paid(20);
  await issue('addBlackList', deposits[7]!.address);
  const { outcome, logs } = await flush(deposits);
  expect(outcome).toBe('SUCCESS');
  expect(named(logs, 'Skipped')).toEqual([deposits[7]!.address]);
  for (const [at, { address }] of deposits.entries()) expect(await held(address)).toBe(at === 7 ? 1_000_000n : 0n);
});

it('a paused token moves nothing and loses nothing', async () => {
  const deposits = await paid(2);
  await issue('setPaused', true);
  const { outcome, logs } = await flush(deposits);
  await issue('setPaused', false);
  expect([outcome, named(logs, 'Skipped')]).toEqual(['SUCCESS', deposits.map(({ address }) => address)]);
  for (const { address } of deposits) expect(await held(address)).toBe(1_000_000n);
});

it('too little energy moves nothing, and the next flush moves everything', async () => {
  const deposits = await paid(5);
  const before = await inTreasury();
  for (const feeLimit of [3_000_000, 20_000_000, 30_000_000]) {
    const { outcome } = await flush(deposits, { feeLimit });
    expect(outcome).not.toBe('SUCCESS');
    expect(await inTreasury()).toBe(before);
  }
  await flush(deposits);
  expect((await inTreasury()) - before).toBe(5_000_000n);
});

it('too little energy for each address moves nothing, and says so', async () => {
  const deposits = await paid(2);
  const data = flushData(deposits, usdt, 20_000n);
  const { outcome, logs } = await callContract(node, sponsor, factory, data);
  expect([outcome, named(logs, 'Skipped')]).toEqual(['SUCCESS', deposits.map(({ address }) => address)]);
  for (const { address } of deposits) expect(await held(address)).toBe(1_000_000n);
});

it.each([
  ['the spare sponsor', spare, 'SUCCESS'],
  ['the treasury', treasury, 'SUCCESS'],
  ['a stranger', stranger, 'REVERT'],
])('%s may call it or not', async (_who, from, expected) => {
  const deposits = await paid(1);
  const { outcome } = await flush(deposits, { from });
  expect(outcome).toBe(expected);
  expect(await held(deposits[0]!.address)).toBe(expected === 'SUCCESS' ? 0n : 1_000_000n);
});

it('a stranger who calls a forwarder, or the code of forwarders at the contract itself, moves nothing', async () => {
  const deposits = await paid(1);
  await flush(deposits);
  const [deposit] = deposits;
  await pay(deposit!.address);
  const move = abi.encodeFunctionData('move', [toEvm(hexOf(usdt)), 1_000_000n]).slice(2);
  const calls = [
    callContract(node, stranger, deposit!.address, move),
    callContract(node, stranger, deposit!.address, flushData(deposits)),
    callContract(node, sponsor, deposit!.address, flushData(deposits)),
    callContract(node, sponsor, deposit!.address, move),
    callContract(node, sponsor, factory, move),
  ];
  for (const { outcome } of await Promise.all(calls)) expect(outcome).toBe('REVERT');
  expect(await held(deposit!.address)).toBe(1_000_000n);
});

it('a stranger with the same code and salts gets other addresses, whose money goes to the treasury in their code', async () => {
  const [deposit] = await paid(1);
  const theirs = { treasury: toBase58(stranger.address), sponsor: toBase58(stranger.address) };
  const foreign = await deployForwarders(node, stranger, { ...wallets, ...theirs });
  expect(forwarderAddress(foreign, deposit!.salt)).not.toBe(deposit!.address);
  // Also the same code with our own wallets is another contract with other addresses.
  const twin = await deployForwarders(node, stranger, wallets);
  expect(forwarderAddress(twin, deposit!.salt)).not.toBe(deposit!.address);
  await flush([deposit!], { from: stranger, at: foreign });
  await flush([deposit!], { at: twin });
  expect(await held(deposit!.address)).toBe(1_000_000n);
  await flush([deposit!]);
  expect(await held(deposit!.address)).toBe(0n);
});

it('coin that was sent to an address before its forwarder exists goes to the treasury too', async () => {
  const [deposit] = await paid(1);
  const amount = Number(5n * TRX);
  await sendTo(node, stranger, 'TransferContract', { to_address: hexOf(deposit!.address), amount });
  const { balance } = node.chain.state.account(treasury.address);
  const zero = toBase58(`41${'00'.repeat(20)}`);
  const { outcome } = await callContract(node, sponsor, factory, flushData([deposit!], zero));
  expect(outcome).toBe('SUCCESS');
  expect(node.chain.state.account(treasury.address).balance - balance).toBe(5n * TRX);
  await flush([deposit!]);
  expect(await held(deposit!.address)).toBe(0n);
  // The network refuses coin for an address that has a forwarder.
  const again = sendTo(node, stranger, 'TransferContract', { to_address: hexOf(deposit!.address), amount });
  await expect(again).rejects.toThrow(/smartContract/);
});

it('the arguments of a flush are those of the ABI', () => {
  const salts = ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'];
  const words = salts.map((salt) => `0x${salt.slice(2).padStart(64, '0')}`);
  const encoded = AbiCoder.defaultAbiCoder().encode(
    ['address', 'uint256', 'bytes32[]'],
    [toEvm(hexOf(usdt)), EACH, words],
  );
  expect(`0x${flushParameters(usdt, EACH, salts)}`).toBe(encoded);
});

it('creation costs energy once, and fits into one transaction', async () => {
  const { outcome, energy } = await deployCode(node, sponsor, forwardersCreation(wallets));
  expect(outcome).toBe('SUCCESS');
  expect(energy).toBeLessThan(600_000);
});
