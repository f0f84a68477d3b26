// The signer never gives an index of a deposit address twice, whatever happens to the database and the machine.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { openScene, orderOn, partsOf, seed, solanaDraft } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { callsOn } from './calls';
import { FreezeFiles } from './freeze';
import { RefundSigner } from './refund-signer';

const directory = useTemporaryDirectory();

const keys = keysFromSeed(Buffer.alloc(64, 7));
const isUsed = expect.objectContaining({ code: 'used' });
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
