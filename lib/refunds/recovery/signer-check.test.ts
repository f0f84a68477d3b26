// Nothing is signed while the signer's journal, the database and the chains do not agree.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { startAnvil } from '@/testing/evm/anvil';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openJournalScene, signerOf } from '@/testing/signer/journal-scene';
import { FreezeFiles } from '@/lib/signer/freeze';
import { Journal } from '@/lib/signer/journal/journal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { accounts, localSpec, openScene, partsOf, seed } from '@/testing/signer/signer-scene';
import { truncateFacts } from '@/testing/database/truncate';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { openSignerCheck, type CheckedChain } from './signer-check';

const directory = useTemporaryDirectory();
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
const open = () => openJournalScene(db, directory);
type Scene = Awaited<ReturnType<typeof open>>;
/** The verdict of a worker that has just started, and why it froze. */
const verdictOf = async ({ context, signer, signing }: Scene, chains: CheckedChain[] = []) => [
  await openSignerCheck(signer, chains)(context),
  signing.signer.state().reason,
];
const OK = ['ok', null];
/** A second signer on a copy of the journal, as on a cloned machine: its machine id is the same. */
function cloneOf(scene: Scene): Scene {
  const file = path.join(fs.mkdtempSync(path.join(directory, 'clone-')), 'keystore.json.journal');
  fs.copyFileSync(scene.signing.journalFile, file);
  const signer = new RefundSigner({ ...partsOf(file), accounts: refundAccounts(seed), isNewWallet: false });
  return { ...scene, signing: { ...scene.signing, signer }, signer: signerOf(() => signer) };
}
/** Rows that one test inserts belong to no other test. */
const forget = () => truncateFacts(db.pool, 'refund_attempts');

describe('when everything agrees', () => {
  test('records that were compared once are not read again', async () => {
    const scene = await open();
    await forget();
    expect(await verdictOf(scene)).toEqual(OK);
    for (let count = 0; count < 3; count++) {
      const one = await scene.ask();
      await scene.store(one, one.sign());
    }
    expect(await verdictOf(scene)).toEqual(OK);
    expect(await scene.cursor()).toMatchObject({ records: 10n, head: scene.signing.signer.state().journal.head });
    const { journal } = scene.signer.requests;
    expect(await verdictOf(scene)).toEqual(OK);
    expect(scene.signer.requests.journal).toBe(journal);
  });

  test('an attempt that is signed but not stored yet agrees: it is stored as a draft', async () => {
    const scene = await open();
    await forget();
    const one = await scene.ask();
    await scene.store(one);
    expect(await verdictOf(scene)).toEqual(OK);
    one.sign();
    expect(await verdictOf(scene)).toEqual(OK);
    // A request that was on its way when another worker learned that nothing was signed.
    const late = await scene.ask();
    await scene.store(late);
    await db.pool.query(`UPDATE refund_attempts SET status = 'refused', ended_at = now() WHERE intent_id = $1`, [
      late.order.intentId,
    ]);
    late.sign();
    expect(await verdictOf(scene)).toEqual(OK);
  });

  test('the check repeats after half a minute, and every second while it does not agree', async () => {
    const scene = await open();
    await forget();
    const check = openSignerCheck(scene.signer, []);
    expect(await check(scene.context)).toBe('ok');
    (await scene.ask()).sign();
    scene.clock.advance(29);
    expect(await check(scene.context)).toBe('ok');
    scene.clock.advance(1);
    expect(await check(scene.context)).toBe('frozen');
    expect(await Promise.all([check(scene.context), check(scene.context)])).toEqual(['frozen', 'frozen']);
  });
});

