// The signer never gives an index of a deposit address twice, whatever happens to the database and the machine.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openScene, orderOn, partsOf, seed, solanaDraft, START, type Scene } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { INDEX_LIMIT, keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { callsOn } from './calls';
import { FreezeFiles } from './freeze';
import { RefundSigner } from './refund-signer';

const directory = useTemporaryDirectory();

const keys = keysFromSeed(Buffer.alloc(64, 7));
const isUsed = expect.objectContaining({ code: 'used' });
const isLimit = expect.objectContaining({ code: 'limit' });
const isFrozen = expect.objectContaining({ code: 'frozen' });
const give = async (signer: RefundSigner, from: number, count = 20) =>
  callsOn(keys, signer).get('addresses')?.({ from, count });

test('refuses an index at or below the highest one given, also after a restart and while frozen', async () => {
  const scene = openScene(directory);
  await give(scene.signer, 0);
  await expect(give(scene.signer, 0)).rejects.toThrow(isUsed);
  await expect(give(scene.signer, 19)).rejects.toThrow(isUsed);
  await give(scene.signer, 30);
  await expect(give(scene.signer, 20)).rejects.toThrow(isUsed);
  scene.signer.freeze('a test');
  await give(scene.signer, 50);
  await expect(give(scene.restart(), 69)).rejects.toThrow(isUsed);
  expect(await callsOn(keys, scene.signer).get('fingerprint')?.({})).toMatchObject({ highest: 69 });
  await give(scene.signer, 70);
});

test('gives no address while the journal cannot be written', async () => {
  const scene = openScene(directory);
  await give(scene.signer, 0);
  fs.appendFileSync(scene.journalFile, 'what is no record\n');
  await expect(give(scene.restart(), 20)).rejects.toThrow(isFrozen);
});

test('giving addresses does not invalidate an unfreeze ticket', async () => {
  const scene = openScene(directory);
  scene.signer.freeze('a test');
  const files = new FreezeFiles(scene.journalFile, partsOf('').journalKey);
  const { head, records } = scene.signer.state().journal;
  files.writeTicket({ number: records - 1, at: 0, hash: head });
  await give(scene.signer, 0);
  expect(scene.signer.state().frozen).toBe(false);
});

test('a copy on another machine gives no addresses and signs nothing until it is unfrozen, and then skips a million indexes', async () => {
  const { journalFile } = openScene(directory);
  const open = (machineId: string | null) =>
    new RefundSigner({ ...partsOf(journalFile), accounts: refundAccounts(seed), isNewWallet: false, machineId });
  const original = open('machine one');
  await give(original, 0);
  expect(open('machine one').state().frozen).toBe(false);
  expect(open(null).state().frozen).toBe(false);

  const copy = open('machine two');
  expect(copy.state()).toMatchObject({ frozen: true, reason: 'the journal was written on another machine' });
  await expect(give(copy, 20)).rejects.toThrow(isFrozen);
  const order = orderOn('solana');
  expect(() => copy.sign({ order, draft: solanaDraft(order) })).toThrow(isFrozen);
  await expect(give(open('machine two'), 20)).rejects.toThrow(isFrozen);

  const { head, records } = copy.state().journal;
  new FreezeFiles(journalFile, partsOf('').journalKey).writeTicket({ number: records - 1, at: 0, hash: head });
  const moved = open('machine two');
  expect(moved.state().frozen).toBe(false);
  await expect(give(moved, 20)).rejects.toThrow(isUsed);
  await give(moved, 1_000_020);
  expect(open('machine two').state().frozen).toBe(false);
  expect(open('machine one').state().frozen).toBe(true);
});

const MILLION = 1_000_000;
const DAY = 24 * 3_600_000;
/** As a restored database and a failover do, each with a journal that knows all indexes. */
const skipMillion = (signer: RefundSigner) => give(signer, signer.highestIndex + 1 + MILLION);
/** As a person does at the signer's terminal. */
function unfreeze({ signer, journalFile }: Scene): void {
  signer.freeze('a test');
  const { head, records } = signer.state().journal;
  new FreezeFiles(journalFile, partsOf('').journalKey).writeTicket({ number: records - 1, at: 0, hash: head });
  expect(signer.state().frozen).toBe(false);
}

test('no request ends the deposit addresses of the wallet: it skips at most twenty million indexes a day', async () => {
  const { signer } = openScene(directory);
  await give(signer, 0);
  for (const from of [INDEX_LIMIT - 20, 500 * MILLION, 20 * MILLION + 1])
    await expect(give(signer, from)).rejects.toThrow(isLimit);
  expect(signer.highestIndex).toBe(19);
  await give(signer, 20 * MILLION);
  await expect(give(signer, 20 * MILLION + 21)).rejects.toThrow(isLimit);
  await give(signer, 20 * MILLION + 20);
});

test('small skips count too, and a request that skips nothing is taken also after all skips of a day', async () => {
  const { signer } = openScene(directory);
  await give(signer, 0);
  await give(signer, 19 * MILLION, 1);
  let skipped = 19 * MILLION;
  for (let turn = 0; turn < 5; turn++) await give(signer, (skipped += 200_000) - 1, 1);
  await expect(give(signer, skipped + 30, 1)).rejects.toThrow(isLimit);
  await give(signer, skipped, 200);
});

test('a busy installation may fail over nineteen times in a day, again on the next one, also over restarts and closed segments', async () => {
  const journalFile = path.join(fs.mkdtempSync(path.join(directory, 'scene-')), 'journal');
  const time = { now: START };
  const open = (isNewWallet: boolean) =>
    new RefundSigner({ ...partsOf(journalFile, time), isNewWallet, segmentBytes: 1000 });
  let signer = open(true);
  await give(signer, 0);
  for (let day = 0; day < 2; day++) {
    for (let failover = 0; failover < 19; failover++) {
      await skipMillion(signer);
      if (failover % 5 === 0) signer = open(false);
    }
    await expect(skipMillion(signer)).rejects.toThrow(isLimit);
    time.now += DAY;
  }
  expect(signer.state().journal.segments).toBeGreaterThan(3);
});

test('a new journal goes on from wherever the database is, once', async () => {
  const { signer } = openScene(directory);
  await expect(give(signer, 1_100 * MILLION)).rejects.toThrow(isLimit);
  await give(signer, 700 * MILLION);
  await expect(give(signer, 900 * MILLION)).rejects.toThrow(isLimit);
  await skipMillion(signer);
});

test('an older journal goes on from wherever the database is once a person has unfrozen the signer', async () => {
  const scene = openScene(directory);
  await give(scene.signer, 0);
  await expect(give(scene.signer, 60 * MILLION)).rejects.toThrow(isLimit);
  unfreeze(scene);
  await give(scene.restart(), 60 * MILLION);
  await expect(give(scene.signer, 120 * MILLION)).rejects.toThrow(isLimit);
  await skipMillion(scene.signer);
});

test('not even after an unfreeze a request leaves less than half of all indexes', async () => {
  const scene = openScene(directory);
  unfreeze(scene);
  await expect(give(scene.signer, INDEX_LIMIT - 20)).rejects.toThrow(isLimit);
  await expect(give(scene.signer, Math.floor(INDEX_LIMIT / 2) - 19)).rejects.toThrow(isLimit);
  await give(scene.signer, Math.floor(INDEX_LIMIT / 2) - 20);
});
