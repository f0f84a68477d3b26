// A signed return of which the endpoints never say what became of it stops every new one of its wallet. An operator ends it, on the local chains
// of all families, but not while its transaction may still land.

import { Connection, Keypair, PublicKey, SystemProgram, Transaction as SolanaTransaction } from '@solana/web3.js';
import { JsonRpcProvider, Wallet } from 'ethers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AttemptOutcome, ChainSender } from '@/lib/networks/sending/send';
import { ChainError } from '@/lib/networks/chain';
import { openReturnScene, type ReturnScene } from '@/testing/cold-storage/return-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  startColdEvm,
  startColdSolana,
  startColdTron,
  type ColdChain,
  type ColdWallet,
} from '@/testing/cold-storage/cold-chains';

const PRUNED: AttemptOutcome = { kind: 'pruned', reason: 'endpoint 1 has forgotten the nonces of old blocks' };
const REASON = 'The explorer shows another transaction with its nonce.';

let chain: ColdChain;
let db: TestDatabase;
let scene: ReturnScene;
let cold: ColdWallet;
let nonce: string | null;
let id: string;

async function open(start: () => Promise<ColdChain>): Promise<void> {
  chain = await start();
  db = await openTestDatabase();
  cold = await chain.coldWallet(1000_00n);
  nonce = await chain.nonceAccount(cold.address);
  scene = await openReturnScene({ db, ...chain, cold });
  await scene.request('100', 'request', nonce);
  await scene.sign('request');
  // Signed and stored, and in no block.
  const deaf = withSender({ broadcast: async () => 'accepted' });
  expect(await scene.online(['send', 'request.signed', '--no-wait'], deaf)).toMatchObject({ code: 3 });
  id = (await scene.rows())[0]!.id;
}
afterEach(async () => {
  await chain.stop();
  await db.close();
});

const withSender = (over: Partial<ChainSender>) => ({
  chain: { ...scene.chain, sender: { ...scene.chain.sender, ...over } },
});
/** The endpoints broadcast nothing more and report only this about the transaction. */
const reporting = (outcome: AttemptOutcome) =>
  withSender({ broadcast: async () => 'accepted', outcome: async () => outcome });
const giveUp = (
  over: object,
  { typed = id, words = ['--reason', REASON] }: { typed?: string | null; words?: string[] } = {},
) => scene.online(['give-up', id, ...words], { ask: async () => typed, ...over });
const outcomes = async () => (await scene.rows()).map(({ outcome }) => outcome);
const audited = async () =>
  (await db.prisma.auditEntry.findMany({ orderBy: { number: 'asc' } })).map(({ action, target, details }) => ({
    action,
    target,
    details,
  }));

