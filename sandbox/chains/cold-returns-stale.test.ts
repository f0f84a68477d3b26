// Requests that can no longer be paid: the account nonce was used, the durable nonce was advanced, the time has passed, the request was
// rewritten. Each is refused before it is stored, or ends without being booked.

import {
  Keypair,
  Transaction as SolanaTransaction,
  NonceAccount,
  PublicKey,
  SystemProgram,
  Connection,
} from '@solana/web3.js';
import { JsonRpcProvider, Wallet } from 'ethers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReturnScene, type ReturnScene } from '@/testing/cold-storage/return-scene';
import { rewritten } from '@/testing/cold-storage/request-files';
import { returnsStep } from '@/lib/cold-storage/returns/step';
import { openChains } from '@/lib/networks/registry';
import { testConfig } from '@/testing/fixtures';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  startColdEvm,
  startColdSolana,
  startColdTron,
  type ColdChain,
  type ColdWallet,
} from '@/testing/cold-storage/cold-chains';

let chain: ColdChain;
let db: TestDatabase;
let scene: ReturnScene;
let cold: ColdWallet;
let nonce: string | null;
let before: bigint;

async function open(start: () => Promise<ColdChain>): Promise<void> {
  chain = await start();
  db = await openTestDatabase();
  cold = await chain.coldWallet(1000_00n);
  nonce = await chain.nonceAccount(cold.address);
  scene = await openReturnScene({ db, ...chain, cold });
  before = await chain.held(scene.refund);
}
afterEach(async () => {
  await chain.stop();
  await db.close();
});

const came = async () => (await chain.held(scene.refund)) - before;
const send = (over: object = {}) => scene.online(['send', 'request.signed'], { pause: () => chain.mine(), ...over });
/** Signs a request and stores the signatures, without a broadcast. */
async function storeOnly(): Promise<void> {
  await scene.request('100', 'request', nonce);
  await scene.sign('request');
  const deaf = { ...scene.chain.sender, broadcast: async () => 'accepted' as const };
  const given = { chain: { ...scene.chain, sender: deaf } };
  expect(await scene.online(['send', 'request.signed', '--no-wait'], given)).toMatchObject({ code: 3 });
  expect(await scene.rows()).toMatchObject([{ signedAt: expect.any(Date), outcome: null }]);
}

