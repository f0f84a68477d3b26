// A theft on TRON freezes signing within a minute after its block: of tokens, by the list of a node's JSON-RPC and block by block, and of coin.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testContext } from '@/testing/fixtures';
import { startFakeTronNode } from '@/testing/tron/fake-tron-node';
import {
  localTron,
  TRON_OTHER,
  TRON_OURS,
  TRON_PAYER,
  TRON_STRANGER,
  TRON_T0,
  tronDecimals,
  tronUsdt,
} from '@/testing/tron/tron-pair';
import { hexOf, transferLog, type TronTransaction } from '@/testing/tron/tron-shapes';
import { watchedSession } from '@/testing/watching/watched-session';
import type { FreezingSigner } from './freeze';
import { tipOutflowStep } from './step';

const [REFUND_WALLET, TREASURY, SPONSOR] = [TRON_OURS, TRON_OTHER, TRON_PAYER];
const TRON_DEPOSIT = tronAddress('d7'.repeat(20));
const TICK_SECONDS = 5;
const BLOCK_SECONDS = 3;

let db: TestDatabase;
let close = async (): Promise<void> => {};
beforeAll(async () => {
  db = await openTestDatabase();
  const { id } = await watchedSession(db.pool, { createdAt: TRON_T0 + 10, networks: ['tron'] });
  await db.pool.query('UPDATE sessions SET tron_address = $2 WHERE id = $1', [id, TRON_DEPOSIT]);
});
afterAll(() => db.close());
afterEach(async () => {
  await close();
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
});

async function open(jsonRpc: boolean) {
  const clock = openTestClock(TRON_T0 + 300);
  const node = await startFakeTronNode({ decimals: tronDecimals(), time: TRON_T0, jsonRpc });
  close = node.close;
  // An endpoint proves its list by transfers of others.
  const others = transferLog(tronUsdt, TRON_STRANGER, tronAddress('ee'.repeat(20)), 1n);
  for (let number = 0; number < 100; number++) node.mine([{ logs: [others] }]);
  const adapter = openTronAdapter({ spec: localTron, urls: [node.url], clock, log: silentLog(), timeoutMs: 3000 });
  const chain = {
    environment: 'test' as const,
    network: 'tron',
    spec: { ...localTron, chain: 'mainnet' as const },
    adapter,
  };
  const genesis = await adapter.genesis();
  await db.pool.query(
    `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time)
     VALUES ('test', 'tron', $1, 0, $1, 0, $1, now())`,
    [genesis],
  );
  const held = { reason: null as string | null };
  const addresses = { evm: '', tron: REFUND_WALLET, solana: '' };
  const sweeps = [
    {
      network: 'tron@mainnet',
      environment: 'test',
      treasury: TREASURY,
      ...{ sponsor: SPONSOR, spareSponsor: SPONSOR, active: SPONSOR },
    },
  ];
  const wallets = { live: addresses, test: addresses };
  const signer = {
    freeze: async (reason: string) => void (held.reason ??= reason),
    signedSweeps: async () => [],
    state: async () => ({
      wallets,
      sweeps,
      frozen: held.reason !== null,
      reason: held.reason,
      journal: { records: 0 },
    }),
  } as unknown as FreezingSigner;
  const settings = { TREASURY_WALLETS: [`tron@mainnet=${TREASURY}`], COLD_WALLETS: [] };
  const step = tipOutflowStep(chain, { endpoints: [adapter], needed: 1 }, settings, signer);
  const context = testContext(db, clock);
  await step(context);
  return {
    /** Returns the transaction's hash. */
    send: (from: string, to: string): string =>
      node.mine([{ logs: [transferLog(tronUsdt, from, to, 7n)] }]).transactions.at(-1)!.id,
    /** A transaction of a wallet as the node lists it. Returns its hash. */
    order: (owner: string, type: string, value: object = {}): string =>
      node.mine([{ owner, type, value, result: null } satisfies TronTransaction]).transactions.at(-1)!.id,
    node,
    reasons: () => held.reason,
    chainId: Number((await db.pool.query('SELECT id FROM chains WHERE retired_at IS NULL')).rows[0]?.id),
    requests: () => [...node.calls.values()].reduce((sum, count) => sum + count, 0),
    /** Runs the step as the worker does while the chain goes on. */
    secondsUntilFrozen: async (most = 120, mayFail = false) => {
      for (let seconds = TICK_SECONDS; seconds <= most; seconds += TICK_SECONDS) {
        clock.advance(1000 * TICK_SECONDS);
        while (node.blocks.at(-1)!.time < clock.now().getTime() - 1000 * BLOCK_SECONDS) node.mine();
        await (mayFail ? step(context).catch(() => null) : step(context));
        if (held.reason !== null) return seconds;
      }
      return null;
    },
  };
}

