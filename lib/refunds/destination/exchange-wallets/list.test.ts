import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import fs from 'node:fs';
import { getAddress } from 'ethers';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { InvalidExchangeWallet, listExchangeWallets, parseExchangeWallets } from './list';
import { runExchangeWallets } from './command';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(() => db.pool.query('TRUNCATE exchange_wallets, exchange_wallet_lists'));

const NOW = new Date('2026-11-22T12:00:00Z');
const ADDRESS = '0x28c6c06298d514db089934071355e5743bf21d60';
const TRON = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';

async function run(words: readonly string[], file = ''): Promise<{ code: number; printed: string[] }> {
  const printed: string[] = [];
  const readShipped = () => fs.readFileSync('scripts/exchange-wallets.txt', 'utf8');
  const print = (line: string) => void printed.push(line);
  const deps = { db: db.pool, print, readFile: () => file, readShipped, now: () => NOW };
  return { code: await runExchangeWallets(words, deps), printed };
}

describe('the operator’s list of exchange wallets', () => {
  it('contains what was added, in the chain’s format, and no longer what was removed', async () => {
    expect(await run(['add', 'ethereum', getAddress(ADDRESS), 'Binance', '14'])).toMatchObject({ code: 0 });
    expect(await run(['add', 'ethereum', ADDRESS, 'Binance'])).toMatchObject({ code: 0 });
    expect(await run(['list'])).toEqual({ code: 0, printed: [`ethereum ${ADDRESS} Binance`, '1 held'] });
    expect(await run(['remove', 'bsc', ADDRESS])).toMatchObject({ code: 1 });
    expect(await run(['remove', 'ethereum', getAddress(ADDRESS)])).toMatchObject({ code: 0 });
    expect(await listExchangeWallets(db.pool)).toEqual([]);
  });

  it('reads a file with commas or spaces, comments and labels of several words; of two lines about one address the last counts', async () => {
    const file = `# exchanges\r\n\r\nethereum,${ADDRESS},Old name\nethereum ${ADDRESS}  OKX hot wallet \ntron;${TRON};OKX\n`;
    expect(await run(['import', 'list.csv'], file)).toEqual({
      code: 0,
      printed: ['2 added or named anew, as of 2026-11-22'],
    });
    expect(await listExchangeWallets(db.pool)).toEqual([
      { network: 'ethereum', address: ADDRESS, label: 'OKX hot wallet' },
      { network: 'tron', address: TRON, label: 'OKX' },
    ]);
  });

  it('adds nothing from a file with an invalid line, and names the invalid lines', async () => {
    const file = `tron ${TRON} fine\nnowhere ${ADDRESS} x\nethereum ${TRON} x\nethereum ${ADDRESS}`;
    const { code, printed } = await run(['import', 'list.csv'], file);
    expect(code).toBe(1);
    expect(printed.join('\n')).toMatch(/^line 2: the network must be .*\nline 3: .*other_network.*\nline 4: /);
    expect(await listExchangeWallets(db.pool)).toEqual([]);
  });

  it('accepts only labels of one short line, because merchants see them', () => {
    for (const label of ['', 'x'.repeat(61), 'a\u202Eb', 'a\tb', 'a\u0007b']) {
      expect(() => parseExchangeWallets(`tron ${TRON} ${label}`)).toThrow(InvalidExchangeWallet);
    }
    expect(parseExchangeWallets(`tron ${TRON} ${'x'.repeat(60)}`)).toHaveLength(1);
  });

  it('ships with valid wallets of the large exchanges on every network, and with its date', async () => {
    const { code, printed } = await run(['load']);
    expect({ code, printed }).toEqual({
      code: 0,
      printed: [expect.stringMatching(/added or named anew, as of 2026-08-22$/)],
    });
    const names = ['Binance', 'Bitget', 'Bybit', 'Gate', 'HTX', 'KuCoin', 'MEXC', 'OKX'];
    for (const network of ['bsc', 'ethereum', 'solana', 'tron']) {
      const { rows } = await db.pool.query('SELECT DISTINCT label FROM exchange_wallets WHERE network = $1', [network]);
      expect(rows.map(({ label }) => label)).toEqual(expect.arrayContaining(names));
    }
    expect((await run(['list'])).printed).toContain('tron: list as of 2026-08-22');
  });

  it('has the date that it states, and an older list never replaces a newer one', async () => {
    const of = async (day: string) => run(['import', 'list.txt'], `# as of ${day}\ntron ${TRON} OKX\n`);
    await of('2026-10-01');
    await of('2026-09-01');
    expect((await run(['list'])).printed).toContain('tron: list as of 2026-10-01');
    for (const day of ['2026-11-23', '2026-13-01', 'yesterday']) expect(await of(day)).toMatchObject({ code: 1 });
  });

  it('refuses an unknown command', async () => {
    for (const words of [[], ['help'], ['add', 'tron', TRON], ['remove', 'tron'], ['import'], ['list', 'all']]) {
      expect(await run(words)).toMatchObject({ code: 2, printed: [] });
    }
  });
});