describe('ethereum', () => {
  beforeEach(() => open(() => startColdEvm()), 60_000);
  const useNonce = async () => {
    const wallet = new Wallet(cold.keyFile.trim(), new JsonRpcProvider(chain.rpcUrl));
    await wallet.sendTransaction({ to: cold.address, value: 0n });
    await chain.mine();
  };

  it('refuses a request whose account nonce was used, and the next request takes the next nonce', async () => {
    await scene.request('100', 'request');
    await scene.sign('request');
    await useNonce();
    expect(await send()).toMatchObject({ code: 3, text: expect.stringContaining('nonce 0 of') });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ signedAt: null }]]);
    await scene.request('100', 'next');
    await scene.sign('next');
    expect(await scene.online(['send', 'next.signed'], { pause: () => chain.mine() })).toMatchObject({ code: 0 });
    expect(await came()).toBe(100_00n);
  }, 60_000);

  it('follows the other returns when one cannot be followed', async () => {
    await storeOnly();
    await db.pool.query(
      `INSERT INTO cold_returns SELECT (jsonb_populate_record(r, jsonb_build_object('id', 'cr_0_1', 'request_id', 'cr_0', 'unsigned', '0x02',
         'transaction_hash', '0x00', 'signed_at', r.signed_at - interval '1 minute'))).* FROM cold_returns r`,
    );
    for (let turn = 0; turn < 3; turn++) {
      const followed = await scene.follow();
      expect(followed.filter(({ id }) => id === 'cr_0_1').map(({ outcome, note }) => ({ outcome, note }))).toEqual([
        { outcome: null, note: expect.stringContaining('cannot be signed') },
      ]);
      await chain.mine();
    }
    expect(await came()).toBe(100_00n);
    expect((await scene.rows()).map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['landed', null]));
  }, 60_000);

  it('ends a stored one whose nonce another transaction used, and books nothing', async () => {
    await storeOnly();
    await useNonce();
    expect(await send()).toMatchObject({ code: 3, text: expect.stringContaining('can no longer land') });
    expect([await came(), await scene.rows(), await scene.books()]).toMatchObject([
      0n,
      [{ outcome: 'lapsed' }],
      { wallet: 0n },
    ]);
    expect(await scene.broken()).toEqual([]);
  }, 60_000);

  it('is broadcast and booked by the worker’s step, which the settings open, and shown by the status', async () => {
    await storeOnly();
    const config = testConfig({ TEST_CHAINS: 'local', TEST_ETHEREUM_URLS: chain.rpcUrl });
    const context = { ...scene.context, config };
    const chains = openChains(config, context);
    const step = returnsStep(context, chains);
    // The scene's chain has another genesis: a step on the wrong chain does nothing.
    await step(context);
    expect(await scene.rows()).toMatchObject([{ outcome: null }]);
    const genesis = await chains[0]!.adapter.genesis();
    await db.pool.query('UPDATE chains SET genesis = $2 WHERE id = $1', [scene.chain.chainId, genesis]);
    expect(await scene.online(['status'])).toMatchObject({
      code: 3,
      text: expect.stringContaining('signed  100 USDT'),
    });
    for (let turn = 0; turn < 4; turn++) {
      await step(context);
      await chain.mine();
    }
    expect([await came(), await scene.rows()]).toMatchObject([100_00n, [{ outcome: 'landed' }]]);
    const shown = JSON.parse((await scene.online(['status', '--json'])).text);
    expect(shown).toMatchObject({
      returns: [{ state: 'landed', amount: String(100_00n * 10_000n), network: 'ethereum' }],
    });
  }, 60_000);

  it('warns if the transfer lifts the refund wallet above its high-water mark, and not at the mark', async () => {
    const words = (out: string) => ['request', 'ethereum', 'USDT', '100', '--out', out];
    const high = ((await scene.books()).wallet + 100_00n) * 10_000n;
    expect((await scene.online(words('at'), { high })).text).not.toContain('high-water mark');
    const above = await scene.online(words('above'), { high: high - 1n });
    expect(above).toMatchObject({ code: 0, text: expect.stringContaining('above its high-water mark of 99.999999') });
  }, 60_000);

  it('keeps an older request that is not sent yet if the file of the new one cannot be written', async () => {
    await scene.request('100', 'request');
    expect(await scene.request('200', 'request')).toMatchObject({ code: 1, text: expect.stringContaining('EEXIST') });
    expect(await scene.rows()).toMatchObject([{ signedAt: null, outcome: null }]);
    await scene.request('200', 'next');
    expect(new Set((await scene.rows()).map(({ outcome }) => outcome))).toEqual(new Set(['superseded', null]));
  }, 60_000);

  it.each([
    [[]],
    [['request']],
    [['request', 'ethereum', 'USDT']],
    [['request', 'ethereum', 'USDT', '1', '--x']],
    [['send']],
    [['send', 'a', '--wait']],
    [['status', 'all']],
  ])('refuses the words %j as wrong usage, for which the command line explains the command', async (words) => {
    expect(await scene.online(words)).toMatchObject({ code: 2 });
  });

  it('sends several transfers of one request, each with its own nonce', async () => {
    const words = ['request', 'ethereum', 'USDT', '100', 'USDT', '200.25', '--out', 'request'];
    expect(await scene.online(words)).toMatchObject({ code: 0 });
    const shown = await scene.offline(['show', 'request', '--to', scene.refund]);
    expect(shown).toMatchObject({
      code: 0,
      text: expect.stringMatching(/1 of 2: 100 USDT[\s\S]*2 of 2: 200\.25 USDT[\s\S]*Total {7}300\.25 USDT/),
    });
    await scene.sign('request');
    expect(await send()).toMatchObject({ code: 0 });
    expect([await came(), (await scene.rows()).map(({ outcome }) => outcome)]).toEqual([300_25n, ['landed', 'landed']]);
    expect(await scene.broken()).toEqual([]);
  }, 60_000);

  it('refuses signatures of a request that was rewritten on the way, and of a request of another installation', async () => {
    await scene.request('100', 'request');
    const request = JSON.parse(scene.files.get('request')!);
    const earlier = new Date(Date.parse(request.created) - 1000).toISOString().replace('.000Z', 'Z');
    const expires = new Date(Date.parse(request.expires) - 1000).toISOString().replace('.000Z', 'Z');
    scene.files.set('rewritten', Buffer.from(rewritten({ ...request, created: earlier, expires })).toString());
    expect(await scene.sign('rewritten')).toMatchObject({ code: 0 });
    const other = await scene.online(['send', 'rewritten.signed']);
    expect(other).toMatchObject({ code: 3, text: expect.stringContaining('another content') });
    const foreign = scene.files.get('rewritten.signed')!.replaceAll(request.id, `cr_${'x'.repeat(22)}`);
    scene.files.set('foreign', foreign);
    expect(await scene.online(['send', 'foreign'])).toMatchObject({
      code: 3,
      text: expect.stringContaining('made no request'),
    });
    await scene.sign('request');
    const signed = JSON.parse(scene.files.get('request.signed')!);
    scene.files.set(
      'forged',
      scene.files.get('request.signed')!.replace(signed.signatures[0], signed.signatures[0].replace(/^../, '00')),
    );
    expect(await scene.online(['send', 'forged'])).toMatchObject({
      code: 3,
      text: expect.stringContaining('not one of'),
    });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ signedAt: null }]]);
  }, 60_000);

  it('does not send what was changed in the database between request and signature', async () => {
    await scene.request('100', 'request');
    await scene.sign('request');
    const [row] = await scene.rows();
    await expect(db.pool.query(`UPDATE cold_returns SET unsigned = unsigned || '00'`)).rejects.toThrow(
      'keeps what was requested',
    );
    await db.pool.query('ALTER TABLE cold_returns DISABLE TRIGGER cold_returns_keep_facts');
    await db.pool.query(`UPDATE cold_returns SET unsigned = $1`, [row!.unsigned.replace(/0(.)$/, '1$1')]);
    await db.pool.query("UPDATE cold_returns SET created_at = created_at - interval '1 second'");
    expect(await send()).toMatchObject({ code: 3 });
    expect(await came()).toBe(0n);
  }, 60_000);
});

