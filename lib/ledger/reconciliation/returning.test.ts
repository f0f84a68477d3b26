// The comparison of the refund wallet while money of the cold wallet is on its way to it: the arrival is neither the operator's funding
// nor a discrepancy, before and after it is booked.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readRefundWallet } from '@/lib/ledger/balances';
import { postColdReturn } from '@/lib/ledger/post-cold';
import { postFunding } from '@/lib/ledger/post-refund';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import type { SignerState } from '@/lib/signer/client';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { readDiscrepancies } from './discrepancies';
import { reconcileWith } from './step';

const START = 1_800_000_000;
const WALLET = '0x00000000000000000000000000000000000000aa';
const USD = 1_000_000n;
const local = NETWORKS.find((row) => row.network === 'ethereum' && row.chain === 'local') as NetworkSpec;
// A local chain begins anew with other coins.
const spec: NetworkSpec = { ...local, chain: 'mainnet' };
const asset = { environment: 'test', network: 'ethereum', currency: 'USDT' } as const;

let db: TestDatabase;
let clock: TestClock;
let context: Context;
let chainId: number;
let genesis: string;
let tip: number;
/** What the chain shows, and the block of the reading. */
let wallet: bigint;
let readAt: number;
let frozen: string[];
let returns = 0;

const block = (number: number) => ({ number, hash: `0x${number}`, parentHash: '0x', time: START + number });
const reader: BalanceReader = {
  most: 4,
  tokens: async (holdings, currency) => {
    const amount = currency === 'USDT' ? wallet : 0n;
    return new Map(holdings.map(({ address }) => [address, { amount, from: block(readAt), through: block(readAt) }]));
  },
  feeCoin: async () => ({ amount: 10n ** 18n, stake: null }),
};
const signer = {
  state: async () => ({ wallets: { test: { evm: WALLET }, live: { evm: WALLET } } }) as unknown as SignerState,
  freeze: async (reason: string) => void frozen.push(reason),
};

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock(START);
  context = testContext(db, clock, testConfig());
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  chainId = await makeChain(db, 'ethereum', START);
  genesis = (await db.prisma.chain.findUniqueOrThrow({ where: { id: chainId } })).genesis;
  [tip, frozen, wallet] = [90, [], 100n * USD];
  const amount = wallet - (await ledger());
  if (amount !== 0n) await transaction(db.pool, (tx) => postFunding(tx, 'test', { ...asset, amount }));
});

const ledger = () => readRefundWallet(db.pool, asset);
const open = async () =>
  (await readDiscrepancies(context, { isOpenOnly: true })).filter((one) => one.chainId === chainId);

/** Each run is later and reads a later block, unless `at` names one. */
async function step(times = 1, at: number | null = null): Promise<void> {
  const adapter = { genesis: async () => genesis } as unknown as FollowedChain['adapter'];
  const chain = { environment: spec.environment, network: 'ethereum', spec, adapter };
  for (let left = times; left > 0; left--) {
    clock.advance(400);
    tip += 10;
    readAt = at ?? tip;
    await db.pool.query('UPDATE chains SET tip_number = $2, final_number = $2 WHERE id = $1', [chainId, tip]);
    await reconcileWith({ ...chain, environment: 'test' }, { reader, signer })(context);
  }
}

/** A return of 40 USDT that is signed, unless it only waits for its signature. */
async function returning(isSigned = true, account: object | null = null, unsigned = '0x'): Promise<string> {
  const id = `cr_${String(++returns).padStart(22, '0')}`;
  const signed = isSigned ? ['0x02', `0x${id}`, clock.now()] : [null, null, null];
  await db.pool.query(
    `INSERT INTO cold_returns (id, request_id, position, request_sha256, environment, network, chain_id, currency, amount, sender, recipient,
       unsigned, created_at, expires_at, signed_bytes, transaction_hash, signed_at, account)
     VALUES ($1 || '_1', $1, 1, 'x', 'test', 'ethereum', $2, 'USDT', $3, '0xc', $4, $10, $5, $5::timestamptz + interval '1 day', $6, $7, $8, $9)`,
    [id, chainId, String(40n * USD), WALLET, clock.now(), ...signed, account, unsigned],
  );
  return `${id}_1`;
}
const end = (id: string, outcome: 'landed' | 'lapsed' | 'given_up', at: number | null) =>
  transaction(db.pool, async (tx) => {
    await tx.query('UPDATE cold_returns SET outcome = $2, block_number = $3, ended_at = now() WHERE id = $1', [
      id,
      outcome,
      at,
    ]);
    const { environment, ...moved } = { ...asset, amount: 40n * USD };
    if (outcome === 'landed') await postColdReturn(tx, { intentId: id, environment, moved });
  });

