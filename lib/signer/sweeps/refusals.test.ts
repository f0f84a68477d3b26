// What a compromised worker can ask for: whatever it sends, a sweep pays the treasury, the delegate or an own deposit
// address, or is refused.

import { randomBytes } from 'node:crypto';
import { Interface, Transaction } from 'ethers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CREATE2_FACTORY,
  deploymentData,
  SWEEP_MANY_SELECTOR,
} from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { callsOn } from '@/lib/signer/calls';
import { Refusal } from '@/lib/signer/refusal';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import {
  batchOf,
  CONTRACT,
  delegate,
  depositAddress,
  HIGHEST_INDEX,
  LOCAL_EVM_CHAINS,
  openSweepScene,
  sweepOf,
  sweepPolicy,
  TREASURY,
  wallets,
} from '@/testing/signer/sweep-scene';
import { seed } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import type { Authorization, EvmSweepOrder } from './orders';

const directory = useTemporaryDirectory();
const token = new Interface(['function transfer(address to, uint256 value)']);
const lower = (address: string | null | undefined): string | undefined => address?.toLowerCase();
const stranger = `0x${randomBytes(20).toString('hex')}`;
const keys = keysFromSeed(seed);
const deposits = Array.from({ length: HIGHEST_INDEX + 1 }, (_, index) => depositAddress(index));

const budgets = new Map(LOCAL_EVM_CHAINS.map(({ network }) => [`${network}@local`, 10n ** 27n]));
const { sweeps, refunds } = openSweepScene(directory, { policy: sweepPolicy(budgets) });
const calls = callsOn(keys, refunds, { sweeps });
const { authorization } = sweeps.authorize({ environment: 'test', network: 'ethereum', index: 0, nonce: 0 });

