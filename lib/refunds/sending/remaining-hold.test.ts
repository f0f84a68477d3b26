// Refunds that wait for days do not send node requests again and again. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { SendHold, type ChainSender } from '@/lib/networks/sending/send';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const GWEI = 10n ** 9n;
const HOUR = 3_600_000;
const evm = localSpec('ethereum');
/** As on public networks (sending-context.ts). */
const INTERVALS = { lease: 60_000, leastHold: 5000, mostHold: 300_000 };
const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
const chain = { hasTokens: true, drafts: 0, nonces: 0 };
const sender: ChainSender = {
  async draft({ intentId, contract, to, amount }, from, { nonce = 0 } = {}) {
    chain.drafts++;
    if (!chain.hasTokens) throw new SendHold('no_tokens', 'the refund wallet holds too little USDT');
    const fees = { maxPriorityFeePerGas: GWEI, maxFeePerGas: GWEI, gasLimit: 90_000n };
    return writeEvmDraft({ chainId: evm.chainId ?? 0, nonce, ...fees, contract, to, amount }, { intentId, from });
  },
  nextNonce: async () => (chain.nonces++, 0),
  finalNonce: async () => 0,
  broadcast: async () => 'accepted',
  outcome: async () => ({ kind: 'waiting' }),
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => {
  time.now = Date.parse('2026-11-21T00:00:00Z');
  Object.assign(chain, { hasTokens: true, drafts: 0, nonces: 0 });
});

const open = (limits = {}) => openRefundScene({ db, clock, spec: evm, sender, intervals: INTERVALS, limits });

it('sends no node request while the stored balance of the refund wallet is too small, and pays soon after it suffices', async () => {
  const scene = await open();
  /** As the comparison of the wallet with the ledger stores it. */
  const read = (cents: bigint) =>
    db.pool.query(
      `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, 'w', 'USDT', $2, 1, $3)
       ON CONFLICT (chain_id, address, asset) DO UPDATE SET amount = EXCLUDED.amount, read_at = EXCLUDED.read_at`,
      [scene.chainId, String(cents * 10_000n), clock.now()],
    );
  chain.hasTokens = false;
  const id = await scene.refund({ to: PAYERS.evm, cents: 500n });
  await scene.pass();
  expect(chain).toMatchObject({ drafts: 1, nonces: 1 });
  for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
    await read(499n);
    await scene.pass();
    time.now += 300_000;
  }
  expect(chain).toMatchObject({ drafts: 1, nonces: 1 });
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'no_tokens' });
  chain.hasTokens = true;
  await read(500n);
  time.now += 300_000;
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('sends node requests all the same when the stored balance is old', async () => {
  const scene = await open();
  chain.hasTokens = false;
  const id = await scene.refund({ to: PAYERS.evm, cents: 500n });
  await scene.pass();
  await db.pool.query(
    `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, 'w', 'USDT', 0, 1, $2)`,
    [scene.chainId, clock.now()],
  );
  chain.hasTokens = true;
  time.now += 1_000_000;
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('retries a refund above a limit of the signer once an hour in the end', async () => {
  const scene = await open({ perHour: 100n });
  await scene.refund({ to: PAYERS.evm });
  for (const until = time.now + 24 * HOUR; time.now < until; time.now += 60_000) await scene.pass();
  expect(chain.drafts).toBeLessThan(60);
}, 120_000);

it.each(['destination_needed', 'address_unconfirmed', 'approval_needed'] as const)(
  'sends no node request while a refund waits with %s, and checks it less and less often, because an event wakes it',
  async (code) => {
    const scene = await open();
    const id = await scene.refund({ to: PAYERS.evm, cents: 500n });
    const config = { ...scene.context.config, ...(code === 'approval_needed' ? { REFUND_APPROVAL_ABOVE: 499 } : {}) };
    let checks = 0;
    const findDestination: typeof scene.sending.findDestination = async (...given) => {
      checks++;
      return code === 'approval_needed'
        ? scene.sending.findDestination(...given)
        : { hold: code, message: 'It waits.' };
    };
    for (const until = time.now + 24 * HOUR; time.now < until; time.now += 300_000) {
      await scene.pass({ findDestination }, { ...scene.context, config });
    }
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: code });
    expect(chain).toMatchObject({ drafts: 0, nonces: 0 });
    expect(checks).toBeLessThan(30);
  },
  60_000,
);

it('checks a refund that waits for its customer less and less often while no node can be reached', async () => {
  const scene = await open();
  const id = await scene.refund({ to: PAYERS.evm });
  scene.destinations.delete(id);
  await scene.pass();
  const genesis = () => Promise.reject(new ChainError('unavailable', 'no endpoint answers'));
  time.now += HOUR;
  await scene.pass({ genesis });
  const { hold, nextAt } = await scene.read(id);
  expect([hold, nextAt.getTime() - time.now]).toEqual(['destination_needed', HOUR / 2]);
});

it('a refund whose customer has named an address keeps its claim link while endpoints contradict each other', async () => {
  const scene = await open();
  const id = await scene.refund({ to: PAYERS.evm });
  scene.destinations.delete(id);
  await scene.pass();
  scene.destinations.set(id, PAYERS.evm);
  time.now += HOUR;
  const draft = () => Promise.reject(new ChainError('contradiction', 'endpoint 2 answers otherwise'));
  await scene.pass({ sender: { ...sender, draft } });
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'destination_needed' });
});
