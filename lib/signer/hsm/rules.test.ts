// The signer's rules with a key in the HSM: the journal, the wait for an HSM that is away, and the change of a wallet.

import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { Transaction } from 'ethers';
import { beforeEach, expect, test } from 'vitest';
import { FreezeFiles } from '@/lib/signer/freeze';
import { Journal } from '@/lib/signer/journal/journal';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import { refundAccounts, refundAddresses } from '@/lib/treasury/wallets/derivation-refund';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import {
  draftOf,
  evmDraft,
  orderOn,
  partsOf,
  seed,
  solanaDraft,
  solanaSteps,
  START,
  tronDraft,
} from '@/testing/signer/signer-scene';
import { makeKeys, openSoftHsm, type SoftHsm } from '@/testing/signer/soft-hsm';
import { sweepOf, sweepPolicy } from '@/testing/signer/sweep-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { openHsmAccounts, withHsmRefunds, withHsmSponsors } from './accounts';
import { Hsm } from './hsm';
import type { HsmKey, HsmWallet } from './settings';

const directory = useTemporaryDirectory();
const wallet = (family: HsmWallet['family'], role: HsmWallet['role'] = 'refund') =>
  ({ role, environment: 'test', family }) as const;

let soft: SoftHsm;
let journalFile: string;
let time: { now: number };
beforeEach(() => {
  soft = openSoftHsm(directory);
  journalFile = path.join(mkdtempSync(path.join(directory, 'rules-')), 'journal');
  time = { now: START };
});

const keysOf = (wallets: readonly HsmWallet[]) => makeKeys(soft, wallets);
const inHsm = (keys: readonly HsmKey[]) => openHsmAccounts(new Hsm(soft.place, { now: () => time.now }), keys);

/** The signer on the journal, with these wallets in the HSM. */
function openSigner(keys: readonly HsmKey[], isNewWallet = true) {
  const ofSeed = refundAccounts(seed);
  const accounts = keys.length === 0 ? ofSeed : withHsmRefunds(ofSeed, inHsm(keys));
  const parts = { ...partsOf(journalFile, time), accounts, isNewWallet };
  const journal = new SignerJournal(parts);
  journal.noteWallets({ now: refundAddresses(accounts), ofSeed: refundAddresses(ofSeed) });
  return { signer: new RefundSigner(parts, journal), journal, accounts };
}

/** An honest draft that the wallet in the HSM pays. */
async function draftFrom(family: HsmWallet['family'], order: ReturnType<typeof orderOn>, from: string) {
  if (family === 'evm') return { ...evmDraft(order), from };
  if (family === 'tron') return tronDraft(order, 0, START, { owner: from });
  return solanaDraft(order, 0, solanaSteps(order, from), from);
}
const NETWORK = { evm: 'ethereum', tron: 'tron', solana: 'solana' } as const;

test.each(['evm', 'tron', 'solana'] as const)(
  'a repeated order gets the stored signature, also after a restart and while the HSM is away: %s',
  async (family) => {
    const keys = keysOf([wallet(family)]);
    const { signer, accounts, journal } = openSigner(keys);
    const order = orderOn(NETWORK[family]);
    const draft = await draftFrom(family, order, keys[0]!.address);
    const signed = signer.sign({ order, draft });
    const { records } = journal.state();
    // The HSM itself signs the same digest differently each time (Ed25519 the same).
    const digest = Buffer.alloc(32, 5);
    const { sign } = accounts.of('test', family);
    expect(Buffer.compare(sign(digest), sign(digest)) === 0).toBe(family === 'solana');
    for (let repeat = 0; repeat < 20; repeat++) expect(signer.sign({ order, draft })).toEqual(signed);
    soft.remove();
    expect(signer.sign({ order, draft })).toEqual(signed);
    expect(journal.state().records).toBe(records);
    soft.putBack();
    signer.close();
    const again = openSigner(keys, false);
    expect(again.signer.state().frozen).toBe(false);
    expect(again.signer.sign({ order, draft })).toEqual(signed);
    expect(again.signer.attempts(order.intentId).attempts).toHaveLength(1);
  },
);

test('while the HSM is away nothing is signed or journaled, and the same order is signed once it is back', async () => {
  const keys = keysOf([wallet('tron')]);
  const { signer, journal } = openSigner(keys);
  const [first, second] = [orderOn('tron', { intentId: 're_1' }), orderOn('tron', { intentId: 're_2' })];
  signer.sign({ order: first, draft: await draftFrom('tron', first, keys[0]!.address) });
  const { head } = journal.state();
  const draft = await tronDraft(second, 1, START, { owner: keys[0]!.address });
  soft.remove();
  for (let call = 0; call < 3; call++) {
    expect(() => signer.sign({ order: second, draft })).toThrow(/no HSM with the label/);
    time.now += 3000;
  }
  expect(journal.state().head).toBe(head);
  expect(signer.attempts('re_2').attempts).toEqual([]);
  soft.putBack();
  const signed = signer.sign({ order: second, draft });
  expect(signer.sign({ order: second, draft })).toEqual(signed);
  expect(signer.attempts('re_2').attempts).toHaveLength(1);
  expect(journal.state()).toMatchObject({ intents: 2, attempts: 2 });
});

