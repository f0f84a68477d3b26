// A cold standby of the signer on a second machine: it signs nothing before a person lets it take over, it does not take over with a journal
// that lacks what the database has seen, and afterwards no worker lets the first signer sign, not even one that has just found it sound.

import fs from 'node:fs';
import path from 'node:path';
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SignParams } from '@/lib/signer/orders';
import { takeOver } from '@/lib/signer/keystore/take-over';
import { unfreeze } from '@/lib/signer/keystore/unfreeze';
import { createKeystore } from '@/lib/signer/keystore/keystore';
import type { Terminal } from '@/lib/signer/keystore/terminal';
import { journalKeyOf } from '@/lib/signer/journal/signer-journal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { readSignerSettings } from '@/lib/signer/settings';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { truncateFacts } from '@/testing/database/truncate';
import { openJournalScene, signerOf } from '@/testing/signer/journal-scene';
import { evmDraft, orderOn, partsOf, seed as walletSeed, START } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { openSignerCheck } from './signer-check';

const directory = useTemporaryDirectory();
const passphrase = 'a passphrase that is hard to guess';
const entropy = Buffer.alloc(32, 11);
/** Of the keystore, and so of the journals' key. The wallets are those whose drafts the scene makes. */
const seed = mnemonicToSeedSync(entropyToMnemonic(entropy, wordlist));
const time = { now: START };
let db: TestDatabase;
let keystore: string;
beforeAll(async () => {
  db = await openTestDatabase();
  keystore = path.join(directory, 'keystore.json');
  await createKeystore({ file: keystore, passphrase, entropy });
});
afterAll(() => db.close());
beforeEach(() => truncateFacts(db.pool, 'refund_attempts'));

const person = (...typed: string[]): Terminal => ({
  isTerminal: true,
  prompt: async () => typed.shift() ?? '',
  print: () => {},
});
const CONFIRMED = [passphrase, 'the first signer has stopped'];

const start = (journalFile: string, machineId: string, isNewWallet = false) => {
  const accounts = refundAccounts(walletSeed);
  return new RefundSigner({
    ...partsOf(journalFile, time),
    accounts,
    journalKey: journalKeyOf(seed),
    isNewWallet,
    machineId,
  });
};
const fileIn = (name: string) => path.join(fs.mkdtempSync(path.join(directory, `${name}-`)), 'journal');

/** A first signer that has signed one refund, and its database. */
async function open() {
  const scene = await openJournalScene(db, directory);
  const file = fileIn('first');
  const first = start(file, 'machine 1', true);
  const ask = async () => {
    const one = await scene.ask();
    const params: SignParams = { order: one.order, draft: one.draft };
    return { ...one, params };
  };
  const pay = async (signer: RefundSigner) => {
    const one = await ask();
    await scene.store(one, signer.sign(one.params));
  };
  const standby = (copied = file) => {
    const copy = fileIn('standby');
    fs.copyFileSync(copied, copy);
    return { file: copy, signer: start(copy, 'machine 2') };
  };
  const take = (copy: string, mark: string, typed = CONFIRMED) =>
    takeOver(readSignerSettings({ KEYSTORE_FILE: keystore, JOURNAL_FILE: copy }), mark, person(...typed));
  return { ...scene, file, first, ask, pay, standby, take };
}
type Scene = Awaited<ReturnType<typeof open>>;
const markOf = (signer: RefundSigner) => {
  const { records, head } = signer.state().journal;
  return `${records}:${head}`;
};
/** A worker that is connected to this signer. */
const workerAt = (scene: Scene, signer: RefundSigner) => {
  const check = openSignerCheck(
    signerOf(() => signer),
    [],
  );
  return () => check(scene.context, { isSigning: true });
};

test('a standby neither signs nor frees itself, and takes over with the whole journal once the person says that the first has stopped', async () => {
  const scene = await open();
  await scene.pay(scene.first);
  const mark = markOf(scene.first);
  const { file, signer } = scene.standby();
  const { params } = await scene.ask();
  expect(() => signer.sign(params)).toThrow(/frozen: the journal was written on another machine/);
  await expect(scene.take(file, mark, [passphrase, 'yes'])).rejects.toThrow('Nothing was done.');
  expect(() => signer.sign(params)).toThrow(/frozen/);
  await scene.take(file, mark);
  expect(signer.sign(params)).toMatchObject({ hash: expect.any(String) });
});