const payment = (chainId: number, hash: string, intent: string) =>
  db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
     VALUES ($1, 1, $2, 'signed', '{}', $3, '0x', '{}', now(), now())`,
    [intent, chainId, hash],
  );

const WAYS = [true, false];

it.each(WAYS.flatMap((jsonRpc) => [REFUND_WALLET, SPONSOR].map((wallet) => [wallet, jsonRpc] as const)))(
  'tokens that leave %s without an intent freeze signing within a minute (by the list: %s)',
  async (wallet, jsonRpc) => {
    const { send, secondsUntilFrozen } = await open(jsonRpc);
    send(wallet, TRON_STRANGER);
    expect(await secondsUntilFrozen()).toBeLessThan(60);
  },
);

it.each(WAYS)(
  'tokens that leave a deposit address freeze signing within a minute, unless they go to the treasury',
  async (jsonRpc) => {
    const { send, secondsUntilFrozen } = await open(jsonRpc);
    const { id } = await watchedSession(db.pool, { createdAt: TRON_T0 + 10, networks: ['tron'] });
    const deposit = tronAddress((jsonRpc ? 'd0' : 'd1').repeat(20));
    await db.pool.query('UPDATE sessions SET tron_address = $2 WHERE id = $1', [id, deposit]);
    // Anyone may flush a forwarder to the treasury.
    send(deposit, TREASURY);
    expect(await secondsUntilFrozen()).toBeNull();
    send(deposit, TRON_STRANGER);
    expect(await secondsUntilFrozen()).toBeLessThan(60);
  },
);

it.each(WAYS)('a payment whose hash is stored before it is sent never freezes signing', async (jsonRpc) => {
  const { send, secondsUntilFrozen, chainId } = await open(jsonRpc);
  const hash = send(REFUND_WALLET, TRON_STRANGER);
  await payment(chainId, hash, `own ${jsonRpc}`);
  expect(await secondsUntilFrozen()).toBeNull();
  send(REFUND_WALLET, TRON_STRANGER);
  expect(await secondsUntilFrozen()).toBeLessThan(60);
});

const coin = (to: string) => ({ to_address: hexOf(to), amount: 5_000_000 });

it.each([
  ['TransferContract', coin(TRON_STRANGER)],
  ['AccountCreateContract', { account_address: hexOf(TRON_STRANGER) }],
  ['TriggerSmartContract', { contract_address: hexOf(TRON_STRANGER), call_value: 5 }],
  ['CreateSmartContract', { new_contract: { call_value: 5 } }],
  ['ExchangeCreateContract', { first_token_balance: 5 }],
  ['AContractOfTheFuture', {}],
])('coin that leaves a sponsor by a %s freezes signing within a minute', async (type, value) => {
  const { order, secondsUntilFrozen, reasons } = await open(true);
  const hash = order(SPONSOR, type, value);
  expect(await secondsUntilFrozen()).toBeLessThan(60);
  expect(reasons()).toBe(`TRX left a sponsor on tron (test) without an intent: ${hash}`);
});

it('coin of the refund wallet freezes signing within a minute, although the database has the hash as a payment', async () => {
  const { order, secondsUntilFrozen, chainId, reasons } = await open(true);
  const hash = order(REFUND_WALLET, 'TransferContract', coin(TRON_STRANGER));
  await payment(chainId, hash, 'coin');
  expect(await secondsUntilFrozen()).toBeLessThan(60);
  expect(reasons()).toContain('TRX left the refund wallet');
});

it('coin that leaves a sponsor freezes signing although its account changed before the block was there', async () => {
  const { order, secondsUntilFrozen, node } = await open(true);
  // While the transaction waits in the node's pool, the account has the time of the newest block.
  node.tamper = ({ api, body }) =>
    api === 'getaccount' && body.address === hexOf(SPONSOR)
      ? { latest_opration_time: node.blocks.at(-1)!.time }
      : undefined;
  await secondsUntilFrozen(20);
  node.tamper = () => undefined;
  order(SPONSOR, 'TransferContract', coin(TRON_STRANGER));
  expect(await secondsUntilFrozen()).toBeLessThan(60);
});

it('coin that leaves a sponsor freezes signing although a load balancer has its account late', async () => {
  const { order, secondsUntilFrozen, node } = await open(true);
  node.tamper = ({ api }) => (api === 'getaccount' ? {} : undefined);
  order(SPONSOR, 'TransferContract', coin(TRON_STRANGER));
  expect(await secondsUntilFrozen(20)).toBeNull();
  node.tamper = () => undefined;
  expect(await secondsUntilFrozen(30)).not.toBeNull();
});

it('coin that left a sponsor minutes before its account could be read again freezes signing', async () => {
  const { order, secondsUntilFrozen, node } = await open(true);
  node.tamper = ({ api }) => (api === 'getaccount' ? { latest_opration_time: 'unreadable' } : undefined);
  await secondsUntilFrozen(180, true);
  order(SPONSOR, 'TransferContract', coin(TRON_STRANGER));
  expect(await secondsUntilFrozen(240, true)).toBeNull();
  node.tamper = () => undefined;
  expect(await secondsUntilFrozen(60, true)).not.toBeNull();
});

it.each([
  ['sends coin to the refund wallet', 'TransferContract', coin(REFUND_WALLET)],
  ['sends coin to the treasury', 'TransferContract', coin(TREASURY)],
  ['flushes forwarders', 'TriggerSmartContract', { contract_address: hexOf(TRON_STRANGER) }],
  ['lends energy', 'DelegateResourceContract', { receiver_address: hexOf(TRON_DEPOSIT), balance: 5 }],
  ['takes energy back', 'UnDelegateResourceContract', { receiver_address: hexOf(TRON_DEPOSIT), balance: 5 }],
  ['stakes', 'FreezeBalanceV2Contract', { frozen_balance: 5 }],
  ['votes', 'VoteWitnessContract', {}],
])('a sponsor that %s freezes nothing, although nothing knows the transaction', async (_, type, value) => {
  const { order, secondsUntilFrozen } = await open(true);
  order(SPONSOR, type, value);
  expect(await secondsUntilFrozen()).toBeNull();
});

it.each([
  ['tops up a deposit address', 'TransferContract', coin(TRON_DEPOSIT)],
  ['creates the account of a deposit address', 'AccountCreateContract', { account_address: hexOf(TRON_DEPOSIT) }],
])('a sponsor that %s freezes nothing if it is a sweep, and freezes signing if not', async (_, type, value) => {
  const { order, secondsUntilFrozen, chainId } = await open(true);
  const hash = order(SPONSOR, type, value);
  await db.pool.query(
    `INSERT INTO sweeps (environment, network, chain_id, kind, status, sender, request, terms, hashes, bytes, signed_at, created_at)
     VALUES ('test', 'tron', $1, 'top_up', 'signed', $2, '{}', '{}', ARRAY[$3], '0x', now(), now())`,
    [chainId, SPONSOR, hash],
  );
  expect(await secondsUntilFrozen()).toBeNull();
  order(SPONSOR, type, value);
  expect(await secondsUntilFrozen()).toBeLessThan(60);
});

it('coin that anyone sends to our wallets freezes nothing', async () => {
  const { order, secondsUntilFrozen } = await open(true);
  for (const wallet of [SPONSOR, REFUND_WALLET]) order(TRON_STRANGER, 'TransferContract', coin(wallet));
  expect(await secondsUntilFrozen()).toBeNull();
});

it.each([
  [true, 8],
  [false, 38],
])('a reading sends a bounded number of requests (by the list: %s, %s)', async (jsonRpc, most) => {
  const { requests, secondsUntilFrozen } = await open(jsonRpc);
  await secondsUntilFrozen();
  const before = requests();
  await secondsUntilFrozen();
  expect((requests() - before) / 6).toBeLessThanOrEqual(most);
});
