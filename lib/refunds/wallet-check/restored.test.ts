// What a restored or resumed machine may not draft or sign: its database and its signer agree, and only the network knows what was paid
// since. Two simulated endpoints, a real database and the real signer.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import type { RefundScene } from '@/testing/refunds/refund-scene';
import { evidenceKey, PAYERS } from '@/testing/signer/signer-scene';
import { openWalletChain, openWalletScene } from '@/testing/refunds/wallet-chain';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { runSending } from '@/lib/refunds/sending/step';
import { openWalletCheck, type WalletCheck } from './check';

const HOUR = 3_600_000;
const TEN_MINUTES = 600_000;
const time = { now: 0, jumped: 0 };
const clock = { now: () => new Date(time.now), monotonic: () => time.now - time.jumped };
/** The wall clock is corrected, as when a machine is resumed from a snapshot of its memory. */
const jump = (milliseconds: number): void => {
  time.now += milliseconds;
  time.jumped += milliseconds;
};
const seconds = (): number => Math.floor(time.now / 1000);
const { chain, sender } = openWalletChain(clock);

let db: TestDatabase;
let scene: RefundScene;
let walletCheck: WalletCheck;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  time.now = Date.now() + HOUR;
  chain.reset();
  await open('local');
  walletCheck = openWalletCheck();
});

async function open(kind: 'local' | 'testnet'): Promise<void> {
  scene = await openWalletScene({ db, clock, sender }, kind);
}

const ok = async () => 'ok' as const;
const refund = () => scene.refund({ to: PAYERS.tron });
const frozen = (): unknown => scene.signing.signer.state().reason;
/** Runs for ten minutes, until nothing can land any more that was signed before the first run. */
async function settle(): Promise<void> {
  for (const end = time.now + TEN_MINUTES; time.now < end;) await pass();
  await pass();
}
/** One run of a worker, five seconds after the previous one. */
async function pass(check = walletCheck, sending = scene.sending): Promise<void> {
  time.now += 5000;
  await runSending(scene.context, { ...sending, walletCheck: check }, ok);
}

it.each([
  ['the first endpoint', 0, 3600],
  ['the second endpoint alone, as when the first one is behind,', 1, 45],
])('drafts nothing while the newest block of %s is ahead of its clock', async (_, index, ahead) => {
  await open('testnet');
  await refund();
  await settle();
  chain.newest[index] = seconds() + ahead;
  const id = await refund();
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  expect((await scene.read(id)).holdMessage).toContain(`endpoint ${index + 1} is ahead of the clock of this machine`);
});

it('drafts nothing when a machine is resumed from a snapshot in the middle of a draft and its clock is corrected', async () => {
  await refund();
  await pass();
  const id = await refund();
  chain.drafting = () => {
    jump(HOUR);
    chain.signed = [{ hash: 'forgotten', time: seconds() - 60 }];
  };
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  expect(frozen()).toMatch(/signed 1 transactions that the database does not know$/);
});

it('waits ten minutes in a database in which the wallet was never compared, reads the chain once meanwhile, and waits no more afterwards', async () => {
  await open('testnet');
  const first = await refund();
  for (const end = time.now + TEN_MINUTES; time.now < end;) await pass();
  expect(await scene.attempts(first)).toEqual([]);
  expect((await scene.read(first)).holdMessage).toMatch(/was started or restored.*what was signed before may land/);
  expect(chain.requests).toHaveLength(1);
  await pass();
  expect(await scene.attempts(first)).toMatchObject([{ status: 'sent' }]);
  const next = await refund();
  await pass(openWalletCheck());
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
});

it('finds the payment that lands minutes after a restored machine has started', async () => {
  await open('testnet');
  await refund();
  await pass();
  time.now += TEN_MINUTES;
  await pass();
  // The copy carries the identity of the database that it was made of.
  await db.pool.query(`UPDATE chains SET wallet_identity = 'that of the other machine' WHERE id = $1`, [scene.chainId]);
  walletCheck = openWalletCheck();
  const id = await refund();
  await pass();
  time.now += TEN_MINUTES / 2;
  chain.signed = [{ hash: 'signed before the restore', time: seconds() }];
  await pass();
  time.now += TEN_MINUTES / 2;
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  expect((await scene.read(id)).holdMessage).toMatch(/signed 1 transactions that the database does not know/);
});