test('an unfreeze of a copy needs the same words as a take-over', async () => {
  const scene = await open();
  const { file, signer } = scene.standby();
  const lift = (...typed: string[]) =>
    unfreeze(readSignerSettings({ KEYSTORE_FILE: keystore, JOURNAL_FILE: file }), person(...typed));
  await expect(lift(passphrase, 'unfreeze')).rejects.toThrow('Nothing was done.');
  expect(signer.state()).toMatchObject({ frozen: true, moved: true });
  await lift(...CONFIRMED);
  expect(signer.state()).toMatchObject({ frozen: false, moved: false });
});

test('a take-over lifts no other freeze than that of the copy', async () => {
  const scene = await open();
  await scene.pay(scene.first);
  const mark = markOf(scene.first);
  scene.first.freeze('a person stopped it');
  const { file, signer } = scene.standby();
  expect(signer.state().reason).toBe('the journal was written on another machine; a person stopped it');
  await scene.take(file, mark);
  expect(signer.state()).toMatchObject({ frozen: true, reason: 'a person stopped it' });
  await expect(scene.take(file, mark)).rejects.toThrow(/frozen because: a person stopped it/);
});

test('a take-over keeps the account nonces of the copied journal', async () => {
  const scene = await open();
  const order = orderOn('ethereum', {});
  scene.first.sign({ order, draft: evmDraft(order, { nonce: 7 }) });
  const { file, signer } = scene.standby();
  await scene.take(file, markOf(scene.first));
  expect(signer.state()).toMatchObject({ frozen: false, nextNonces: { 'ethereum@local': 8 } });
});

test('a copy that lacks a record that the database has seen does not take over', async () => {
  const scene = await open();
  await scene.pay(scene.first);
  const old = scene.standby();
  await scene.pay(scene.first);
  await expect(scene.take(old.file, markOf(scene.first))).rejects.toThrow(/lacks records that the database has seen/);
  expect(fs.existsSync(`${old.file}.unfreeze`)).toBe(false);
  // As many records, of another journal: the standby's own.
  const { records } = old.signer.state().journal;
  await expect(scene.take(old.file, `${records}:${'0'.repeat(64)}`)).rejects.toThrow(/lacks records/);
  await expect(scene.take(old.file, 'latest')).rejects.toThrow(/needs RECORDS:HEAD/);
  await expect(scene.take(scene.file, markOf(scene.first))).rejects.toThrow(/already signs/);
});

test('after the take-over a worker that has just found the first signer sound lets it sign no more', async () => {
  const scene = await open();
  await scene.pay(scene.first);
  const ofFirst = workerAt(scene, scene.first);
  expect(await ofFirst()).toBe('ok');
  const { file, signer } = scene.standby();
  await scene.take(file, markOf(scene.first));
  const ofStandby = workerAt(scene, signer);
  expect(await ofStandby()).toBe('ok');
  // In the same second, long before the check of the first signer is due again.
  expect(await ofFirst()).toBe('frozen');
  expect(scene.first.state()).toMatchObject({ frozen: true, reason: expect.stringMatching(/journal is/) });
  const { params } = await scene.ask();
  expect(() => scene.first.sign(params)).toThrow(/frozen/);
  expect(start(scene.file, 'machine 1').state().frozen).toBe(true);
  await scene.pay(signer);
  expect(await ofStandby()).toBe('ok');
});

test('a first signer that signs once more after the copy was taken keeps the standby from signing', async () => {
  const scene = await open();
  await scene.pay(scene.first);
  const mark = markOf(scene.first);
  const { file, signer } = scene.standby();
  await scene.pay(scene.first);
  expect(await workerAt(scene, scene.first)()).toBe('ok');
  // The person took a mark from before, and the first signer had not stopped.
  await scene.take(file, mark);
  expect(await workerAt(scene, signer)()).toBe('frozen');
});

test('two workers at one signer do not disturb each other', async () => {
  const scene = await open();
  await scene.pay(scene.first);
  const [one, two] = [workerAt(scene, scene.first), workerAt(scene, scene.first)];
  for (let left = 3; left > 0; left--) {
    expect(await one()).toBe('ok');
    await scene.pay(scene.first);
    scene.clock.advance(30);
    expect(await two()).toBe('ok');
  }
  expect(scene.first.state().frozen).toBe(false);
});