describe('tron', () => {
  beforeEach(() => open(startColdTron), 60_000);

  it('refuses a request after its 90 minutes, offline and online', async () => {
    await scene.request('100', 'request');
    await scene.sign('request');
    chain.pass(95 * 60);
    expect(await scene.offline(['show', 'request', '--to', scene.refund])).toMatchObject({
      code: 3,
      text: expect.stringContaining('expired'),
    });
    expect(await send()).toMatchObject({ code: 3, text: expect.stringContaining('expired') });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ signedAt: null }]]);
  }, 60_000);

  it('ends a stored one that no block took within its 90 minutes, and books nothing', async () => {
    await storeOnly();
    chain.pass(92 * 60 + 120);
    await chain.mine();
    expect(await send()).toMatchObject({ code: 3, text: expect.stringContaining('can no longer land') });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ outcome: 'lapsed' }]]);
    expect(await scene.broken()).toEqual([]);
  }, 60_000);

  it('lands an hour after it was signed', async () => {
    await storeOnly();
    chain.pass(80 * 60);
    await chain.mine();
    expect(await send()).toMatchObject({ code: 0 });
    expect(await came()).toBe(100_00n);
  }, 60_000);
});

describe('solana', () => {
  beforeEach(() => open(startColdSolana), 60_000);
  const advance = async () => {
    const connection = new Connection(chain.rpcUrl, 'confirmed');
    const owner = Keypair.fromSecretKey(Uint8Array.from(JSON.parse(cold.keyFile)));
    const noncePubkey = new PublicKey(nonce!);
    const stored = NonceAccount.fromAccountData((await connection.getAccountInfo(noncePubkey))!.data).nonce;
    const transaction = new SolanaTransaction().add(
      SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey: owner.publicKey }),
    );
    transaction.feePayer = owner.publicKey;
    transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
    transaction.sign(owner);
    await connection.sendRawTransaction(transaction.serialize());
    await chain.mine();
    expect(NonceAccount.fromAccountData((await connection.getAccountInfo(noncePubkey))!.data).nonce).not.toBe(stored);
  };

  it('lands long after every blockhash of its day', async () => {
    await storeOnly();
    for (let turn = 0; turn < 10; turn++) await chain.mine();
    expect(await send()).toMatchObject({ code: 0 });
    expect(await came()).toBe(100_00n);
  }, 60_000);

  it('refuses a request whose durable nonce was advanced', async () => {
    await scene.request('100', 'request', nonce);
    await scene.sign('request');
    await advance();
    expect(await send()).toMatchObject({ code: 3, text: expect.stringContaining('another value') });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ signedAt: null }]]);
  }, 60_000);

  it('ends a stored one whose durable nonce another transaction advanced, and books nothing', async () => {
    await storeOnly();
    await advance();
    expect(await send()).toMatchObject({ code: 3, text: expect.stringContaining('can no longer land') });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ outcome: 'lapsed' }]]);
    expect(await scene.broken()).toEqual([]);
  }, 60_000);

  it('needs a nonce account of the cold wallet', async () => {
    expect(await scene.request('100', 'request')).toMatchObject({
      code: 3,
      text: expect.stringContaining('--nonce ACCOUNT'),
    });
    const foreign = await chain.nonceAccount(chain.newAddress());
    for (const account of [foreign, chain.newAddress(), scene.refund])
      expect(await scene.request('100', 'request', account)).toMatchObject({
        code: 3,
        text: expect.stringContaining('not a durable nonce account'),
      });
    expect(await scene.rows()).toEqual([]);
  }, 60_000);
});