test('every rule of the signer stays in front of the HSM', async () => {
  const keys = keysOf([wallet('tron')]);
  const { signer } = openSigner(keys);
  const order = orderOn('tron');
  const ofSeed = await draftOf(order);
  expect(() => signer.sign({ order, draft: ofSeed })).toThrow(/pays from another address/);
  const draft = await draftFrom('tron', order, keys[0]!.address);
  const stolen = { ...order, to: keys[0]!.address };
  expect(() => signer.sign({ order: stolen, draft })).toThrow(/the refund wallet itself/);
  expect(() => signer.sign({ order: { ...order, amount: '999999990000000' }, draft })).toThrow(/limit per refund/);
  expect(() => signer.sign({ order: orderOn('tron', { cents: 5n }), draft })).toThrow(/draft|amount|order/);
  signer.freeze('a test');
  expect(() => signer.sign({ order, draft })).toThrow(/frozen: a test/);
});

test('another refund wallet freezes a signer that has signed payments, until a person unfreezes it', async () => {
  const before = openSigner([]);
  const [one, other] = [orderOn('ethereum', { intentId: 're_1' }), orderOn('ethereum', { intentId: 're_2' })];
  const old = evmDraft(one, { nonce: 0 });
  before.signer.sign({ order: one, draft: old });
  before.signer.close();

  const keys = keysOf([wallet('evm')]);
  const [{ address }] = keys as [HsmKey];
  const after = openSigner(keys, false);
  expect(after.signer.state()).toMatchObject({
    frozen: true,
    reason: expect.stringMatching(/other refund wallets than before/),
  });
  const draft = { ...evmDraft(other, { nonce: 0 }), from: address };
  expect(() => after.signer.sign({ order: other, draft })).toThrow(/frozen/);
  const { head } = Journal.read(journalFile, partsOf('').journalKey, () => {});
  new FreezeFiles(journalFile, partsOf('').journalKey).writeTicket(head);
  // The nonces of the new wallet begin anew, and those of the former one are no reason to refuse it.
  expect(after.signer.state()).toMatchObject({ frozen: false, nextNonces: {}, wallets: { test: { evm: address } } });
  after.signer.sign({ order: other, draft });
  // The former wallet's payment may still land, so the new one never replaces it.
  const dearer = { maxFeePerGas: 6_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
  const twice = { ...evmDraft(one, { nonce: 0, ...dearer }), from: address };
  expect(() => after.signer.sign({ order: one, draft: twice })).toThrow(/must pay from the wallet of the intent/);
  after.signer.close();
  const restarted = openSigner(keys, false);
  expect(restarted.signer.state().frozen).toBe(false);
  restarted.signer.close();
  expect(openSigner([], false).signer.state().frozen).toBe(true);
});

test.each([
  ['short', 'an operator froze it'],
  ['as long as a record takes', 'x'.repeat(300)],
])('another refund wallet of a frozen signer is added to the reason of its freeze: %s', (_length, reason) => {
  const before = openSigner([]);
  const order = orderOn('ethereum');
  before.signer.sign({ order, draft: evmDraft(order) });
  before.journal.freeze(reason);
  before.signer.close();
  const keys = keysOf([wallet('evm')]);
  for (let start = 0; start < 2; start++) {
    const { journal, signer } = openSigner(keys, false);
    expect(journal.frozen()).toBe(
      `the settings name other refund wallets than before; see that no payment of the former ones is open, then unfreeze; ${reason}`.slice(
        0,
        300,
      ),
    );
    signer.close();
  }
});

test('a signer that has signed no payment takes its wallets without a freeze, and remembers them past its segments', () => {
  const keys = keysOf([wallet('evm'), wallet('solana')]);
  const parts = { ...partsOf(journalFile, time), segmentBytes: 2000 };
  const ofSeed = refundAddresses(parts.accounts);
  const now = refundAddresses(withHsmRefunds(parts.accounts, inHsm(keys)));
  const journal = new SignerJournal(parts);
  journal.noteWallets({ now, ofSeed });
  expect(journal.frozen()).toBeNull();
  for (let index = 0; index < 50; index++) journal.giveIndexes({ from: index, count: 1 });
  expect(journal.state().segments).toBeGreaterThan(0);
  journal.close();
  const again = new SignerJournal({ ...parts, isNewWallet: false });
  expect(again.index.wallets).toEqual(now);
  const { records } = again.state();
  again.noteWallets({ now, ofSeed });
  expect(again.state().records).toBe(records);
});

test('a journal without an HSM gets no record about wallets, so the former version of the signer still reads it', () => {
  const { journal } = openSigner([]);
  expect([journal.index.wallets, journal.state().records]).toEqual([null, 1]);
});

test('a sponsor in the HSM signs sweeps and pays their fees, and none is signed while the HSM is away', () => {
  const keys = keysOf([wallet('evm', 'sponsor')]);
  const parts = partsOf(journalFile, time);
  const journal = new SignerJournal(parts);
  journal.giveIndexes({ from: 0, count: 10 });
  const sponsors = withHsmSponsors(sweepKeys(seed), 'evm', inHsm(keys));
  const sweeps = new SweepSigner({ journal, keys: sponsors, policy: sweepPolicy(), refundWallets: {} });
  const signed = sweeps.sweep(sweepOf({ kind: 'top_up', index: 3, amount: '1000' }));
  expect([signed.from, Transaction.from(signed.bytes).from?.toLowerCase()]).toEqual([
    keys[0]!.address,
    keys[0]!.address,
  ]);
  expect(sweeps.state()[0]).toMatchObject({ sponsor: keys[0]!.address, active: keys[0]!.address });
  // The spare sponsor and the deposit addresses keep the keys of the seed.
  expect(sponsors.sponsor('test', 'spare')).toEqual({
    ...sweepKeys(seed).sponsor('test', 'spare'),
    sign: expect.any(Function),
  });
  const { head } = journal.state();
  soft.remove();
  expect(() => sweeps.sweep(sweepOf({ kind: 'top_up', index: 4, amount: '1000' }))).toThrow(/no HSM/);
  expect(journal.state().head).toBe(head);
});
