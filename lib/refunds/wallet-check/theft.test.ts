// A transaction of the refund wallet on Solana that no payment explains freezes signing within a minute.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runSending } from '@/lib/refunds/sending/step';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { openWalletChain } from '@/testing/refunds/wallet-chain';
import { localSpec } from '@/testing/signer/signer-scene';
import { openWalletCheck, type WalletCheck } from './check';

/** As the worker runs the step. */
const TICK_SECONDS = 2;
const HASH = '5'.repeat(88);
const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
const seconds = (): number => Math.floor(time.now / 1000);
const { chain, sender } = openWalletChain(clock);

let db: TestDatabase;
let scene: RefundScene;
let walletCheck: WalletCheck;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  time.now = Date.now() + 3_600_000;
  chain.reset();
  scene = await openRefundScene({ db, clock, spec: localSpec('solana'), sender });
  await db.pool.query('UPDATE chains SET final_time = $2 WHERE id = $1', [scene.chainId, clock.now()]);
  walletCheck = openWalletCheck();
  await run();
});

const run = () => runSending(scene.context, { ...scene.sending, walletCheck }, async () => 'ok' as const);
/** Seconds until the signer is frozen, or null. */
async function secondsUntilFrozen(): Promise<number | null> {
  for (let passed = TICK_SECONDS; passed <= 120; passed += TICK_SECONDS) {
    time.now += 1000 * TICK_SECONDS;
    await run();
    if (scene.signing.signer.state().frozen) return passed;
  }
  return null;
}

it('freezes signing within a minute after the transaction, although no refund is due', async () => {
  chain.signed.push({ hash: HASH, time: seconds() });
  expect(await secondsUntilFrozen()).toBeLessThan(60);
  expect(scene.signing.signer.state().reason).toContain('the refund wallet on solana signed');
});

it('a payment whose hash is stored before it is sent never freezes signing', async () => {
  await db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
     VALUES ('own', 1, $1, 'signed', '{}', $2, '0x', '{}', $3, $3)`,
    [scene.chainId, HASH, clock.now()],
  );
  chain.signed.push({ hash: HASH, time: seconds() });
  expect(await secondsUntilFrozen()).toBeNull();
});

it('one endpoint alone never freezes signing, because it may lie', async () => {
  chain.second = [];
  chain.signed.push({ hash: HASH, time: seconds() });
  expect(await secondsUntilFrozen()).toBeNull();
});

it('is requested every half a minute, and not in every run', async () => {
  chain.requests.length = 0;
  await secondsUntilFrozen();
  expect(chain.requests).toHaveLength(4);
});
