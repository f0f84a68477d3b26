import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailBody } from '@/lib/merchants/mail/queue';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const spec = localSpec('ethereum');
const NAMED = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  const sender = scriptedSender({ spec, scene: () => scene });
  const settings = { REFUND_CLAIM_DELAY_SECONDS_TEST: '600' };
  scene = await openRefundScene({ db, clock: new TestClock(), spec, sender, settings });
});
afterAll(() => db.close());

test.each([
  [true, 'proven by the paying wallet'],
  [false, 'which the customer gave by a link'],
])('an address whose signature counts (%s) is announced as %s, and waits like any other', async (isSigned, words) => {
  await db.pool.query('DELETE FROM mails');
  const id = await scene.refund({ to: PAYERS.evm });
  const destination = { address: NAMED, kind: 'claim', reference: 'address/1', isSigned } as const;
  for (let turn = 0; turn < 4; turn++) await scene.pass({ findDestination: async () => ({ destination }) });
  expect(await scene.read(id)).toMatchObject({ hold: 'address_delay', signatureRequestedAt: null });
  const { rows } = await db.pool.query('SELECT recipient, body FROM mails');
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(mailBody(scene.context, row)).toContain(words);
});
