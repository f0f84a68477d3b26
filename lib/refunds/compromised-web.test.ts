// A compromised web process: it has every write that it has in PostgreSQL, but neither EVIDENCE_KEY nor the signer's machine. It can pay
// its own addresses only within the claim limits, after the delay and the notice, and it can approve nothing.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { checksumAddress } from '@/lib/networks/families/evm/address';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { listHeldRefunds } from '@/lib/dashboard/operator/refunds';
import { readStoreRefund } from '@/lib/dashboard/payment/refund';
import { mailBody } from '@/lib/merchants/mail/queue';
import { approvalChallenge, type SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { writeApprovers } from '@/lib/signer/approvals/approvers';
import { Authenticator } from '@/testing/authenticator';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { accounts, evidenceKey, localSpec, PAYERS, temporaryDirectory } from '@/testing/signer/signer-scene';
import { findDestination } from './destination/destination';
import { noticeMac } from './sending/worker-macs';

const ORIGIN = 'https://pay.example';
const DELAY_SECONDS = 600;
const CLAIM = { perRefund: 500n, perHour: 1000n, perDay: 2000n };
const ABOVE = 3000n;
const THIEF = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const OTHER_THIEF = '0x90f79bf6eb2c4f870365e785982e1f101e93b906';
const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const spec = localSpec('ethereum');
const [ADA, GRACE] = [new Authenticator(ORIGIN), new Authenticator(ORIGIN)];
const THIEFS = [new Authenticator(ORIGIN), new Authenticator(ORIGIN)] as const;
const directory = temporaryDirectory();
const file = path.join(directory, 'approvers.json');

let db: TestDatabase;
let scene: RefundScene;
let clock: TestClock;
let context: Context;
/** Destinations of the transactions that the signer signed, as the chain sees them. */
let paid: { to: string; amount: bigint }[];
const sender = scriptedSender({ spec, scene: () => scene });

beforeAll(async () => {
  db = await openTestDatabase();
  for (const id of [FIRST, SECOND])
    await db.prisma.user.create({ data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' } });
});
afterAll(async () => {
  await db.close();
  fs.rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  clock = new TestClock();
  paid = [];
  await sql('DELETE FROM mails');
  writeApprovers(file, [
    { person: 'Ada', ...ADA.approverKey() },
    { person: 'Grace', ...GRACE.approverKey() },
  ]);
  const rules = { claimLimits: CLAIM, approvalAbove: ABOVE, approvals: { file, publicUrl: ORIGIN } };
  const settings = {
    REFUND_CLAIM_DELAY_SECONDS_TEST: String(DELAY_SECONDS),
    REFUND_APPROVAL_ABOVE: String(ABOVE),
    PUBLIC_URL: ORIGIN,
  };
  scene = await openRefundScene({ db, clock, spec, sender, rules, settings });
  context = scene.context;
  const { sign } = scene.signing.calls;
  Object.assign(scene.signing.calls, {
    sign: async (params: Parameters<typeof sign>[0]) => {
      const signed = await sign(params);
      paid.push({ to: params.order.to, amount: BigInt(params.order.amount) / 10n ** 4n });
      return signed;
    },
  });
});

/** The worker with the real search for destinations: no payer is proven, so each refund waits for an address. */
const passes = async (count = 5): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await scene.pass({ findDestination });
};
/** Runs as the owner of the tables, so that no trigger applies. */
const sql = (text: string, values: unknown[] = []) =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    return tx.query(text, values);
  });
const refundOf = (cents: bigint, sessionId?: string) =>
  scene.refund({ to: PAYERS.evm, cents, ...(sessionId ? { sessionId } : {}) });
/** A refund that waits for its customer's address. */
async function waiting(cents = 400n): Promise<string> {
  const id = await refundOf(cents);
  await passes();
  expect(await scene.read(id)).toMatchObject({ hold: 'destination_needed' });
  return id;
}
/** What the attacker writes to pose as the customer of a refund. */
async function claim(id: string, address = THIEF): Promise<void> {
  const { sessionId } = await scene.read(id);
  await sql(`DELETE FROM refund_addresses WHERE intent_id = $1`, [id]);
  await sql(
    `INSERT INTO refund_addresses (session_id, network, address, intent_id, given_at) VALUES ($1, $2, $3, $4, '2020-01-01')`,
    [sessionId, spec.network, address, id],
  );
  await wake(id);
}
const wake = (id: string) =>
  sql('UPDATE refunds SET hold = NULL, hold_message = NULL, held_at = NULL, next_at = $2 WHERE id = $1', [
    id,
    clock.now(),
  ]);
