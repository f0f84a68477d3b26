import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readStoreBalances } from '@/lib/ledger/balances';
import type { Part } from '@/lib/ledger/statements/parts';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig } from '@/testing/fixtures';
import {
  openProofScene,
  REFUND_WALLET,
  signAgain,
  TREASURY,
  verifyByProgram,
  type ProofScene,
} from '@/testing/ledger/proof-scene';
import { postAt } from '@/testing/ledger/statement-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { listProofs, readProof, type ProofDocument } from './document';
import { requestProof } from './request';
import { readChains } from './books';

const directory = useTemporaryDirectory();
let db: TestDatabase;
let scene: ProofScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(
      'TRUNCATE ledger_entries, ledger_postings, ledger_balances, reserve_proofs, reserve_requests, audit_entries, stores, chains CASCADE',
    );
  });
  scene = await openProofScene(db, ['bsc', 'ethereum']);
});

async function store(amount: bigint, part: Part = 'available', network = 'ethereum'): Promise<string> {
  const { storeId } = await makeStore(db, testConfig());
  await credit(storeId, amount, part, network);
  return storeId;
}
const credit = (storeId: string, amount: bigint, part: Part = 'available', network = 'ethereum') =>
  postAt(
    db.pool,
    { storeId, environment: 'test' },
    {
      at: new Date(),
      moves: [{ network, currency: 'USDT', part, amount }],
    },
  );
const tokenOf = ({ statement }: ProofDocument, network = 'ethereum') =>
  statement.networks.find((one) => one.network === network)?.tokens.find(({ currency }) => currency === 'USDT');
const networkOf = ({ statement }: ProofDocument, network: string) =>
  statement.networks.find((one) => one.network === network);
const verified = (document: unknown) => verifyByProgram(db, directory, document);

it('a store finds its whole balance in what is owed to all, beside what the chains hold at a block', async () => {
  const one = await store(700n);
  await credit(one, 20n, 'unresolved');
  await credit(one, 3n, 'reserved');
  await store(1_000n);
  const { ethereum } = scene.states;
  if (ethereum) ethereum.amounts = { [REFUND_WALLET]: { USDT: 400n }, [TREASURY]: { USDT: 1_500n } };
  await scene.make();
  const document = await scene.newest(one);
  expect(tokenOf(document)).toMatchObject({
    ...{ owed: '1723', decimals: 6 },
    held: { deposits: '0', refund_wallet: '400', treasury: '1500', cold: null, total: '1900' },
  });
  expect(networkOf(document, 'ethereum')).toMatchObject({ block: { number: 90, hash: '0xfinal' }, unread: null });
  expect(document.store.balances).toMatchObject([{ available: '700', unresolved: '20', refunds: '0', payouts: '3' }]);
  const { out, error } = await verified(document);
  expect(error).toBe('');
  expect(out).toContain('USDT on ethereum: yours 723, owed to all 1723, held 1900 at block 90 0xfinal');
});

it('what is owed to each store is its balance in the ledger, and all of them are the total', async () => {
  const stores = [await store(5n), await store(0n), await store(10n ** 30n), await store(7n, 'unresolved')];
  await scene.make();
  let sum = 0n;
  for (const storeId of stores) {
    const { store: own } = await scene.newest(storeId);
    const query = { held: { since: null, screened: [], now: new Date() }, reserves: [] };
    const [balance] = await readStoreBalances(db.pool, { storeId, environment: 'test', ...query }, () => 6);
    const [available, unresolved] = [balance!.available.baseUnits, balance!.unresolved.baseUnits];
    expect(own.balances).toMatchObject([{ available: String(available), unresolved: String(unresolved) }]);
    sum += available + unresolved;
  }
  expect(tokenOf(await scene.newest(stores[0] ?? ''))?.owed).toBe(sum.toString());
});

it('a document names only its own store, and none of its amounts is the balance of another one', async () => {
  const own = await store(1_000_003n);
  const others = [await store(555_000_111n), await store(777_000_222n), await store(999_000_333n)];
  await scene.make();
  const text = JSON.stringify(await scene.newest(own));
  for (const other of others) expect(text).not.toContain(other);
  for (const amount of ['555000111', '777000222', '999000333']) expect(text).not.toContain(`"${amount}"`);
});

it('a store that was created after the books were read is in no part of the proof, and its document is valid', async () => {
  const early = await store(10n);
  let late = '';
  const { bsc } = scene.states;
  let readings = 0;
  // The second reading of the wallets comes after the books.
  if (bsc) bsc.afterReading = async () => void (readings++ === 1 && (late = await store(50n)));
  await scene.make();
  expect(late).not.toBe('');
  expect((await scene.newest(late)).store.balances).toEqual([]);
  expect(tokenOf(await scene.newest(early))?.owed).toBe('10');
  expect((await verified(await scene.newest(late))).out).toContain('yours 0, owed to all 10');
});