it('does not book the arrival as funding, however long it takes to be final', async () => {
  await step(2);
  const id = await returning();
  wallet += 40n * USD;
  await step(5);
  expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
  await end(id, 'landed', tip + 1);
  await step(3);
  expect([await ledger(), await open(), frozen]).toEqual([140n * USD, [], []]);
});

/** As lib/cold-storage/accounts/safe-transaction.ts writes it: the tenth word is the nonce. */
const safeTx = (nonce: number): string =>
  `0x${Array.from({ length: 14 }, (_, at) => (at === 9 ? nonce : 7).toString(16).padStart(64, '0')).join('')}`;

it('books what arrives beyond the one of several requests of a Safe’s nonce that can land', async () => {
  await step(2);
  for (let count = 0; count < 3; count++) await returning(count > 0, { kind: 'safe' }, safeTx(5));
  wallet += 60n * USD;
  await step(3);
  expect([await ledger(), await open(), frozen]).toEqual([120n * USD, [], []]);
});

it('books nothing while requests of different nonces may both have landed', async () => {
  await step(2);
  for (const nonce of [5, 6]) await returning(true, { kind: 'safe' }, safeTx(nonce));
  wallet += 80n * USD;
  await step(3);
  expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
});

it('finds no deficit by a reading from before the arrival, after the ledger has it', async () => {
  await step(2);
  const id = await returning();
  const earlier = tip;
  await end(id, 'landed', tip + 5);
  await step(3, earlier);
  expect([await open(), frozen]).toEqual([[], []]);
  // The neighbour: what is missing at a later block is missing.
  await step(2);
  expect([(await open()).length, frozen.length > 0]).toEqual([1, true]);
});

it('books what arrives beyond the return as funding', async () => {
  await step(2);
  await returning();
  wallet += 65n * USD;
  await step(3);
  expect([await ledger(), await open()]).toEqual([125n * USD, []]);
});

it('does not book an arrival as funding that the owners of a Safe have executed elsewhere, and an unsigned one of a plain wallet is funding', async () => {
  await step(2);
  const id = await returning(false, { kind: 'safe' });
  wallet += 40n * USD;
  await step(5);
  expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
  await end(id, 'landed', tip + 1);
  await step(3);
  expect([await ledger(), await open(), frozen]).toEqual([140n * USD, [], []]);
  await expect(end(await returning(false), 'landed', tip + 1)).rejects.toThrow('cold_returns_outcome');
});

it('books an arrival as funding where no return is signed, or the signed one can no longer land', async () => {
  await step(2);
  await returning(false);
  await end(await returning(), 'lapsed', null);
  wallet += 40n * USD;
  await step(3);
  expect([await ledger(), await open()]).toEqual([140n * USD, []]);
});

it('books the money of a given-up return as funding once, and tells operators in the audit log', async () => {
  const told = async () =>
    (await db.prisma.auditEntry.findMany({ where: { action: 'cold_return.may_have_arrived' } })).map(
      (one) => one.target,
    );
  await step(2);
  const id = await returning();
  // It had landed, and no endpoint could say so.
  wallet += 40n * USD;
  await step(3);
  await end(id, 'given_up', null);
  expect([await ledger(), await told()]).toEqual([100n * USD, []]);
  await step(4);
  expect([await ledger(), await open(), frozen]).toEqual([140n * USD, [], []]);
  expect(await told()).toEqual([`cold_return/${id}`]);
  // The neighbour: further funding is not of the return, and neither is less than it.
  wallet += 40n * USD;
  await step(3);
  await end(await returning(), 'given_up', null);
  wallet += 39n * USD;
  await step(3);
  expect([await ledger(), await told()]).toEqual([219n * USD, [`cold_return/${id}`]]);
});

it('freezes for a deficit also while a return is on its way', async () => {
  await step(2);
  await returning();
  wallet -= 10n * USD;
  await step(2);
  expect([(await open()).length, frozen.length > 0]).toEqual([1, true]);
});
