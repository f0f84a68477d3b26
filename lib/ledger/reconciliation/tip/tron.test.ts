// A theft of tokens on TRON freezes signing within a minute after its block, by the list of a node's JSON-RPC and block by block.

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
import { transferLog } from '@/testing/tron/tron-shapes';
import { watchedSession } from '@/testing/watching/watched-session';
import type { FreezingSigner } from './freeze';
import { tipOutflowStep } from './step';

const [REFUND_WALLET, TREASURY, SPONSOR] = [TRON_OURS, TRON_OTHER, TRON_PAYER];
const TICK_SECONDS = 5;
const BLOCK_SECONDS = 3;

let db: TestDatabase;
let close = async (): Promise<void> => {};
beforeAll(async () => void (db = await openTestDatabase()));
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
    chainId: Number((await db.pool.query('SELECT id FROM chains WHERE retired_at IS NULL')).rows[0]?.id),
    requests: () => [...node.calls.values()].reduce((sum, count) => sum + count, 0),
    /** Runs the step as the worker does while the chain goes on. */
    secondsUntilFrozen: async () => {
      for (let seconds = TICK_SECONDS; seconds <= 120; seconds += TICK_SECONDS) {
        clock.advance(1000 * TICK_SECONDS);
        while (node.blocks.at(-1)!.time < clock.now().getTime() - 1000 * BLOCK_SECONDS) node.mine();
        await step(context);
        if (held.reason !== null) return seconds;
      }
      return null;
    },
  };
}

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
  await db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
     VALUES ($1, 1, $2, 'signed', '{}', $3, '0x', '{}', now(), now())`,
    [`own ${jsonRpc}`, chainId, hash],
  );
  expect(await secondsUntilFrozen()).toBeNull();
  send(REFUND_WALLET, TRON_STRANGER);
  expect(await secondsUntilFrozen()).toBeLessThan(60);
});

it.each([
  [true, 6],
  [false, 36],
])('a reading sends a bounded number of requests (by the list: %s, %s)', async (jsonRpc, most) => {
  const { requests, secondsUntilFrozen } = await open(jsonRpc);
  await secondsUntilFrozen();
  const before = requests();
  await secondsUntilFrozen();
  expect((requests() - before) / 6).toBeLessThanOrEqual(most);
});