describe('the signer is frozen when', () => {
  test('the database does not know what the journal signed', async () => {
    const scene = await open();
    await forget();
    const [known, unknown, other] = [await scene.ask(), await scene.ask(), await scene.ask({ network: 'ethereum' })];
    await scene.store(known, known.sign());
    expect(await verdictOf(scene)).toEqual(OK);
    unknown.sign();
    other.sign();
    // Its own draft of one of them is not what was signed.
    await scene.store({ ...unknown, draft: (await scene.ask()).draft });
    expect(await verdictOf(scene)).toEqual([
      'frozen',
      'the database is older than the journal: 2 refunds unknown to it',
    ]);
    expect(await scene.cursor()).toMatchObject({ records: 4n });
  });

  test.each([
    ['its payment has ended', 'failed', {}],
    ['it is in a batch', 'processing', { item: 0 }],
  ])('a draft that was recorded as refused was signed, and %s', async (_, status, place) => {
    const scene = await open();
    await forget();
    const late = await scene.ask({ network: 'ethereum' });
    await scene.store({ ...late, draft: { ...late.draft, ...place } });
    const { intentId } = late.order;
    await db.pool.query(`UPDATE refund_attempts SET status = 'refused', ended_at = now() WHERE intent_id = $1`, [
      intentId,
    ]);
    if (status === 'failed')
      await db.pool.query(
        `UPDATE refunds SET status = 'failed', failure_reason = '-', processed_at = now() WHERE id = $1`,
        [intentId],
      );
    expect(await verdictOf(scene)).toEqual(OK);
    late.sign();
    const why = 'the database is older than the journal: 1 refunds unknown to it';
    expect(await verdictOf(scene)).toEqual(['frozen', why]);
  });

  test('the journal was put back from a copy, lost, or replaced', async () => {
    const scene = await open();
    await forget();
    const [one, two] = [await scene.ask(), await scene.ask()];
    await scene.store(one, one.sign());
    const copy = fs.readFileSync(scene.signing.journalFile);
    await scene.store(two, two.sign());
    expect(await verdictOf(scene)).toEqual(OK);
    fs.writeFileSync(scene.signing.journalFile, copy);
    scene.signing.restart();
    const older = ['frozen', 'the journal is older than the database'];
    expect(await verdictOf(scene)).toEqual(older);

    const strange = openScene(directory);
    expect(await verdictOf({ ...scene, signing: strange, signer: signerOf(() => strange.signer) })).toEqual(older);
    const grown = openScene(directory);
    for (let count = 0; count < 10; count++) grown.signer.sign(await scene.ask());
    expect(await verdictOf({ ...scene, signing: grown, signer: signerOf(() => grown.signer) })).toEqual([
      'frozen',
      'the journal is not the one that the database knows',
    ]);
  });

  test('a cloned machine with the same machine id runs a second signer, and the two answer alternately', async () => {
    const scene = await open();
    await forget();
    const first = await scene.ask();
    await scene.store(first, first.sign());
    expect(await verdictOf(scene)).toEqual(OK);
    const clone = cloneOf(scene);

    const second = await scene.ask();
    await scene.store(second, clone.signing.signer.sign(second));
    expect(await verdictOf(clone)).toEqual(OK);
    expect(await verdictOf(scene)).toEqual(['frozen', 'the journal is older than the database']);
  });

  test('a cloned signer has signed something other than the original since', async () => {
    const scene = await open();
    await forget();
    const clone = cloneOf(scene);

    const [one, other] = [await scene.ask(), await scene.ask()];
    await scene.store(one, one.sign());
    expect(await verdictOf(scene)).toEqual(OK);
    clone.signing.signer.sign(other);
    expect(await verdictOf(clone)).toEqual(['frozen', 'the journal is not the one that the database knows']);
    expect(await verdictOf(scene)).toEqual(OK);
  });

  test('a journal of the same length has a different end', async () => {
    const scene = await open();
    await forget();
    expect(await verdictOf(scene)).toEqual(OK);
    await db.pool.query('UPDATE signer_marks SET head = $1', ['0'.repeat(64)]);
    expect(await verdictOf(scene)).toEqual(['frozen', 'the journal is not the one that the database knows']);
  });

  test('the database has a transaction that may land and that the signer never made', async () => {
    const scene = await open();
    await forget();
    const [one, stranger] = [await scene.ask(), await scene.ask()];
    await scene.store(one, one.sign());
    const elsewhere = openScene(directory).signer;
    await scene.store(stranger, elsewhere.sign(stranger));
    expect(await verdictOf(scene)).toEqual([
      'frozen',
      'the journal does not know 1 transactions of the database that may still land',
    ]);
  });

  test('the database belongs to another wallet', async () => {
    const scene = await open();
    await forget();
    await db.pool.query(`INSERT INTO wallets (id, fingerprint) VALUES (1, $1)`, ['a'.repeat(64)]);
    try {
      expect(await verdictOf(scene)).toEqual(['frozen', 'the database belongs to another wallet']);
    } finally {
      await db.pool.query('DELETE FROM wallets');
    }
  });

  test('the chain has more transactions of the wallet in blocks than the signer made', async () => {
    const scene = await open();
    await forget();
    const one = await scene.ask({ network: 'ethereum' });
    const chain = (final: () => Promise<number>): CheckedChain[] => [
      { spec: localSpec('ethereum'), sender: { minedNonce: final } },
      { spec: localSpec('tron'), sender: {} },
    ];
    // The signer is not responsible for transactions before the first payment of this journal.
    expect(
      await verdictOf(
        scene,
        chain(async () => 5),
      ),
    ).toEqual(OK);
    await scene.store(one, one.sign());
    expect(
      await verdictOf(
        scene,
        chain(async () => 1),
      ),
    ).toEqual(OK);
    const silent = async (): Promise<number> => {
      throw new ChainError('unavailable', 'no endpoint answers');
    };
    expect(await verdictOf(scene, chain(silent))).toEqual(OK);
    expect(
      await verdictOf(
        scene,
        chain(async () => 2),
      ),
    ).toEqual(['frozen', 'the key of the refund wallet was used elsewhere on ethereum']);
  });

  test('a wallet that the signer has not used yet makes a transaction, and not for those of before the check', async () => {
    const scene = await open();
    await forget();
    const mined = { count: 5 };
    const sender = { minedNonce: async () => mined.count };
    const check = openSignerCheck(scene.signer, [{ spec: localSpec('ethereum'), sender }]);
    expect(await check(scene.context)).toBe('ok');
    scene.clock.advance(30);
    expect(await check(scene.context)).toBe('ok');
    mined.count = 6;
    scene.clock.advance(30);
    expect(await check(scene.context)).toBe('frozen');
    // While it is frozen, and after its end, another transaction is the operator's.
    mined.count = 7;
    scene.clock.advance(1);
    expect(await check(scene.context)).toBe('frozen');
    const { journalFile } = scene.signing;
    const { journalKey } = partsOf(journalFile);
    new FreezeFiles(journalFile, journalKey).writeTicket(Journal.read(journalFile, journalKey, () => {}).head);
    scene.clock.advance(1);
    expect(await check(scene.context)).toBe('ok');
    mined.count = 8;
    scene.clock.advance(30);
    expect(await check(scene.context)).toBe('frozen');
  });

  test('but not for payments of before an unfreeze, whose nonces are higher than that of the first one after it', async () => {
    const scene = await open();
    await forget();
    const [first, later] = [await scene.ask({ network: 'ethereum' }), await scene.ask({ network: 'ethereum' })];
    await scene.store(first, first.sign());
    const spec = localSpec('ethereum');
    const from = scene.signing.signer.state().wallets[spec.environment].evm;
    const validity = { kind: 'nonce', nonce: 4 } as const;
    const landed = { ...first.sign(), hash: `0x${'cd'.repeat(32)}`, validity };
    await scene.store({ ...later, draft: { ...later.draft, from } }, landed);
    await db.pool.query(`UPDATE refund_attempts SET status = 'lapsed', ended_at = now() WHERE hash = $1`, [
      landed.hash,
    ]);
    const at = (count: number) => verdictOf(scene, [{ spec, sender: { minedNonce: async () => count } }]);
    expect(await at(5)).toEqual(OK);
    expect((await at(6))[0]).toBe('frozen');
  });

  test('but not because a public test network has more: its one endpoint never stops live refunds', async () => {
    const scene = await open();
    await forget();
    const one = await scene.ask({ network: 'ethereum' });
    await scene.store(one, one.sign());
    // As if the payment had been made on the chain that is read.
    const on = (chain: 'testnet' | 'mainnet') => {
      const state = async () => ({ ...(await scene.signer.state()), nextNonces: { [`ethereum@${chain}`]: 1 } });
      const spec = { ...localSpec('ethereum'), chain };
      const sender = { minedNonce: async () => 99 };
      return verdictOf({ ...scene, signer: { ...scene.signer, state } }, [{ spec, sender }]);
    };
    expect(await on('testnet')).toEqual(OK);
    expect((await on('mainnet'))[0]).toBe('frozen');
  });
});