/** What the signer answers: `invalid` for parameters out of bounds, the code of a refusal, or the result. */
async function answer(call: 'authorize' | 'sweep', params: unknown): Promise<string | object> {
  try {
    // As on the socket.
    return (await calls.get(call)?.(JSON.parse(JSON.stringify(params)))) ?? 'invalid';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const orders = {
  deploy: { kind: 'deploy' },
  batch: batchOf({ authorizations: [authorization] }),
  top_up: { kind: 'top_up', index: 1, amount: '1000000' },
  transfer: { kind: 'transfer', index: 1, contract: CONTRACT, amount: '1000000' },
} satisfies Record<string, EvmSweepOrder>;

test('the unaltered orders are signed', async () => {
  for (const order of Object.values(orders)) expect(await answer('sweep', sweepOf(order))).toHaveProperty('bytes');
});

const feeCap = LOCAL_EVM_CHAINS.find(({ network }) => network === 'ethereum')?.feeCap as bigint;
const altered = (changes: Partial<Authorization>) => ({ authorizations: [{ ...authorization, ...changes }] });

describe('an altered field is refused', () => {
  test.each<[keyof typeof orders, string, object, string]>([
    [
      'batch',
      'the token of another network',
      { contract: '0x55d398326f99059ff775485246999027b3197955' },
      'not_allowed',
    ],
    ['batch', 'a stranger as the token', { contract: stranger }, 'not_allowed'],
    ['batch', 'a token in upper case', { contract: CONTRACT.toUpperCase() }, 'invalid'],
    ['batch', 'more gas for each', { gasEach: 1_000_001 }, 'invalid'],
    ['batch', 'gas as text', { gasEach: '100000' }, 'invalid'],
    ['batch', 'no deposit address', { deposits: [] }, 'invalid'],
    ['batch', 'too many deposit addresses', { deposits: Array(101).fill(deposits[0]) }, 'invalid'],
    ['batch', 'a short deposit address', { deposits: ['0x1'] }, 'invalid'],
    ['batch', 'no list of authorizations', { authorizations: undefined }, 'invalid'],
    ['batch', 'too many authorizations', { authorizations: Array(101).fill(authorization) }, 'invalid'],
    ['batch', 'a foreign delegate', altered({ address: stranger }), 'not_allowed'],
    ['batch', 'the treasury as the delegate', altered({ address: TREASURY }), 'not_allowed'],
    ['batch', 'an end of the delegation', altered({ address: `0x${'0'.repeat(40)}` }), 'not_allowed'],
    ['batch', 'an authorization for every chain', altered({ chainId: 0 }), 'invalid'],
    ['batch', 'an authorization for another chain', altered({ chainId: 1 }), 'not_allowed'],
    ['batch', 'a high nonce in an authorization', altered({ nonce: 9 }), 'invalid'],
    ['batch', 'another parity', altered({ yParity: 27 as 1 }), 'invalid'],
    ['batch', 'a short scalar', altered({ r: '0x01' }), 'invalid'],
    ['batch', 'a long scalar', altered({ s: `${authorization.s}00` }), 'invalid'],
    ['batch', 'a recipient', { to: stranger }, 'invalid'],
    ['batch', 'a value', { value: '1' }, 'invalid'],
    ['batch', 'an index', { index: 1 }, 'invalid'],
    ['deploy', 'data', { data: '0x00' }, 'invalid'],
    ['deploy', 'another treasury', { treasury: stranger }, 'invalid'],
    ['top_up', 'a recipient', { to: stranger }, 'invalid'],
    ['top_up', 'a token', { contract: CONTRACT }, 'invalid'],
    ['top_up', 'no amount', { amount: '0' }, 'invalid'],
    ['top_up', 'a negative amount', { amount: '-1' }, 'invalid'],
    ['top_up', 'a number as the amount', { amount: 1 }, 'invalid'],
    ['top_up', 'more coin than the fee cap', { amount: String(feeCap + 1n) }, 'limit'],
    ['top_up', 'coin that exceeds the cap with the fee', { amount: String(feeCap) }, 'limit'],
    ['top_up', 'an index that was never given', { index: HIGHEST_INDEX + 1 }, 'not_allowed'],
    ['top_up', 'an index below zero', { index: -1 }, 'invalid'],
    ['transfer', 'a recipient', { to: stranger }, 'invalid'],
    ['transfer', 'a stranger as the token', { contract: stranger }, 'not_allowed'],
    ['transfer', 'the treasury as the token', { contract: TREASURY }, 'not_allowed'],
    ['transfer', 'an index that was never given', { index: HIGHEST_INDEX + 1 }, 'not_allowed'],
    ['transfer', 'an index beyond all', { index: 2_147_483_647 }, 'invalid'],
    ['transfer', 'an amount of 257 bits', { amount: String(1n << 256n) }, 'invalid'],
    ['transfer', 'a hexadecimal amount', { amount: '0x10' }, 'invalid'],
    ['transfer', 'another kind', { kind: 'send' }, 'invalid'],
  ])('%s: %s', async (kind, _what, changes, expected) => {
    expect(await answer('sweep', sweepOf({ ...orders[kind], ...changes }))).toBe(expected);
  });

  test.each<[string, object, string]>([
    ['the live environment', { environment: 'live' }, 'not_allowed'],
    ['another environment', { environment: 'local' }, 'invalid'],
    ['a network without a treasury', { network: 'tron' }, 'not_allowed'],
    ['an unknown network', { network: 'nowhere' }, 'not_allowed'],
    ['a negative nonce', { nonce: -1 }, 'invalid'],
    ['a fraction as the nonce', { nonce: 0.5 }, 'invalid'],
    ['a tip above the price', { maxPriorityFeePerGas: '1000000001' }, 'not_allowed'],
    ['a price above the fee cap', { maxFeePerGas: '999999999999' }, 'limit'],
    ['gas above the fee cap', { gasLimit: '9999999999' }, 'limit'],
    ['a number as the gas limit', { gasLimit: 500_000 }, 'invalid'],
    ['a chain id', { chainId: 1 }, 'invalid'],
    ['a sponsor', { from: stranger }, 'invalid'],
    ['a transaction as text', { transaction: '0x02' }, 'invalid'],
  ])('every kind: %s', async (_what, changes, expected) => {
    for (const order of Object.values(orders))
      expect(await answer('sweep', { ...sweepOf(order), ...changes })).toBe(expected);
  });

  test.each<[string, object, string]>([
    ['chain 0', { chainId: 0 }, 'invalid'],
    ['a delegate', { address: stranger }, 'invalid'],
    ['a high nonce', { nonce: 9 }, 'invalid'],
    ['a negative nonce', { nonce: -1 }, 'invalid'],
    ['an index that was never given', { index: HIGHEST_INDEX + 1 }, 'not_allowed'],
    ['a network without a treasury', { network: 'solana' }, 'not_allowed'],
    ['the live environment', { environment: 'live' }, 'not_allowed'],
  ])('authorize: %s', async (_what, changes, expected) => {
    const params = { environment: 'test', network: 'ethereum', index: 0, nonce: 0 };
    expect(await answer('authorize', params)).toEqual({ deposit: deposits[0], authorization });
    expect(await answer('authorize', { ...params, ...changes })).toBe(expected);
  });
});

/** Fails unless the signed transaction can only move tokens to the treasury and coin to own addresses. */
function checkPaysOnlyUs(bytes: string): void {
  const read = Transaction.from(bytes);
  const [from, to] = [lower(read.from), lower(read.to)];
  const spec = LOCAL_EVM_CHAINS.find(({ chainId }) => BigInt(chainId as number) === read.chainId);
  const contracts = Object.values(spec?.tokens ?? {}).map(({ contract }) => contract);
  expect([spec?.chain, read.accessList]).toEqual(['local', []]);
  for (const one of read.authorizationList ?? [])
    expect([lower(one.address), one.chainId]).toEqual([delegate, read.chainId]);
  if (from !== wallets.sponsor) {
    expect(deposits).toContain(from);
    expect(contracts).toContain(to);
    expect([read.value, read.type]).toEqual([0n, 2]);
    return expect(lower(token.decodeFunctionData('transfer', read.data)[0])).toBe(TREASURY);
  }
  if (read.value > 0n) {
    expect(deposits).toContain(to);
    return expect([read.data, read.type]).toEqual(['0x', 2]);
  }
  if (to === CREATE2_FACTORY) return expect([read.data, read.type]).toEqual([deploymentData(wallets), 2]);
  expect(to).toBe(delegate);
  expect(read.data.slice(0, 10)).toBe(`0x${SWEEP_MANY_SELECTOR}`);
  expect(contracts).toContain(`0x${read.data.slice(34, 74)}`);
}

/** Values of every kind, among them those that another field of a valid order has. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    stranger,
    TREASURY,
    delegate,
    CONTRACT,
    ...deposits,
    ...Object.values(wallets),
    CREATE2_FACTORY,
  ),
  fc.constantFrom<unknown>('ethereum', 'bsc', 'base', 'live', 'test', 'deploy', 'batch', 'top_up', 'transfer'),
  fc.constantFrom<unknown>(authorization, [authorization], [], {}, null, true, 0, '0', '0x', -1, 1.5, ''),
  ...[
    fc.integer({ min: 0, max: 12 }),
    fc.bigInt({ min: 0n, max: 10n ** 18n }).map(String),
    fc.jsonValue({ maxDepth: 1 }),
  ],
);
const fields = ['environment', 'network', 'nonce', 'maxFeePerGas', 'maxPriorityFeePerGas', 'gasLimit', 'chainId', 'to'];
const inner = ['kind', 'index', 'amount', 'contract', 'gasEach', 'deposits', 'authorizations', 'to', 'data', 'value'];
const alteration = fc.record({
  isInner: fc.boolean(),
  field: fc.constantFrom(...fields),
  innerField: fc.constantFrom(...inner),
  value: anything,
});
const validNetwork = fc.constantFrom(...LOCAL_EVM_CHAINS);

test('whatever is asked for, a signed sweep pays only the treasury, the delegate or an own deposit address', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(orders)),
      validNetwork,
      fc.array(alteration, { maxLength: 2 }),
      async (order, spec, alterations) => {
        const contract = Object.values(spec.tokens)[0]?.contract;
        const transaction: Record<string, unknown> = { ...order };
        if ('contract' in order) transaction.contract = contract;
        const params: Record<string, unknown> = { ...sweepOf(order), network: spec.network };
        // Cheap enough for every row.
        params.maxFeePerGas = params.maxPriorityFeePerGas = '100';
        for (const { isInner, field, innerField, value } of alterations) {
          if (isInner) transaction[innerField] = value;
          else params[field] = value;
        }
        const given = await answer('sweep', { ...params, transaction });
        const outcome = typeof given === 'string' ? given : 'signed';
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        if (typeof given !== 'string') checkPaysOnlyUs((given as { bytes: string }).bytes);
      },
    ),
    { numRuns: 1500 },
  );
  // The property was about something: many orders were signed and many refused.
  for (const outcome of ['signed', 'invalid', 'not_allowed']) expect(seen.get(outcome)).toBeGreaterThan(50);
}, 120_000);
