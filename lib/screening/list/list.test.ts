// The signed sanctions file: what is refused, what a load changes at once, and how a file is made from published lists.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { LIST_KEY, listText, loadList, sanctions, signatureOf } from '@/testing/screening/signed-list';

const NOW = new Date('2026-11-29T12:00:00Z');
const EVM = '0x8589427373D6D84E98730D7795D8f6f8731FDA16';
const TRON = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';
const SOLANA = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const ENTRIES = [{ address: EVM, entity: 'SDN 1' }];

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => db.pool.query('TRUNCATE screenings, sanctioned_addresses, sanctions_lists'));

const load = (text: string, signature = signatureOf(text), over: { now?: Date; key?: string } = {}) =>
  sanctions(db.pool, ['load', 'f'], { files: { f: text, 'f.sig': signature }, now: NOW, ...over });
const listed = async () =>
  (await db.pool.query('SELECT family, address, entity FROM sanctioned_addresses ORDER BY family')).rows;

describe('a sanctions file', () => {
  it('is loaded with each address in the form of its family, once per address', async () => {
    const entries = [
      ...ENTRIES,
      { address: EVM.toLowerCase(), entity: 'SDN 2' },
      { address: TRON, entity: 'SDN 3' },
      { address: SOLANA, entity: 'SDN 4' },
    ];
    const { code, printed } = await load(listText('2026-11-28T00:00:00Z', entries));
    expect({ code, printed }).toEqual({
      code: 0,
      printed: '3 addresses as of 2026-11-28T00:00:00.000Z: 3 new, 0 no longer listed.',
    });
    expect(await listed()).toEqual([
      { family: 'evm', address: EVM.toLowerCase(), entity: 'SDN 1; SDN 2' },
      { family: 'solana', address: SOLANA, entity: 'SDN 4' },
      { family: 'tron', address: TRON, entity: 'SDN 3' },
    ]);
  });

  const good = listText('2026-11-28T00:00:00Z', ENTRIES);
  const otherKey = Buffer.alloc(32, 7).toString('base64');
  it.each([
    ['unsigned', good, '', {}, /not signed/],
    ['signed with another key', good, signatureOf(good), { key: otherKey }, /signature is not of this file/],
    [
      'altered after it was signed',
      good.replace('SDN 1', 'SDN 9'),
      signatureOf(good),
      {},
      /signature is not of this file/,
    ],
    ['loaded without a key in the settings', good, signatureOf(good), { key: '' }, /SCREENING_LIST_KEY is not set/],
    ['empty', listText('2026-11-28T00:00:00Z', []), null, {}, /names no address/],
    ['of the future', listText('2026-11-30T00:00:00Z', ENTRIES), null, {}, /in the future/],
    ['no JSON', 'SDN', null, {}, /not JSON/],
    ['without a date', listText('yesterday', ENTRIES), null, {}, /format/],
    [
      'naming something else',
      listText('2026-11-28T00:00:00Z', [{ address: `${TRON.slice(0, -1)}Z`, entity: 'x' }]),
      null,
      {},
      /not an address/,
    ],
  ])('that is %s changes nothing', async (_, text, signature, over, message) => {
    await loadList(db.pool, [SOLANA], { asOf: '2026-11-27T00:00:00Z' });
    const { code, printed } = await load(text, signature ?? signatureOf(text), over);
    expect({ code, printed }).toEqual({ code: 1, printed: expect.stringMatching(message) });
    expect(await listed()).toMatchObject([{ address: SOLANA }]);
  });

  it('that is older than the loaded one changes nothing, and the same file again is no error', async () => {
    await loadList(db.pool, [EVM], { asOf: '2026-11-28T00:00:00Z' });
    for (const asOf of ['2026-11-27T00:00:00Z', '2026-11-28T00:00:00Z'])
      await expect(loadList(db.pool, [TRON], { asOf, now: NOW })).rejects.toThrow('not newer');
    expect(await loadList(db.pool, [EVM], { asOf: '2026-11-28T00:00:00Z' })).toBe('This file is loaded already.');
    expect(await listed()).toMatchObject([{ family: 'evm' }]);
  });
});