describe('a changed document is refused:', () => {
  let document: ProofDocument;
  type Writable<T> = { -readonly [Field in keyof T]: Writable<T[Field]> };
  beforeEach(async () => {
    const own = await store(700n);
    await store(1_000n);
    await store(1_000n);
    await scene.make();
    document = await scene.newest(own);
  });
  const leaf = (changed: Writable<ProofDocument>) =>
    changed.store.balances[0] as Writable<ProofDocument['store']['balances'][number]>;
  const ethereum = (changed: Writable<ProofDocument>) =>
    changed.statement.networks.find(({ network }) => network === 'ethereum') as Writable<
      ProofDocument['statement']['networks'][number]
    >;

  it.each<[string, (changed: Writable<ProofDocument>) => void, RegExp]>([
    ['a smaller balance', (c) => (leaf(c).available = '699'), /shares are not your balance/],
    ['money of another kind', (c) => ([leaf(c).available, leaf(c).unresolved] = ['699', '1']), /not in the tree/],
    ['another store', (c) => (c.store.id = 'store_other'), /not in the tree/],
    ['another salt', (c) => (leaf(c).salt = '00'.repeat(32)), /not in the tree/],
    ['a missing share', (c) => void leaf(c).shares.pop(), /does not have 4 shares/],
    ['a share twice', (c) => (leaf(c).shares[1] = leaf(c).shares[0]!), /one share twice/],
    ['another sibling', (c) => (leaf(c).shares[0]!.path[0]!.hash = 'ab'.repeat(32)), /not in the tree/],
    [
      'another sum of a sibling',
      (c) => (leaf(c).shares[0]!.path[1]!.sum = `7${leaf(c).shares[0]!.path[1]!.sum}`),
      /not in the tree|not what is owed/,
    ],
    ['a negative sum', (c) => (leaf(c).shares[0]!.path[0]!.sum = '-5'), /whole number/],
    ['a shorter path', (c) => void leaf(c).shares[0]!.path.pop(), /another length/],
    ['another place', (c) => (leaf(c).shares[0]!.index ^= 1), /one share twice|not in the tree/],
    ['another block', (c) => (ethereum(c).block!.number = 91), /not signed/],
    ['less that is owed', (c) => (ethereum(c).tokens[0]!.owed = '1'), /not signed/],
    ['another time', (c) => (c.statement.made_at = '2030-01-01T00:00:00.000Z'), /not signed/],
    ['another signature', (c) => (c.signature.value = Buffer.alloc(64, 1).toString('base64')), /not signed/],
  ])('%s', async (_, change, problem) => {
    expect((await verified(document)).error).toBe('');
    const changed = structuredClone(document) as Writable<ProofDocument>;
    change(changed);
    expect((await verified(changed)).error).toMatch(problem);
  });
});

it('a signed statement that has one token twice is refused, because only one of them would be compared', async () => {
  const own = await store(700n);
  await scene.make();
  const document = structuredClone(await scene.newest(own)) as unknown as {
    statement: { networks: { network: string; tokens: object[] }[] };
  };
  const network = document.statement.networks.find((one) => one.network === 'ethereum');
  const [token] = network?.tokens ?? [];
  if (!network || !token) throw new Error('no token');
  expect((await verified(signAgain(document))).error).toBe('');
  network.tokens.push({ ...token, owed: '0' });
  expect((await verified(signAgain(document))).error).toMatch(/twice in the statement/);
  network.tokens.pop();
  document.statement.networks.push({ ...network });
  expect((await verified(signAgain(document))).error).toMatch(/twice in the statement/);
});