test('a signer that does not respond, or responds with invalid data, gets no signature requests', async () => {
  const { context, signer } = await open();
  for (const fault of ['unavailable', 'contradiction'] as const) {
    const state = () => Promise.reject(new AddressSourceError(fault, 'no'));
    expect(await openSignerCheck({ ...signer, state }, [])(context)).toBe('unavailable');
  }
});

test('the final nonce of a wallet counts only final transactions, and none that a reorg may still drop', async () => {
  const spec = localSpec('ethereum');
  const anvil = await startAnvil(spec);
  try {
    const sender = openEvmSender({ spec, urls: [anvil.url], needed: 1, clock: systemClock, log: silentLog() });
    const { address } = accounts.of('test', 'evm');
    expect(await sender.finalNonce?.(address)).toBe(0);
    await anvil.rpc('anvil_setBalance', address, '0xde0b6b3a7640000');
    await anvil.rpc('anvil_impersonateAccount', address);
    await anvil.rpc('eth_sendTransaction', { from: address, to: address, value: '0x1' });
    await anvil.mine();
    expect(await sender.nextNonce(address)).toBe(1);
    // A foreign transaction stops signing before it is final.
    expect(await sender.minedNonce?.(address)).toBe(1);
    expect(await sender.finalNonce?.(address)).toBe(0);
    await anvil.mine(10);
    expect(await sender.finalNonce?.(address)).toBe(1);
  } finally {
    await anvil.stop();
  }
});