const mails = async (id: string): Promise<string[]> => {
  const { refundId } = await scene.read(id);
  const { rows } = await sql('SELECT recipient, body FROM mails ORDER BY id');
  return rows.map((row) => mailBody(context, row)).filter((text) => text.includes(refundId));
};
const totalTo = (address: string): bigint =>
  paid.reduce((sum, one) => (one.to === address ? sum + one.amount : sum), 0n);

describe('an address that a customer gave', () => {
  test('is mailed to the store’s members when the worker first sees it, and paid only after the delay', async () => {
    const id = await waiting();
    await claim(id);
    await passes();
    const payAfter = new Date(clock.now().getTime() + DELAY_SECONDS * 1000);
    expect(await scene.read(id)).toMatchObject({ hold: 'address_delay', signatureRequestedAt: null, nextAt: payAfter });
    const view = await readStoreRefund(context, { storeId: scene.storeId, environment: 'test' }, id);
    expect(view).toMatchObject({ holdUntil: payAfter.getTime() / 1000, namedAddress: checksumAddress(THIEF) });
    const { refunds } = await listHeldRefunds(context, { hold: 'address_delay', before: null, limit: 10 });
    expect(refunds).toMatchObject([{ id, holdUntil: payAfter }]);
    const [mail, ...more] = await mails(id);
    expect(more).toEqual([]);
    for (const part of [checksumAddress(THIEF), '4.00 USDT', `/refunds/${id}`, 'freeze']) expect(mail).toContain(part);
    clock.advance(DELAY_SECONDS - 1);
    await passes();
    expect(paid).toEqual([]);
    clock.advance(1);
    await passes();
    expect(await scene.read(id)).toMatchObject({ status: 'completed' });
    expect(totalTo(THIEF)).toBe(400n);
    expect(await mails(id)).toHaveLength(1);
  });

  test('is mailed to the operators when the store has no member who may cancel', async () => {
    const id = await waiting();
    await sql('DELETE FROM members WHERE store_id = $1', [scene.storeId]);
    await sql('DELETE FROM mails');
    await claim(id);
    await passes();
    const { rows } = await sql('SELECT recipient FROM mails ORDER BY recipient');
    expect(rows.map(({ recipient }) => recipient)).toEqual([`${FIRST}@example.test`, `${SECOND}@example.test`]);
  });

  test('starts the delay again when the address or the amount changes', async () => {
    const id = await waiting();
    await claim(id);
    await passes();
    clock.advance(DELAY_SECONDS - 1);
    await claim(id, OTHER_THIEF);
    await passes();
    clock.advance(DELAY_SECONDS - 1);
    await passes();
    expect(paid).toEqual([]);
    expect(await mails(id)).toHaveLength(2);
    await sql('UPDATE refunds SET amount = amount + 1 WHERE id = $1', [id]);
    await sql('UPDATE refunds SET next_at = $2 WHERE id = $1', [id, clock.now()]);
    await passes();
    clock.advance(1);
    await passes();
    expect(paid).toEqual([]);
    expect(await mails(id)).toHaveLength(3);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['backdated', () => sql(`UPDATE refund_address_notices SET pay_after = '2020-01-01'`)],
    ['deleted', () => sql('DELETE FROM refund_address_notices')],
    [
      'replaced by that of a refund whose delay is over',
      async (id) => {
        const other = await waiting();
        await claim(other);
        await passes();
        const at = new Date(0);
        const { rows } = await sql('SELECT id, environment, network, currency, amount FROM refunds WHERE id = $1', [
          other,
        ]);
        const mac = noticeMac(
          evidenceKey,
          { ...rows[0], amount: BigInt(rows[0].amount) },
          { address: THIEF, payAfter: at },
        );
        await sql('UPDATE refund_address_notices SET pay_after = $2, mac = $3 WHERE refund = $1', [id, at, mac]);
      },
    ],
    [
      'made with a key of the thief',
      async (id) => {
        const at = new Date(0);
        const { rows } = await sql('SELECT id, environment, network, currency, amount FROM refunds WHERE id = $1', [
          id,
        ]);
        const facts = { ...rows[0], amount: BigInt(rows[0].amount) };
        await sql('UPDATE refund_address_notices SET pay_after = $1, mac = $2 WHERE refund = $3', [
          ...[at, noticeMac([Buffer.alloc(32, 9)], facts, { address: THIEF, payAfter: at }), id],
        ]);
      },
    ],
  ])('is not paid sooner when its notice is %s', async (_, attack) => {
    const id = await waiting();
    await claim(id);
    await passes();
    await attack(id);
    await wake(id);
    await passes();
    expect(await scene.read(id)).toMatchObject({ hold: 'address_delay' });
    expect(paid).toEqual([]);
  });

  test('never gets more than one store’s share of the claim limits without two signed approvals, however many refunds there are', async () => {
    const ids = [await waiting(CLAIM.perRefund + 1n)];
    for (let count = 0; count < 5; count++) ids.push(await waiting(CLAIM.perRefund));
    for (const id of ids) await claim(id);
    await passes();
    clock.advance(DELAY_SECONDS);
    for (let hour = 0; hour < 3; hour++) {
      await passes(8);
      expect(totalTo(THIEF)).toBe(CLAIM.perDay / 4n);
      clock.advance(3601);
    }
    const { rows } = await db.pool.query<{ hold: string }>(
      `SELECT DISTINCT hold FROM refunds WHERE id = ANY ($1) AND status = 'processing'`,
      [ids],
    );
    expect(rows).toEqual([{ hold: 'approval_needed' }]);
  });
});