describe('a load', () => {
  const stored = (address: string, verdict: string) =>
    db.pool.query(
      `INSERT INTO screenings (environment, network, address, role, requested_at, verdict, source, entity, next_at, checked_at)
       VALUES ('live', $1, $2, 'payee', now(), $3, CASE WHEN $3 = 'hit' THEN 'hook' END, CASE WHEN $3 = 'hit' THEN 'x' END, CASE WHEN $3 = 'unknown' THEN now() END, now())`,
      [address.startsWith('T') ? 'tron' : 'bsc', address, verdict],
    );
  const verdicts = async () =>
    (
      await db.pool.query(
        'SELECT address, verdict, source, epoch, released_at IS NOT NULL AS released FROM screenings ORDER BY id',
      )
    ).rows;

  it('makes newly listed addresses hits at once: a clear one, one that is being screened, and a released one', async () => {
    const [clear, asked, released, other] = ['a1', 'b2', 'c3', 'd4'].map((byte) => `0x${byte.repeat(20)}`) as [
      string,
      string,
      string,
      string,
    ];
    await stored(clear, 'clear');
    await stored(asked, 'unknown');
    await stored(released, 'hit');
    await db.pool.query(`UPDATE screenings SET released_at = now() WHERE verdict = 'hit'`);
    await stored(other, 'clear');
    expect(await loadList(db.pool, [clear, asked, released], { asOf: '2026-11-28T00:00:00Z' })).toContain(
      '3 known addresses are newly listed',
    );
    const hit = { verdict: 'hit', source: 'list', epoch: 1, released: false };
    expect(await verdicts()).toEqual([
      { address: clear, ...hit },
      { address: asked, ...hit },
      { address: released, ...hit },
      { address: other, verdict: 'clear', source: null, epoch: 0, released: false },
    ]);
  });

  it('does not undo the release of an address that was listed when two operators released it', async () => {
    await loadList(db.pool, [EVM, TRON], { asOf: '2026-11-27T00:00:00Z' });
    await stored(EVM.toLowerCase(), 'hit');
    await db.pool.query(`UPDATE screenings SET released_at = now()`);
    await loadList(db.pool, [EVM], { asOf: '2026-11-28T00:00:00Z' });
    expect(await verdicts()).toMatchObject([{ verdict: 'hit', released: true }]);
    expect(await listed()).toMatchObject([{ family: 'evm' }]);
  });

  it('does not touch the same text on a network of another family', async () => {
    await db.pool.query(
      `INSERT INTO screenings (environment, network, address, role, requested_at, verdict) VALUES ('live', 'tron', $1, 'payee', now(), 'clear')`,
      [EVM.toLowerCase()],
    );
    await loadList(db.pool, [EVM], { asOf: '2026-11-28T00:00:00Z' });
    expect(await verdicts()).toMatchObject([{ verdict: 'clear' }]);
  });

  it('of two lists at the same time leaves one whole list', async () => {
    const done = await Promise.allSettled([
      loadList(db.pool, [EVM, SOLANA], { asOf: '2026-11-28T00:00:00Z' }),
      loadList(db.pool, [TRON], { asOf: '2026-11-28T00:00:01Z' }),
    ]);
    expect(done[1].status).toBe('fulfilled');
    expect(await listed()).toMatchObject([{ family: 'tron' }]);
  });
});

describe('the command', () => {
  it('makes a file to sign from published lists, and leaves out other chains', async () => {
    const files = {
      'in/sanctioned_addresses_USDT.txt': `${EVM}\n${TRON}\n`,
      'in/sanctioned_addresses_XBT.txt': `# Bitcoin\n1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa\nbc1qa5wkgaew2dkv56kfvj49j0av5nml45x9ek9hz6\n`,
    };
    const words = ['make', 'list.json', '2026-11-28', ...Object.keys(files)];
    const { code, printed, written } = await sanctions(db.pool, words, { files, now: NOW });
    expect({ code, printed }).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^2 addresses written, 2 of other chains/),
    });
    const text = written['list.json'] ?? '';
    expect((await load(text)).code).toBe(0);
    expect(await listed()).toMatchObject([{ entity: 'sanctioned_addresses_USDT' }, { family: 'tron', address: TRON }]);
    expect((await sanctions(db.pool, ['show'], { now: NOW })).printed).toBe(
      '2 addresses as of 2026-11-28T00:00:00.000Z.',
    );
    const late = new Date('2026-12-06T00:00:00Z');
    expect((await sanctions(db.pool, ['show'], { now: late })).printed).toContain('older than seven days');
    expect(await sanctions(db.pool, ['lode'], { now: NOW, key: LIST_KEY })).toMatchObject({ code: 2 });
  });
});