describe('ethereum', () => {
  beforeEach(() => open(() => startColdEvm()), 60_000);
  const useNonce = async () => {
    const wallet = new Wallet(cold.keyFile.trim(), new JsonRpcProvider(chain.rpcUrl));
    await wallet.sendTransaction({ to: cold.address, value: 0n });
    await chain.mine();
  };

  it('ends what can no longer land, with the reason in the audit log, and the next request follows', async () => {
    await useNonce();
    expect(await scene.online(['send', 'request.signed', '--no-wait'], reporting(PRUNED))).toMatchObject({
      code: 3,
      text: expect.stringContaining(`npm run cold -- give-up ${id}`),
    });
    expect(await scene.request('50', 'next')).toMatchObject({
      code: 3,
      text: expect.stringContaining('not final yet'),
    });
    expect(await giveUp(reporting(PRUNED))).toMatchObject({ code: 0, text: expect.stringContaining('is given up') });
    expect(await outcomes()).toEqual(['given_up']);
    expect(await audited()).toMatchObject([
      {
        action: 'cold_return.give_up',
        target: `cold_return/${id}`,
        details: { reason: REASON, network: 'ethereum', currency: 'USDT', amount: '100000000' },
      },
    ]);
    expect(await scene.request('50', 'next')).toMatchObject({ code: 0 });
    await scene.sign('next');
    expect(await scene.online(['send', 'next.signed'], { pause: () => chain.mine() })).toMatchObject({ code: 0 });
    expect([new Set(await outcomes()), await scene.broken()]).toEqual([new Set(['given_up', 'landed']), []]);
    expect(await giveUp(reporting(PRUNED))).toMatchObject({
      code: 3,
      text: expect.stringContaining('has ended: given_up'),
    });
  }, 60_000);

  it.each<[string, AttemptOutcome]>([
    ['the endpoints wait for it', { kind: 'waiting' }],
    ['the endpoints have forgotten what they need to know', PRUNED],
  ])(
    'refuses while its account nonce is unused and %s',
    async (_, outcome) => {
      expect(await giveUp(reporting(outcome))).toMatchObject({
        code: 3,
        text: expect.stringContaining('may still land'),
      });
      expect([await outcomes(), await audited()]).toEqual([[null], []]);
    },
    60_000,
  );

  it('refuses while an endpoint has it in a block or in its pool, although its nonce is used', async () => {
    await useNonce();
    const seen = reporting({ kind: 'seen', hash: '0x', confirmations: 0 });
    expect(await giveUp(seen)).toMatchObject({ code: 3, text: expect.stringContaining('may still land') });
    expect(await outcomes()).toEqual([null]);
  }, 60_000);

  it('refuses while too few endpoints report the nonce, and ends it when they contradict each other about the rest', async () => {
    await useNonce();
    const outcome = () => Promise.reject(new ChainError('contradiction', 'endpoint 1 has lost a receipt'));
    const away = () =>
      Promise.reject(new ChainError('unavailable', 'too few endpoints report the wallet’s final nonce'));
    expect(await giveUp(withSender({ outcome, finalNonce: away }))).toMatchObject({ code: 3 });
    expect(await outcomes()).toEqual([null]);
    expect(await giveUp(withSender({ outcome }))).toMatchObject({ code: 0 });
    expect(await outcomes()).toEqual(['given_up']);
  }, 60_000);

  it.each<[string, Parameters<typeof giveUp>[1], number]>([
    ['something else is typed', { typed: 'yes' }, 3],
    ['there is no terminal', { typed: null }, 3],
    ['there is no reason', { words: [] }, 2],
    ['the reason is empty', { words: ['--reason', ' '] }, 2],
  ])(
    'changes nothing if %s',
    async (_, given, code) => {
      await useNonce();
      expect(await giveUp(reporting(PRUNED), given)).toMatchObject({ code });
      expect([await outcomes(), await audited()]).toEqual([[null], []]);
    },
    60_000,
  );

  it('books what turns out to have landed, and gives nothing up', async () => {
    await scene.follow();
    await chain.mine();
    expect(await giveUp({})).toMatchObject({ code: 3, text: expect.stringContaining('has ended: landed') });
    expect([await outcomes(), await scene.books(), await audited()]).toMatchObject([
      ['landed'],
      { wallet: 100_00n },
      [],
    ]);
  }, 60_000);

  it('names a transfer of this installation that is signed', async () => {
    const unknown = `cr_${'x'.repeat(22)}_1`;
    const ask = async () => unknown;
    expect(await scene.online(['give-up', unknown, '--reason', 'x'], { ask })).toMatchObject({
      code: 3,
      text: expect.stringContaining('has made no transfer'),
    });
  }, 60_000);
});

describe('tron', () => {
  beforeEach(() => open(startColdTron), 60_000);

  it('ends one of which no endpoint has the blocks any more, and not before its time is over', async () => {
    expect(await giveUp(reporting(PRUNED))).toMatchObject({ code: 3, text: expect.stringContaining('may still land') });
    chain.pass(92 * 60 + 120);
    await chain.mine();
    expect(await giveUp(reporting({ kind: 'waiting' }))).toMatchObject({ code: 3 });
    expect(await outcomes()).toEqual([null]);
    expect(await giveUp(reporting(PRUNED))).toMatchObject({ code: 0 });
    expect(await outcomes()).toEqual(['given_up']);
  }, 60_000);
});

describe('solana', () => {
  beforeEach(() => open(startColdSolana), 60_000);
  const advance = async () => {
    const connection = new Connection(chain.rpcUrl, 'confirmed');
    const owner = Keypair.fromSecretKey(Uint8Array.from(JSON.parse(cold.keyFile)));
    const transaction = new SolanaTransaction().add(
      SystemProgram.nonceAdvance({ noncePubkey: new PublicKey(nonce!), authorizedPubkey: owner.publicKey }),
    );
    transaction.feePayer = owner.publicKey;
    transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
    transaction.sign(owner);
    await connection.sendRawTransaction(transaction.serialize());
    await chain.mine();
  };

  it('ends one whose durable nonce was advanced, and not before', async () => {
    expect(await giveUp(reporting(PRUNED))).toMatchObject({
      code: 3,
      text: expect.stringContaining('was not advanced'),
    });
    const otherAuthority = withSender({ durableNonce: async () => null, outcome: async () => ({ kind: 'waiting' }) });
    expect(await giveUp(otherAuthority)).toMatchObject({ code: 3 });
    expect(await outcomes()).toEqual([null]);
    await advance();
    expect(await giveUp(reporting(PRUNED))).toMatchObject({ code: 0 });
    expect(await outcomes()).toEqual(['given_up']);
  }, 60_000);
});