describe('the stored destination of a refund', () => {
  const forge = (id: string, kind: 'payer' | 'claim') =>
    sql(
      `UPDATE refunds SET destination = $2, destination_kind = $3, destination_reference = 'transfer/1', signature_requested_at = $4,
         hold = NULL, hold_message = NULL, held_at = NULL, next_at = $4 WHERE id = $1`,
      [id, THIEF, kind, clock.now()],
    );

  test.each(['payer', 'claim'] as const)('counts for nothing when the web process wrote it as a %s', async (kind) => {
    const id = await waiting();
    await forge(id, kind);
    await passes();
    expect(paid).toEqual([]);
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'destination_needed' });
  });

  test('counts for nothing with a draft beside it: the draft is dropped', async () => {
    const id = await waiting();
    await forge(id, 'payer');
    const contract = spec.tokens.USDT!.contract.toLowerCase();
    const prices = { maxPriorityFeePerGas: 10n ** 9n, maxFeePerGas: 2n * 10n ** 9n, gasLimit: 90_000n };
    const draft = await writeEvmDraft(
      { chainId: spec.chainId!, nonce: 0, ...prices, contract, to: THIEF, amount: 4_000_000n },
      { intentId: id, from: accounts.of('test', 'evm').address },
    );
    await sql(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, draft, drafted_at) VALUES ($1, 1, $2, $3, $4)`,
      [id, scene.chainId, JSON.stringify(draft), clock.now()],
    );
    await passes();
    expect(paid).toEqual([]);
    expect(await scene.attempts(id)).toMatchObject([{ status: 'refused' }]);
    expect(await scene.read(id)).toMatchObject({ hold: 'destination_needed' });
  });

  test('counts for nothing with the MAC of another refund, or of another address of this one', async () => {
    const [honest, id] = [await waiting(), await waiting()];
    await claim(honest);
    await passes();
    clock.advance(DELAY_SECONDS);
    await passes();
    expect(await scene.read(honest)).toMatchObject({ status: 'completed' });
    paid = [];
    await forge(id, 'claim');
    await sql(
      `UPDATE refunds SET destination_mac = h.destination_mac, destination_reference = h.destination_reference
       FROM refunds h WHERE refunds.id = $1 AND h.id = $2`,
      [id, honest],
    );
    await passes();
    expect(paid).toEqual([]);
    expect(await scene.read(id)).toMatchObject({ hold: 'destination_needed' });
  });
});

describe('approvals', () => {
  const digestOf = async (refund: string): Promise<Buffer> =>
    Buffer.from((await db.prisma.approvalNeed.findUniqueOrThrow({ where: { refund } })).digest);
  /** What the attacker, or operators through the web process, leave in the database. */
  async function approve(refund: string, signatures: readonly (SignedApproval | null)[]): Promise<void> {
    const [requested, decided] = signatures.map((one) => one && JSON.stringify(one));
    await sql(
      `INSERT INTO approvals (id, kind, target, digest, details, requested_by, requested_at, decided_by, decided_at, is_approved,
         requester_passkey, decided_passkey)
       VALUES (gen_random_uuid(), 'refund', $1, $2, '{}', $3, $7, $4, $7, true, $5, $6)`,
      [refund, await digestOf(refund), FIRST, SECOND, requested ?? null, decided ?? null, clock.now()],
    );
    await sql('UPDATE refunds SET next_at = $2, epoch = epoch + 1 WHERE id = $1', [refund, clock.now()]);
    await passes();
  }
  const signed = async (refund: string, by: readonly Authenticator[]) => {
    const challenge = approvalChallenge(await digestOf(refund));
    return by.map((one) => one.approve(challenge));
  };
  /** A claim above the limit per refund, whose delay is over. */
  async function held(address = PAYERS.evm as string): Promise<string> {
    const id = await waiting(CLAIM.perRefund + 1n);
    await claim(id, address);
    await passes();
    clock.advance(DELAY_SECONDS);
    await passes();
    expect(await scene.read(id)).toMatchObject({ hold: 'approval_needed' });
    return id;
  }
  const trouble = async (refund: string) =>
    (await db.prisma.approvalNeed.findUniqueOrThrow({ where: { refund } })).trouble;

  test('with the passkeys of two approvers of the signer’s list release exactly this payment', async () => {
    const id = await held();
    await approve(id, await signed(id, [ADA, GRACE]));
    expect(await scene.read(id)).toMatchObject({ status: 'completed' });
  });

  test('without passkeys count for nothing, and the signer gets no request', async () => {
    const id = await held();
    await approve(id, [null, null]);
    expect(await scene.read(id)).toMatchObject({ hold: 'approval_needed', signatureRequestedAt: null });
    expect(await scene.attempts(id)).toEqual([]);
  });

  test('with passkeys of the attacker are refused by the signer, and say what to do', async () => {
    const id = await held();
    for (const one of THIEFS)
      await db.prisma.passkey.upsert({
        where: { id: one.approverKey().credentialId },
        create: {
          ...{ id: one.approverKey().credentialId, userId: FIRST, name: 'x', createdAt: clock.now() },
          publicKey: new Uint8Array(Buffer.from(one.approverKey().publicKey, 'base64url')),
        },
        update: {},
      });
    await approve(id, await signed(id, THIEFS));
    expect(paid).toEqual([]);
    expect(await scene.read(id)).toMatchObject({ hold: 'approval_needed', signatureRequestedAt: null });
    expect(await trouble(id)).toMatch(/not on the signer’s list: run "node dist\/signer.mjs approvers add"/);
    // The real approvers approve the void approval again.
    await approve(id, await signed(id, [ADA, GRACE]));
    expect(await scene.read(id)).toMatchObject({ status: 'completed' });
  });

  test('of one payment are refused for another refund, another address and another amount', async () => {
    const [honest, other] = [await held(), await held(THIEF)];
    const pair = await signed(honest, [ADA, GRACE]);
    await approve(other, pair);
    expect(totalTo(THIEF)).toBe(0n);
    expect(await trouble(other)).toMatch(/invalid or for another payment/);
    await claim(honest, THIEF);
    await passes();
    clock.advance(DELAY_SECONDS);
    await passes();
    await approve(honest, pair);
    expect(totalTo(THIEF)).toBe(0n);
    await claim(honest, PAYERS.evm);
    await sql('UPDATE refunds SET amount = amount + 1 WHERE id = $1', [honest]);
    await passes();
    clock.advance(DELAY_SECONDS);
    await passes();
    await approve(honest, pair);
    expect(paid).toEqual([]);
  });

  test('are required by the signer itself when the web process hides a session’s refunds from the worker', async () => {
    const { findDestination: byScene } = scene.sending;
    const payTo = async () => {
      for (let turn = 0; turn < 5; turn++) await scene.pass({ findDestination: byScene });
    };
    const sessionId = await scene.session();
    const first = await refundOf(ABOVE, sessionId);
    await payTo();
    expect(await scene.read(first)).toMatchObject({ status: 'completed' });
    await sql(`UPDATE refunds SET session_id = $2 WHERE id = $1`, [first, await scene.session()]);
    const second = await refundOf(1n, sessionId);
    await payTo();
    expect(await scene.read(second)).toMatchObject({ status: 'processing', hold: 'approval_needed' });
    expect(await trouble(second)).toMatch(/a refund of this size needs the passkey signatures of two operators/);
  });
});
