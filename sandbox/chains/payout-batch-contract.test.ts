// The contract of batches on a real EVM node, with a token that returns nothing and one that returns true: what it moves, whose tokens it
// can move, and what hostile tokens and payees can do to it. Prints the gas of each payee.

import { Interface, Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  batchData,
  batchGasLimit,
  MAX_BATCH,
  PAYOUT_BATCH,
  SKIPPED_TOPIC,
  type BatchItem,
} from '@/lib/networks/families/evm/batching/payout-batch';
import { compileContract } from '@/testing/evm/compile-contract';
import { newAddress, openBatchChain } from '@/testing/payouts/batch-chain';
import { EVM_NETWORKS } from './evm/start';
import { newWallet, Sweeping } from './evm/sweeping';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const AMOUNT = 1_000_000n;
const GAS_EACH = 126_000n;
const erc20 = new Interface([
  'function approve(address spender, uint256 value)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);

let chain: LocalNetwork;
let sweeping: Sweeping;
let on: ReturnType<typeof openBatchChain>;
let payer: Wallet;
let snapshot: string;

beforeAll(async () => {
  chain = await startTestEvm(EVM_NETWORKS[0]);
  sweeping = await Sweeping.open(chain);
  on = openBatchChain(chain);
  payer = new Wallet(chain.payer.privateKey);
}, 60_000);
afterAll(() => chain.stop());
beforeEach(async () => void (snapshot = await sweeping.rpc('evm_snapshot')));
afterEach(() => sweeping.rpc('evm_revert', snapshot));

const tokenOf = (currency: string): string => chain.spec.tokens[currency]!.contract.toLowerCase();
const approve = (token: string, value: bigint, from = payer) =>
  sweeping.send(from, { to: token, data: erc20.encodeFunctionData('approve', [PAYOUT_BATCH, value]) });
const allowed = async (token: string, owner = payer.address): Promise<bigint> =>
  BigInt(
    await sweeping.rpc(
      'eth_call',
      { to: token, data: erc20.encodeFunctionData('allowance', [owner, PAYOUT_BATCH]) },
      'latest',
    ),
  );
const items = (count: number): BatchItem[] =>
  Array.from({ length: count }, () => ({ to: newAddress(), amount: AMOUNT }));
const held = (token: string, { to }: BatchItem) => sweeping.holds(token, { address: to });

type Landed = { succeeded: boolean; gas: bigint; skipped: readonly number[] };
async function pay(
  token: string,
  paid: readonly BatchItem[],
  given: { gasLimit?: bigint; from?: Wallet } = {},
): Promise<Landed> {
  const { from = payer, gasLimit = batchGasLimit(paid.length, GAS_EACH) } = given;
  const data = `0x${batchData({ token, gasEach: GAS_EACH, items: paid })}`;
  const before = await on.used(from.address);
  const { succeeded, gas } = await sweeping.send(from, { to: PAYOUT_BATCH, data, gasLimit });
  expect(await on.used(from.address)).toBe(before + 1);
  const logs = await sweeping.rpc<{ data: string }[]>('eth_getLogs', {
    fromBlock: 'latest',
    toBlock: 'latest',
    address: PAYOUT_BATCH,
    topics: [SKIPPED_TOPIC],
  });
  return { succeeded, gas, skipped: logs.map((log) => Number(log.data)) };
}

it.each(['USDT', 'USDC'])(
  'pays fifty new holders of %s in one transaction, and fifty holders again for less',
  async (currency) => {
    const token = tokenOf(currency);
    await approve(token, 1_000n * AMOUNT);
    const paid = items(MAX_BATCH);
    const first = await pay(token, paid);
    expect(first).toMatchObject({ succeeded: true, skipped: [] });
    for (const one of paid) expect(await held(token, one)).toBe(AMOUNT);
    const again = await pay(token, paid);
    expect(again).toMatchObject({ succeeded: true, skipped: [] });
    expect(await allowed(token)).toBe(900n * AMOUNT);
    const each = (gas: bigint) => gas / BigInt(MAX_BATCH);
    console.log(
      `gas of each payee in a batch of ${MAX_BATCH}, ${currency}: ${each(first.gas)} new holder, ${each(again.gas)} holder`,
    );
    expect(each(first.gas)).toBeLessThan(31_000n);
    expect(each(again.gas)).toBeLessThan(14_000n);
  },
);

it('moves the tokens of its caller only, whatever other accounts have allowed it', async () => {
  const token = tokenOf('USDT');
  await approve(token, 1_000n * AMOUNT);
  const stranger = newWallet();
  await sweeping.addCoin(stranger);
  const paid = items(3);
  expect(await pay(token, paid, { from: stranger })).toMatchObject({ succeeded: true, skipped: [0, 1, 2] });
  for (const one of paid) expect(await held(token, one)).toBe(0n);
  expect(await allowed(token)).toBe(1_000n * AMOUNT);
});

it('never moves more than the allowance', async () => {
  const token = tokenOf('USDC');
  await approve(token, 2n * AMOUNT);
  expect(await pay(token, items(4))).toMatchObject({ succeeded: true, skipped: [2, 3] });
  expect(await allowed(token)).toBe(0n);
});

it('one payee that the issuer blocked stops no other one', async () => {
  const token = tokenOf('USDC');
  await approve(token, 1_000n * AMOUNT);
  const paid = items(20);
  await on.block(paid[7]!.to, 'USDC');
  expect(await pay(token, paid)).toMatchObject({ succeeded: true, skipped: [7] });
  for (const [at, one] of paid.entries()) expect(await held(token, one)).toBe(at === 7 ? 0n : AMOUNT);
});

it('a gas limit that is too short moves nothing at all, and never skips a payee that more gas would pay', async () => {
  const token = tokenOf('USDT');
  await approve(token, 1_000n * AMOUNT);
  const paid = items(4);
  const outcomes = new Set<string>();
  for (let gasLimit = 60_000n; gasLimit < 400_000n; gasLimit += 7_000n) {
    const before = await sweeping.rpc('evm_snapshot');
    const { succeeded, skipped } = await pay(token, paid, { gasLimit });
    expect(skipped).toEqual([]);
    const moved = await Promise.all(paid.map((one) => held(token, one)));
    expect(moved).toEqual(paid.map(() => (succeeded ? AMOUNT : 0n)));
    outcomes.add(String(succeeded));
    await sweeping.rpc('evm_revert', before);
  }
  expect(outcomes).toEqual(new Set(['true', 'false']));
});

describe('a token', () => {
  const place = async (body: string): Promise<string> => {
    const address = newAddress();
    const source = `pragma solidity ^0.8.24; contract Odd { fallback() external { assembly { ${body} } } }`;
    await sweeping.rpc('anvil_setCode', address, compileContract('Odd', source).deployed);
    return address;
  };

  it.each([
    ['nothing', true, 'return(0, 0)'],
    ['true', true, 'mstore(0, 1) return(0, 32)'],
    ['true with more data behind it', true, 'mstore(0, 1) return(0, 96)'],
    ['false', false, 'mstore(0, 0) return(0, 32)'],
    ['a number that is no boolean', false, 'mstore(0, 2) return(0, 32)'],
    ['one byte', false, 'mstore(0, not(0)) return(0, 1)'],
    ['megabytes', false, 'return(0, 3000000)'],
    ['an error', false, 'revert(0, 0)'],
    ['never', false, 'for {} 1 {} {}'],
  ])('that answers %s counts as moved: %s', async (_answer, isMoved, body) => {
    const { succeeded, skipped, gas } = await pay(await place(body), items(2));
    expect({ succeeded, skipped }).toEqual({ succeeded: true, skipped: isMoved ? [] : [0, 1] });
    expect(gas).toBeLessThan(batchGasLimit(2, GAS_EACH));
  });

  it('that burns all gas for one payee pays the others, also when that is all but the last', async () => {
    const burning = items(MAX_BATCH - 1);
    const honest = items(1)[0]!;
    const isHonest = `eq(calldataload(36), ${honest.to})`;
    const token = await place(`if ${isHonest} { mstore(0, 1) return(0, 32) } for {} 1 {} {}`);
    const { succeeded, skipped, gas } = await pay(token, [...burning, honest]);
    expect({ succeeded, skipped }).toEqual({ succeeded: true, skipped: burning.map((_, at) => at) });
    expect(gas).toBeGreaterThan(BigInt(burning.length) * GAS_EACH);
  });

  it('that calls back cannot move another token of the payer', async () => {
    const usdt = tokenOf('USDT');
    await approve(usdt, 1_000n * AMOUNT);
    const thief = items(1);
    const attack = batchData({ token: usdt, gasEach: 50_000n, items: thief });
    const store = (attack.match(/.{1,64}/g) ?? [])
      .map((word, at) => `mstore(${at * 32}, 0x${word.padEnd(64, '0')})`)
      .join(' ');
    const token = await place(
      `${store} pop(call(gas(), ${PAYOUT_BATCH}, 0, 0, ${attack.length / 2}, 0, 0)) mstore(0, 1) return(0, 32)`,
    );
    expect((await pay(token, items(1))).succeeded).toBe(true);
    expect(await held(usdt, thief[0]!)).toBe(0n);
    expect(await allowed(usdt)).toBe(1_000n * AMOUNT);
  });

  it('without code is refused', async () => {
    expect(await pay(newAddress(), items(2))).toMatchObject({ succeeded: false });
  });
});
