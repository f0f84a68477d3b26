// Refunds of payments that arrived at a forwarder on TRON: the source of deposit addresses derives it again, for the contracts of its own
// settings alone. The network of the scene does not matter to that check; the scripted sender drafts on Ethereum.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { forwarderAddress } from '@/lib/networks/families/tron/sweeping/forwarders';
import { systemClock } from '@/lib/platform/clock';
import { areAllOf } from '@/lib/treasury/wallets/address-source';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, PAID, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS, seed } from '@/testing/signer/signer-scene';

const [FACTORY, OTHER] = ['TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', 'TXHzvoDBPaG7YbSgb3zdoosJK4x4Kmf2J2'];
const spec = localSpec('ethereum');
const keys = keysFromSeed(seed);
let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene({ db, clock: systemClock, spec, sender: scriptedSender({ spec, scene: () => scene }) });
});
afterAll(() => db.close());

/** A session that was paid at its forwarder of this contract. */
async function paidAt(factory: string): Promise<string> {
  const before = await scene.session();
  const { addressIndex } = await db.prisma.session.findUniqueOrThrow({ where: { id: before } });
  const next = keys.addressesAt(addressIndex + 1);
  const id = await scene.session('USDT', PAID, forwarderAddress(factory, next.evm));
  expect(await db.prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({ addressIndex: next.index });
  return id;
}
/** What became of a refund, with a source whose settings name these contracts. */
async function refunded(sessionId: string, factories: readonly string[]) {
  const deposits = {
    owns: async (index: number, requested: readonly string[]) =>
      areAllOf(keys.addressesAt(index), requested, factories),
  };
  const id = await scene.refund({ to: PAYERS.evm, cents: 500n, sessionId });
  for (let turn = 0; turn < 5; turn++) await scene.pass({ deposits });
  return scene.read(id);
}

test('a payment to a forwarder is refunded as any other', async () => {
  const completed = { status: 'completed' };
  expect(await refunded(await paidAt(FACTORY), [FACTORY])).toMatchObject(completed);
  expect(await refunded(await paidAt(OTHER), [FACTORY, OTHER])).toMatchObject(completed);
});

test('a payment to a forwarder of a contract that the settings do not name is not refunded', async () => {
  const unsigned = { status: 'processing', hold: 'evidence', signatureRequestedAt: null };
  expect(await refunded(await paidAt(OTHER), [FACTORY])).toMatchObject(unsigned);
  expect(await refunded(await paidAt(FACTORY), [])).toMatchObject(unsigned);
});