it('never signs an old draft of a copy: it has expired, and the next one is drafted after the comparison', async () => {
  const id = await refund();
  // The copy is made after the draft was stored and before the signature request.
  const down = async (): Promise<never> => Promise.reject(new AddressSourceError('unavailable', 'no signer'));
  const calls = { ...scene.signing.calls, sign: down };
  await pass(walletCheck, { ...scene.sending, signer: { calls, evidenceKey } });
  expect(await scene.attempts(id)).toMatchObject([{ status: 'drafted' }]);
  time.now += HOUR;
  chain.signed = [{ hash: 'paid by the other machine', time: seconds() - 60 }];
  walletCheck = openWalletCheck();
  for (let passes = 0; passes < 5; passes++) await pass();
  expect(scene.signing.signed).toBe(0);
  expect((await scene.attempts(id)).every(({ hash }) => hash === null)).toBe(true);
  expect(frozen()).toMatch(/signed 1 transactions that the database does not know$/);
});

it.each([
  ['forwards', 40_000],
  ['backwards', -40_000],
])(
  'drafts nothing for ten minutes after the wall clock jumped %s, because a payment may be in flight',
  async (_, by) => {
    await open('testnet');
    await refund();
    await settle();
    // The machine was resumed from a snapshot: another one has sent this refund since, and no block has the payment yet.
    const id = await refund();
    jump(by);
    await pass();
    expect(await scene.attempts(id)).toEqual([]);
    expect((await scene.read(id)).holdMessage).toMatch(/clock.*jumped.*what was signed before may land until/);
    chain.signed = [{ hash: 'in flight', time: seconds() + 60 }];
    await settle();
    expect(await scene.attempts(id)).toEqual([]);
    expect((await scene.read(id)).holdMessage).toMatch(/signed 1 transactions that the database does not know/);
  },
);

it('drafts nothing when the wall clock jumps between the first comparison and the draft', async () => {
  await open('testnet');
  await refund();
  await settle();
  const id = await refund();
  chain.drafting = () => jump(60_000);
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  chain.drafting = () => {};
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  await settle();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('a jump that the database could not store counts until it is stored', async () => {
  await open('testnet');
  await refund();
  await settle();
  const id = await refund();
  jump(60_000);
  const query = (): Promise<never> => Promise.reject(new Error('Connection terminated unexpectedly'));
  const broken = { ...scene.context, pool: { query } as unknown as typeof scene.context.pool };
  await expect(walletCheck.judge({ ...scene, context: broken }, 'the wallet')).rejects.toThrow('terminated');
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  expect((await scene.read(id)).holdMessage).toMatch(/may land until/);
});

it('starts the ten minutes at once after a jump, so that a later refund does not wait', async () => {
  await open('testnet');
  await refund();
  await settle();
  jump(60_000);
  await settle();
  const id = await refund();
  await pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('compares the wallet without waiting ten minutes after a pause that both clocks counted, or a small correction', async () => {
  await open('testnet');
  await refund();
  await settle();
  const before = chain.requests.length;
  time.now += HOUR / 2;
  jump(2000);
  const id = await refund();
  await pass();
  expect(chain.requests).toHaveLength(before + 1);
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('waits ten minutes after a block was ahead of the clock, also when the clock is corrected without a jump', async () => {
  await open('testnet');
  await refund();
  await settle();
  const id = await refund();
  chain.newest = [seconds() + 45, null];
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  chain.newest = [null, null];
  await pass();
  expect(await scene.attempts(id)).toEqual([]);
  expect((await scene.read(id)).holdMessage).toMatch(/may land until/);
});

it('a comparison that takes a minute counts, and is not repeated for the time that it took', async () => {
  chain.meanwhile = async () => {
    time.now += 60_000;
    // As a concurrent refund would.
    walletCheck.detectPause(clock);
  };
  for (let count = 0; count < 2; count++) {
    const id = await refund();
    await pass();
    expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  }
  expect(chain.requests).toHaveLength(1);
});