describe('the networks:', () => {
  it('each that was read names the wallets whose amounts it counts, so a store can ask the chain', async () => {
    const own = await store(10n);
    if (scene.states.bsc) scene.states.bsc.isDown = true;
    await scene.make();
    const document = await scene.newest(own);
    expect(networkOf(document, 'ethereum')?.wallets).toEqual([
      { place: 'refund_wallet', address: REFUND_WALLET },
      { place: 'treasury', address: TREASURY },
    ]);
    expect(networkOf(document, 'bsc')?.wallets).toEqual([]);
    expect((await verified(document)).out).toContain(`treasury on ethereum: ${TREASURY}`);
  });

  it('counts former refund wallets that still hold money with the present one, and names each', async () => {
    const own = await store(1n);
    const [former, emptied] = [`0x${'f1'.repeat(20)}`, `0x${'f2'.repeat(20)}`];
    await db.pool.query(
      `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at)
       SELECT id, unnest($1::text[]), 'USDT', unnest('{400,50,0}'::int[]), 90, unnest('{2030-01-03,2030-01-02,2030-01-01}'::date[])
       FROM chains WHERE network = 'ethereum'`,
      [[REFUND_WALLET, former, emptied]],
    );
    const held = { [REFUND_WALLET]: { USDT: 400n }, [former]: { USDT: 50n }, [emptied]: { USDT: 9n } };
    Object.assign(scene.states.ethereum ?? {}, { amounts: held });
    await scene.make();
    const document = await scene.newest(own);
    expect(tokenOf(document)?.held).toMatchObject({ refund_wallet: '450', total: '450' });
    expect(networkOf(document, 'ethereum')?.wallets[2]).toEqual({ place: 'refund_wallet', address: former });
    expect((await verified(document)).out).toContain(`refund_wallet on ethereum: ${former}`);
  });

  it('one that cannot be reached is named, keeps what is owed, and stops no other one', async () => {
    const own = await store(10n);
    await credit(own, 4n, 'available', 'bsc');
    if (scene.states.bsc) scene.states.bsc.isDown = true;
    await scene.make();
    const document = await scene.newest(own);
    expect(networkOf(document, 'bsc')).toMatchObject({ block: null, unread: 'unreachable' });
    expect(tokenOf(document, 'bsc')).toMatchObject({ owed: '4', held: null });
    expect(networkOf(document, 'ethereum')).toMatchObject({ unread: null, block: { number: 90 } });
    expect((await verified(document)).out).toContain('USDT on bsc: yours 4, owed to all 4, not read: unreachable');
  });

  it('a wallet that moves while the books are read is read again, so its amount is of the block of the books', async () => {
    const own = await store(10n);
    const { ethereum } = scene.states;
    if (!ethereum) throw new Error('no network');
    ethereum.amounts = { [TREASURY]: { USDT: 100n } };
    let readings = 0;
    ethereum.afterReading = () => {
      if (readings++ === 0) ethereum.amounts = { [TREASURY]: { USDT: 60n } };
    };
    await scene.run();
    expect(await listProofs(db.pool, 'test', 5)).toEqual([]);
    await scene.make();
    expect(tokenOf(await scene.newest(own))?.held).toMatchObject({ treasury: '60', total: '60' });
  });

  it('the proof waits until the watcher has read up to the wallets, and then says its block', async () => {
    const own = await store(10n);
    if (scene.states.ethereum) scene.states.ethereum.block = 95;
    await scene.run();
    await scene.run();
    expect(await listProofs(db.pool, 'test', 5)).toEqual([]);
    await db.pool.query(`UPDATE chains SET final_number = 97, final_hash = '0x97' WHERE network = 'ethereum'`);
    if (scene.states.ethereum) scene.states.ethereum.block = 99;
    await scene.run();
    expect(networkOf(await scene.newest(own), 'ethereum')?.block).toEqual({ number: 97, hash: '0x97' });
  });

  it('a watcher that stays behind for ten minutes delays no longer, and its network is named', async () => {
    const own = await store(10n);
    if (scene.states.ethereum) scene.states.ethereum.block = 95;
    await scene.run();
    scene.clock.advance(601);
    await scene.run();
    expect(networkOf(await scene.newest(own), 'ethereum')).toMatchObject({ block: null, unread: 'behind' });
    expect(networkOf(await scene.newest(own), 'bsc')?.unread).toBeNull();
  });

  it('money that is owed on a network that is not followed any more stays in the proof', async () => {
    const own = await store(9n, 'available', 'tron');
    await scene.make();
    const document = await scene.newest(own);
    expect(networkOf(document, 'tron')).toMatchObject({ unread: 'not_followed', tokens: [{ owed: '9' }] });
    expect((await verified(document)).error).toBe('');
  });
});

