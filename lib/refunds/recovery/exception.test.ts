// Refunds of exceptions after a database was restored from a backup: they are identified by the transfer on the chain, never by the number
// of a case, which means a different one in the restored database.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refundException } from '@/lib/payments/exceptions/decide';
import type { ExceptionActor } from '@/lib/payments/exceptions/read';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openJournalScene } from '@/testing/signer/journal-scene';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { evidenceKey, orderOn, PAYERS, tronDraft } from '@/testing/signer/signer-scene';
import { truncateFacts } from '@/testing/database/truncate';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { intentIdOf, transferEvidence, type ChainTransfer } from '@/lib/refunds/request/intent';
import { caseRefundId } from '@/lib/refunds/request/exception-refund';
import { recover } from './recover';

const directory = useTemporaryDirectory();
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

async function open() {
  await truncateFacts(db.pool, 'refund_attempts');
  const scene = await openJournalScene(db, directory);
  const { storeId } = scene.merchant;
  const { id: chainId, genesis } = await db.prisma.chain.findFirstOrThrow({
    where: { network: 'tron', retiredAt: null },
  });
  const world = openSettledSessions(db, scene.clock, { tron: chainId });
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
  const by: ExceptionActor = { kind: 'merchant', userId: ownerId, storeId };
  let variant = 0;
  return {
    ...scene,
    world,
    by,
    /** A late payment of 12.50, which the restored database finds again. */
    async late() {
      const sessionId = await world.make(storeId, 'expired');
      const hash = randomUUID();
      await world.transfer(sessionId, { cents: 1250, network: 'tron', time: EXPIRES + 10, hash });
      await world.settle(sessionId);
      const [found] = await world.casesOf(sessionId);
      const transfer: ChainTransfer = { genesis, transactionHash: hash, ordinal: 0 };
      return { sessionId, transfer, caseId: String(found?.id) };
    },
    /** What the signer paid for a transfer before the database was lost; `legacy` is the number of its case then. */
    async paidBefore(transfer: ChainTransfer, { to = PAYERS.tron, legacy }: { to?: string; legacy?: string } = {}) {
      const refundId = legacy === undefined ? caseRefundId(transfer, 1) : `case_${legacy}`;
      const order = orderOn('tron', {
        ...{ cents: 1250n, mostCents: 1250n, to },
        session: legacy === undefined ? transferEvidence(transfer) : `case:${legacy}`,
        intentId: intentIdOf({ storeId, environment: 'test', refundId }),
      });
      const { mac: _, ...fields } = order.evidence;
      const reference = `tron/${transfer.transactionHash}/0`;
      const signed = { ...order, evidence: makeEvidence(evidenceKey, 'test', { ...fields, reference }) };
      scene.signing.signer.sign({ order: signed, draft: await tronDraft(signed, ++variant) });
      return signed;
    },
    recovered: async () =>
      (await recover(scene.context, scene.signer, false)).refunds.map(({ recovered }) => recovered),
    refunds: (sessionId: string) => db.prisma.refund.findMany({ where: { sessionId } }),
  };
}

test.each([
  ['named by its transfer', undefined],
  ['named by the number of its case, as it was before', '900017'],
])('a refund %s is made again by itself, with its decision, its name and its money', async (_, legacy) => {
  const scene = await open();
  const { sessionId, transfer, caseId } = await scene.late();
  const order = await scene.paidBefore(transfer, legacy === undefined ? {} : { legacy });
  expect(await scene.recovered()).toEqual([{ done: 'recreated' }]);
  const [refund, ...others] = await scene.refunds(sessionId);
  expect(others).toEqual([]);
  expect(refund).toMatchObject({
    ...{ id: order.intentId, caseId: BigInt(caseId), status: 'processing', amount: 1250n, destination: order.to },
    refundId: legacy === undefined ? caseRefundId(transfer, 1) : `case_${legacy}`,
  });
  expect(await scene.world.casesOf(sessionId)).toMatchObject([{ state: 'refund', decidedBy: 'rule:recovered' }]);
  expect(await scene.world.ledgerOf(sessionId)).toEqual({ received: 1250, refund: -1250 });
  const counted = await db.prisma.refundDay.findMany({ where: { storeId: scene.merchant.storeId } });
  expect(counted).toMatchObject([{ amount: 0n, count: 1, day: refund?.day }]);
  // A second request makes nothing more.
  await refundException(scene.context, { caseId, by: scene.by });
  expect(await scene.refunds(sessionId)).toHaveLength(1);
  expect(await scene.recovered()).toEqual([]);
});

test('the recovery attaches the payment to a decision that was already repeated, and creates no second one', async () => {
  const scene = await open();
  const { sessionId, transfer, caseId } = await scene.late();
  const order = await scene.paidBefore(transfer);
  await refundException(scene.context, { caseId, by: scene.by });
  expect(await scene.recovered()).toEqual([{ done: 'imported' }]);
  expect(await scene.refunds(sessionId)).toMatchObject([{ id: order.intentId, destination: order.to, amount: 1250n }]);
});

test('a refund of a payment that the restored database has not found yet is recovered once it has', async () => {
  const scene = await open();
  const { sessionId, transfer } = await scene.late();
  await scene.paidBefore({ ...transfer, transactionHash: randomUUID() });
  expect(await scene.recovered()).toEqual([{ notRecovered: expect.stringContaining('let the worker catch up') }]);
  expect(await scene.refunds(sessionId)).toEqual([]);
});

test('a case number that now belongs to another payment makes no refund of that payment', async () => {
  const scene = await open();
  const [alice, bob] = [await scene.late(), await scene.late()];
  // Before the restore Bob's number was that of Alice's case.
  await scene.paidBefore(alice.transfer, { legacy: bob.caseId });
  await refundException(scene.context, { caseId: bob.caseId, by: scene.by });
  expect(await scene.recovered()).toEqual([{ done: 'recreated' }]);
  expect(await scene.refunds(alice.sessionId)).toMatchObject([{ destination: PAYERS.tron, status: 'processing' }]);
  expect(await scene.refunds(bob.sessionId)).toMatchObject([{ destination: null, status: 'pending' }]);
});

test('the signer signs no more for a transfer than arrived, whatever the names of its refunds', async () => {
  const scene = await open();
  const { transfer } = await scene.late();
  await scene.paidBefore(transfer);
  const again = orderOn('tron', {
    ...{ cents: 1n, mostCents: 1250n, session: transferEvidence(transfer) },
    intentId: intentIdOf({ storeId: scene.merchant.storeId, environment: 'test', refundId: caseRefundId(transfer, 2) }),
  });
  const draft = await tronDraft(again, 99);
  expect(() => scene.signing.signer.sign({ order: again, draft })).toThrow(/more than it paid/);
});
