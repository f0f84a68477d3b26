import { describe, expect, it } from 'vitest';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { DUE, localEthereum, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { printHoldings, runHoldings } from './holdings-command';

const OTHER = '0x8617e340b3d01fa5f11f306f4090fd50e238070d';
const w = useWatchedChain();

/** A session that was paid and closed by now. */
async function paid() {
  await w.run();
  const { id, address } = await w.session();
  w.pay(address);
  w.mine(4);
  await w.run();
  return { id, address };
}

async function holdings({ hours = 0, least = 1n } = {}) {
  const [lines, notes]: [string[], string[]] = [[], []];
  const output = { print: (line: string) => void lines.push(line), note: (line: string) => void notes.push(line) };
  await printHoldings({ db: w.pool(), clock: w.clock, output }, { spec: localEthereum, hours, least });
  return { lines, notes, of: (id: string) => lines.filter((line) => line.includes(id)) };
}

describe('the list of what deposit addresses hold', () => {
  it('names address, derivation path and amount of a paid session, and the sums', async () => {
    const { id, address } = await paid();
    const { lines, notes, of } = await holdings();
    expect(lines[0]).toBe('index,path,address,token,amount,session,closed_at');
    const [line = ''] = of(id);
    const [index, path, shown, token, amount] = line.split(',');
    expect(path).toBe(`m/44'/60'/0'/0/${index}`);
    expect(shown?.toLowerCase()).toBe(address);
    expect([token, amount]).toEqual(['USDT', '12.340000']);
    expect(notes.join()).toMatch(/USDT at \d+ addresses/);
  });

  it('leaves out open sessions, sessions that closed lately, and small amounts', async () => {
    const { id } = await paid();
    const pending = await w.session();
    w.node().mine([{ logs: [transferLog(usdt, OTHER, pending.address, DUE - 1_000_000n)] }]);
    w.mine(4);
    await w.run();
    expect((await holdings()).of(pending.id)).toEqual([]);
    expect((await holdings()).of(id)).toHaveLength(1);
    expect((await holdings({ hours: 1 })).of(id)).toEqual([]);
    expect((await holdings({ least: 13n })).of(id)).toEqual([]);
  });

  it('deducts what left an address, and leaves out addresses in doubt', async () => {
    const [swept, part, doubted] = [await paid(), await paid(), await paid()];
    w.node().mine([
      {
        logs: [transferLog(usdt, swept.address, OTHER, DUE), transferLog(usdt, part.address, OTHER, DUE - 2_000_000n)],
      },
    ]);
    w.mine(4);
    await w.run();
    const { id: chainId } = await w.row();
    await w.pool().query(
      `INSERT INTO discrepancies (environment, network, chain_id, currency, address, expected, found, found_at)
       VALUES ('test', 'ethereum', $1, 'USDT', $2, 1, 0, now())`,
      [chainId, doubted.address],
    );
    const found = await holdings();
    expect(found.of(swept.id)).toEqual([]);
    expect(found.of(part.id)[0]).toContain(',2.000000,');
    expect(found.of(doubted.id)).toEqual([]);
  });

  it('refuses unknown words', async () => {
    const notes: string[] = [];
    const output = {
      databaseUrl: 'postgresql://unused',
      print: () => {},
      note: (line: string) => void notes.push(line),
    };
    for (const words of [[], ['ethereum'], ['ethereum@mainnet', 'x'], ['ethereum@mainnet', '1', '1', '1']])
      expect(await runHoldings(words, output)).toBe(2);
    expect(notes).toEqual([]);
  });
});