describe('when:', () => {
  const count = async () => (await listProofs(db.pool, 'test', 100)).length;

  it('once a day, and again after an operator asked for it, but not twice for one request', async () => {
    await scene.make();
    await scene.run();
    expect(await count()).toBe(1);
    scene.clock.advance(86_400);
    await scene.make();
    expect(await count()).toBe(2);
    scene.clock.advance(700);
    await requestProof(scene.context, 'test', { by: 'user:1', address: '127.0.0.1' });
    await scene.make();
    await scene.run();
    expect(await count()).toBe(3);
  });

  it('a request of a web process whose clock is ahead makes one proof, once the worker’s clock reaches it', async () => {
    await scene.make();
    scene.clock.advance(700);
    await requestProof(scene.context, 'test', { by: 'user:1', address: '127.0.0.1' });
    scene.clock.advance(-30);
    for (let at = 0; at < 4; at++) await scene.run();
    expect(await count()).toBe(1);
    scene.clock.advance(31);
    for (let at = 0; at < 4; at++) await scene.run();
    expect(await count()).toBe(2);
  });

  it('an operator gets no proof within ten minutes after another one, nor by asking twice', async () => {
    const ask = (of: 'live' | 'test') => requestProof(scene.context, of, { by: 'user:1', address: '127.0.0.1' });
    await ask('live');
    scene.clock.advance(599);
    await expect(ask('live')).rejects.toThrow(ServiceError);
    // On a local chain ten seconds are enough.
    await scene.make();
    scene.clock.advance(9);
    await expect(ask('test')).rejects.toThrow(ServiceError);
    scene.clock.advance(2);
    await ask('test');
    await ask('live');
    const { rows } = await db.pool.query(`SELECT FROM audit_entries WHERE action = 'reserves.prove'`);
    expect(rows).toHaveLength(3);
  });

  it('two workers at once store one proof', async () => {
    const steps = [scene.run(), scene.run()];
    await Promise.all(steps);
    await scene.run();
    expect(await count()).toBe(1);
  });

  it('proofs are deleted after thirty days, with their trees and leaves', async () => {
    const own = await store(3n);
    await scene.make();
    const [first] = await listProofs(db.pool, 'test', 1);
    scene.clock.advance(31 * 86_400);
    await scene.make();
    expect(await readProof(db.pool, { storeId: own, environment: 'test' }, first?.id ?? '')).toBeNull();
    const { rows } = await db.pool.query<{ trees: string; leaves: string }>(
      `SELECT (SELECT count(DISTINCT proof_id) FROM reserve_trees) AS trees, (SELECT count(DISTINCT proof_id) FROM reserve_leaves) AS leaves`,
    );
    expect(rows).toEqual([{ trees: '1', leaves: '1' }]);
  });

  it('a proof of one environment cannot be read in the other', async () => {
    const own = await store(3n);
    await scene.make();
    const [made] = await listProofs(db.pool, 'test', 1);
    expect(await readProof(db.pool, { storeId: own, environment: 'live' }, made?.id ?? '')).toBeNull();
    expect(await readProof(db.pool, { storeId: own, environment: 'test' }, '1 OR 1=1')).toBeNull();
    expect((await readChains(db.pool, 'live')).length).toBe(0);
  });
});

describe('a failure:', () => {
  const breakLedger = async () => {
    const own = await store(10n);
    await db.pool.query(
      `INSERT INTO ledger_balances (environment, account, network, currency, amount)
       VALUES ('test', 'other:' || $1, 'ethereum', 'USDT', -5)`,
      [own],
    );
  };

  it('a ledger whose sums disagree makes no proof, and the other environment gets one', async () => {
    await breakLedger();
    for (let at = 0; at < 25; at++) await expect(scene.runBoth()).rejects.toThrow(/the ledger says 15/);
    expect(await listProofs(db.pool, 'test', 1)).toEqual([]);
    expect(await listProofs(db.pool, 'live', 2)).toHaveLength(1);
  });

  it('the wallets are read again only after a pause that grows, and the step fails until it succeeds', async () => {
    await breakLedger();
    let readings = 0;
    if (scene.states.bsc) scene.states.bsc.afterReading = () => void readings++;
    const expectReadings = async (number: number) => {
      for (let at = 0; at < 3; at++) await expect(scene.run()).rejects.toThrow(/the ledger says 15/);
      expect(readings).toBe(number);
    };
    await expectReadings(1);
    scene.clock.advance(11);
    await expectReadings(2);
    scene.clock.advance(11);
    await expectReadings(2);
    scene.clock.advance(10);
    await expectReadings(3);
    await db.pool.query(`DELETE FROM ledger_balances WHERE account LIKE 'other:%'`);
    scene.clock.advance(41);
    await scene.make();
    expect(await listProofs(db.pool, 'test', 2)).toHaveLength(1);
  });

  it('while the signer does not answer, no wallet is read, and the attempts count on when it does', async () => {
    await store(10n);
    if (scene.states.ethereum) scene.states.ethereum.isDown = true;
    let readings = 0;
    if (scene.states.bsc) {
      scene.states.bsc.afterReading = () => {
        readings++;
        scene.signer.isAway = true;
      };
    }
    for (let attempt = 0; attempt < 20; attempt++) {
      scene.signer.isAway = false;
      await scene.run();
      const before = readings;
      await scene.run();
      await scene.run();
      expect(readings).toBe(before);
    }
    expect(await listProofs(db.pool, 'test', 2)).toHaveLength(1);
  });
});
