import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getAddress } from 'ethers';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { BadHeldSender, listHeldSenders, parseHeldSenders } from './held-senders';
import { runHeldSenders } from './held-senders-command';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(() => db.pool.query('DELETE FROM held_senders'));

const ADDRESS = '0x28c6c06298d514db089934071355e5743bf21d60';
const TRON = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';

async function run(words: readonly string[], file = ''): Promise<{ code: number; printed: string[] }> {
  const printed: string[] = [];
  const deps = { db: db.pool, print: (line: string) => void printed.push(line), readFile: () => file };
  return { code: await runHeldSenders(words, deps), printed };
}

describe('the operator’s list of held senders', () => {
  it('holds what was added, as the chain writes it, and gives up what is removed', async () => {
    expect(await run(['add', 'ethereum', getAddress(ADDRESS), 'Binance', '14'])).toMatchObject({ code: 0 });
    expect(await run(['add', 'ethereum', ADDRESS, 'Binance'])).toMatchObject({ code: 0 });
    expect(await run(['list'])).toEqual({ code: 0, printed: [`ethereum ${ADDRESS} Binance`, '1 held'] });
    expect(await run(['remove', 'bsc', ADDRESS])).toMatchObject({ code: 1 });
    expect(await run(['remove', 'ethereum', getAddress(ADDRESS)])).toMatchObject({ code: 0 });
    expect(await listHeldSenders(db.pool)).toEqual([]);
  });

  it('takes a file with commas or spaces, comments and names of several words; of two lines about one address the last', async () => {
    const file = `# exchanges\r\n\r\nethereum,${ADDRESS},Old name\nethereum ${ADDRESS}  OKX hot wallet \ntron;${TRON};OKX\n`;
    expect(await run(['import', 'list.csv'], file)).toEqual({ code: 0, printed: ['2 added or named anew'] });
    expect(await listHeldSenders(db.pool)).toEqual([
      { network: 'ethereum', address: ADDRESS, label: 'OKX hot wallet' },
      { network: 'tron', address: TRON, label: 'OKX' },
    ]);
  });

  it('takes nothing of a file with a line at fault, and says which lines', async () => {
    const file = `tron ${TRON} fine\nnowhere ${ADDRESS} x\nethereum ${TRON} x\nethereum ${ADDRESS}`;
    const { code, printed } = await run(['import', 'list.csv'], file);
    expect(code).toBe(1);
    expect(printed.join('\n')).toMatch(/^line 2: the network must be .*\nline 3: .*other_network.*\nline 4: /);
    expect(await listHeldSenders(db.pool)).toEqual([]);
  });

  it('takes labels of one short line only, since merchants are shown them', () => {
    for (const label of ['', 'x'.repeat(61), 'a\u202Eb', 'a\tb', 'a\u0007b']) {
      expect(() => parseHeldSenders(`tron ${TRON} ${label}`)).toThrow(BadHeldSender);
    }
    expect(parseHeldSenders(`tron ${TRON} ${'x'.repeat(60)}`)).toHaveLength(1);
  });

  it('explains itself when it is asked for nothing that it knows', async () => {
    for (const words of [[], ['help'], ['add', 'tron', TRON], ['remove', 'tron'], ['import'], ['list', 'all']]) {
      expect(await run(words)).toMatchObject({ code: 1, printed: [expect.stringContaining('-- add NETWORK')] });
    }
  });
});
