// Large payments and claim payments in the signer: which ones need the passkeys of two people, and that a pair of
// signatures is valid for one payment only. The passkeys are software authenticators with real signatures.

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { approvalChallenge, paymentDigest, type SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import { Authenticator, PRESENT, type Over } from '@/testing/authenticator';
import { draftOf, evmDraft, evidenceKey, orderOn, partsOf, PAYERS, policy, START } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { writeApprovers } from './approvers';
import { MAX_REQUEST_BYTES } from '@/lib/signer/protocol';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { signParams, type RefundOrder } from '@/lib/signer/orders';

const ORIGIN = 'https://pay.example';
const [ADA, GRACE, STRANGER] = [new Authenticator(ORIGIN), new Authenticator(ORIGIN), new Authenticator(ORIGIN)];
const ADAS_OTHER = new Authenticator(ORIGIN);
const directory = useTemporaryDirectory();

const file = path.join(directory, 'approvers.json');
const [ABOVE, CLAIM] = [1000n, { perRefund: 100n, perHour: 250n, perDay: 300n }];
const PEOPLE = [
  { person: 'Ada', ...ADA.approverKey() },
  { person: 'Ada', ...ADAS_OTHER.approverKey() },
  { person: 'Grace', ...GRACE.approverKey() },
];

let signer: RefundSigner;
let time: { now: number };
let journalFile: string;
const open = (isNewWallet: boolean, approvals: { file: string; publicUrl: string } | null) =>
  new RefundSigner({
    ...partsOf(journalFile, time),
    isNewWallet,
    policy: { ...policy(), approvalAbove: ABOVE, claimLimits: CLAIM, approvals },
  });
beforeEach(() => {
  time = { now: START };
  journalFile = path.join(fs.mkdtempSync(path.join(directory, 'journal-')), 'journal');
  writeApprovers(file, PEOPLE);
  signer = open(true, { file, publicUrl: ORIGIN });
});

const digestOf = (order: RefundOrder) => {
  const { intentId: refund, evidence, amount } = order;
  return paymentDigest({ ...order, refund, kind: evidence.kind, amount: BigInt(amount) });
};
const approve = (order: RefundOrder, by: readonly Authenticator[], over: Over = {}): SignedApproval[] =>
  by.map((one) => one.approve(approvalChallenge(digestOf(order)), over));

const both = (order: RefundOrder, over: Over): SignedApproval[] => approve(order, [ADA, GRACE], over);

let nonce = 0;
beforeEach(() => (nonce = 0));
/** Requests an order's payment from the signer, with the next nonce. */
async function sign(order: RefundOrder, approvals?: readonly SignedApproval[]) {
  const draft = await draftOf(order, nonce);
  const signed = await signer.signApproved({ order, draft, ...(approvals ? { approvals: [...approvals] } : {}) });
  nonce++;
  return signed;
}
/** The same to an address that the customer gave. */
function claimed(order: RefundOrder): RefundOrder {
  const { mac: _, ...said } = order.evidence;
  return { ...order, evidence: makeEvidence(evidenceKey, order.environment, { ...said, kind: 'claim' }) };
}
const large = (changes: Parameters<typeof orderOn>[1] = {}) => orderOn('ethereum', { cents: ABOVE + 1n, ...changes });
const claim = (number: number, cents: bigint) =>
  claimed(orderOn('ethereum', { intentId: `claim_${number}`, session: `cs_${number}`, cents }));
const APPROVAL = { code: 'approval' };

describe('a refund above the threshold', () => {
  test('is signed with the passkeys of two people, and the journal names them', async () => {
    const order = large();
    await expect(sign(order, approve(order, [ADA, GRACE]))).resolves.toMatchObject({ hash: expect.any(String) });
    expect(fs.readFileSync(journalFile, 'utf8')).toContain('"approvedBy":["Ada","Grace"]');
  });

  test.each<[string, (order: RefundOrder) => SignedApproval[] | undefined, RegExp]>([
    ['without signatures', () => undefined, /0 of 2/],
    ['with one', (order) => approve(order, [ADA]), /1 of 2/],
    ['with the same one twice', (order) => approve(order, [ADA, ADA]), /belong to one person/],
    ['with two passkeys of one person', (order) => approve(order, [ADA, ADAS_OTHER]), /belong to one person/],
    ['with one of a passkey that is not on its list', (order) => approve(order, [ADA, STRANGER]), /approvers add/],
    [
      'with a passkey of the list whose signature another key made',
      (order) => [
        ...approve(order, [ADA]),
        { ...STRANGER.approve(approvalChallenge(digestOf(order))), id: GRACE.approverKey().credentialId },
      ],
      /approve it again/,
    ],
    ['with signatures made without a check of the person', (order) => both(order, { flags: PRESENT }), /again/],
    ['with signatures made on another origin', (order) => both(order, { origin: 'https://evil.example' }), /again/],
    ['with signatures made for another host', (order) => both(order, { host: 'evil.example' }), /again/],
    ['with signatures of the bare digest', (order) => [ADA, GRACE].map((one) => one.approve(digestOf(order))), /again/],
  ])('is refused %s', async (_, approvals, why) => {
    const order = large();
    const refusal = await sign(order, approvals(order)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ ...APPROVAL, message: expect.stringMatching(why) });
    await expect(sign(order, approve(order, [ADA, GRACE]))).resolves.toBeDefined();
  });

  test.each<[string, RefundOrder]>([
    ['refund', large({ intentId: 're_2' })],
    ['address', large({ to: '0x00000000000000000000000000000000000000aa' })],
    ['amount', large({ cents: ABOVE + 2n })],
    ['kind of address', claimed(large())],
    ['network', orderOn('bsc', { cents: ABOVE + 1n })],
  ])('is refused with a genuine pair of signatures for another %s', async (_, other) => {
    await expect(sign(other, approve(large(), [ADA, GRACE]))).rejects.toMatchObject(APPROVAL);
  });

  test('is also a small one that raises its session’s total above the threshold', async () => {
    const part = (intentId: string, cents: bigint) => orderOn('ethereum', { intentId, cents, session: 'cs_parts' });
    await sign(part('re_1', 600n));
    await sign(part('re_2', 400n));
    const third = part('re_3', 1n);
    await expect(sign(third)).rejects.toMatchObject(APPROVAL);
    await expect(sign(third, approve(third, [ADA, GRACE]))).resolves.toBeDefined();
  });

  test('stays approved for a replacement, also after a restart and when an approver has left', async () => {
    const order = large();
    await sign(order, approve(order, [ADA, GRACE]));
    writeApprovers(file, []);
    signer.close();
    signer = open(false, { file, publicUrl: ORIGIN });
    const fees = { maxFeePerGas: 6_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
    await expect(signer.signApproved({ order, draft: evmDraft(order, fees) })).resolves.toBeDefined();
  });

  test('needs no passkeys in a test environment without a list of approvers', async () => {
    signer.close();
    signer = open(false, null);
    expect(signer.state().guarded).toEqual({ live: true, test: false });
    await expect(sign(large())).resolves.toBeDefined();
    await expect(sign(claim(1, CLAIM.perDay + 1n))).resolves.toBeDefined();
  });
});

describe('a payment to an address that a customer gave', () => {
  test('has separate limits per refund, hour and day, which do not apply to proven payers', async () => {
    await expect(sign(claim(1, CLAIM.perRefund + 1n))).rejects.toMatchObject(APPROVAL);
    await sign(claim(2, 100n));
    await sign(claim(3, 100n));
    await expect(sign(claim(4, 51n))).rejects.toMatchObject({ code: 'limit', message: expect.stringMatching(/hour/) });
    await sign(claim(5, 50n));
    time.now += 3_600_001;
    await expect(sign(claim(6, 51n))).rejects.toMatchObject({ code: 'limit', message: expect.stringMatching(/day/) });
    await sign(orderOn('ethereum', { intentId: 're_payer', cents: 900n }));
    await sign(claim(7, 50n));
  });

  test('may exceed those limits when two people approve it, and then does not count against them', async () => {
    for (const number of [1, 2]) {
      const order = claim(number, 900n);
      await sign(order, approve(order, [ADA, GRACE]));
    }
    await expect(sign(claim(3, 100n))).resolves.toBeDefined();
  });

  test('counts against the limits after a restart', async () => {
    for (const number of [1, 2]) await sign(claim(number, 100n));
    signer.close();
    signer = open(false, { file, publicUrl: ORIGIN });
    await expect(sign(claim(3, 51n))).rejects.toMatchObject({ code: 'limit' });
  });

  test('does not become one to a proven payer when it is signed again', async () => {
    const order = claim(1, 100n);
    await sign(order);
    const { mac: _, ...said } = order.evidence;
    const evidence = makeEvidence(evidenceKey, 'test', { ...said, kind: 'payer' });
    const draft = await draftOf(order, 0);
    await expect(signer.signApproved({ order: { ...order, evidence }, draft })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

test('refunds in a token that is not offered count towards their session’s total, although they are summed separately', async () => {
  await sign(orderOn('ethereum', { intentId: 're_1', cents: 600n }));
  const apart = { intentId: 're_2', cents: 600n, session: 'cs_test_1/tron/USDC' };
  await expect(sign(orderOn('ethereum', apart))).rejects.toMatchObject({ code: 'approval' });
  await sign(orderOn('ethereum', { ...apart, session: 'cs_test_2/tron/USDC' }));
});

test('the signer refuses a list of approvers that others can write, and one that is damaged', async () => {
  const order = large();
  fs.chmodSync(file, 0o622);
  await expect(sign(order, approve(order, [ADA, GRACE]))).rejects.toThrow(/writable by other users/);
  fs.chmodSync(file, 0o600);
  fs.writeFileSync(file, '{"version":1,"approvers":[{}]}');
  await expect(sign(order, approve(order, [ADA, GRACE]))).rejects.toThrow(/not a list of approvers/);
});

test('the longest request fits into the limit: a Solana order with two RSA signatures and the longest credential ids', async () => {
  const order = orderOn('solana', { intentId: 'i'.repeat(100), session: 's'.repeat(128), to: PAYERS.solana });
  const draft = { ...(await draftOf(order)), unsigned: 'A'.repeat(1644) };
  const text = (length: number) => 'A'.repeat(length);
  const approval = { id: text(1364), clientDataJSON: text(1400), authenticatorData: text(400), signature: text(700) };
  const params = { order, draft, approvals: [approval, approval] };
  expect(signParams.safeParse(params).success).toBe(true);
  const line = JSON.stringify({ id: text(64), call: 'sign', params });
  expect(line.length).toBeLessThan(MAX_REQUEST_BYTES);
});
