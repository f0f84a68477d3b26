// docs/network-facts.md and the networks table name the same chains, tokens and confirmations: a change of one of them alone
// fails here. A new network may lack its rows in the document until its facts are researched.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { NETWORKS } from '@/lib/networks/networks';
import { cellsOf } from './named-tests';

const DOCUMENT = fs.readFileSync(path.join(import.meta.dirname, '../../docs/network-facts.md'), 'utf8');

/** The rows of the tables below a heading of the second level, without head and rule. */
function rowsBelow(heading: string): string[][] {
  const section = new RegExp(`^## ${heading}$(.*?)(?=^## )`, 'ms').exec(DOCUMENT)?.[1] ?? '';
  const rows = section.split('\n').map((line) => cellsOf(line).map((cell) => cell.replaceAll(/[`*]/g, '')));
  return rows.filter(([first = '']) => NETWORKS.some(({ network }) => network === first.toLowerCase()));
}

test('every token of the document is in the table, with its contract and decimals', () => {
  const rows = rowsBelow('Tokens');
  expect(rows).toHaveLength(8);
  for (const [network = '', currency = '', contract = '', decimals] of rows) {
    const row = NETWORKS.find((one) => one.network === network.toLowerCase() && one.chain === 'mainnet');
    const listed = row?.tokens[currency];
    const isSame = [contract, contract.toLowerCase()].includes(listed?.contract ?? '');
    expect([network, currency, isSame, String(listed?.decimals)]).toEqual([network, currency, true, decimals]);
  }
});

test('every chain of the document is in the table, with its id and genesis', () => {
  const rows = rowsBelow('Chain identity');
  expect(rows).toHaveLength(8);
  for (const [network = '', chain, id = '', genesis = ''] of rows) {
    const known = NETWORKS.filter((one) => one.network === network.toLowerCase() && one.chain !== 'local');
    const found = known.find(({ chainId, genesis: own }) => (id === '' ? own === genesis : chainId === Number(id)));
    const isSame = genesis === found?.genesis || (genesis.startsWith('in ') && found?.genesis !== null);
    expect([network, chain, found !== undefined && isSame]).toEqual([network, chain, true]);
  }
});

test('the finality in the document is the required one', () => {
  const rules = new Map(
    rowsBelow('Finality').map(([network = '', , rule = '', how = '']) => [network, `${rule} ${how}`]),
  );
  const of = (network: string) => NETWORKS.find((one) => one.network === network && one.chain === 'mainnet');
  expect(rules.get('TRON')).toContain(`${of('tron')?.confirmations} blocks counted`);
  expect(rules.get('Ethereum')).toContain(`${of('ethereum')?.confirmations} slots`);
  const { lagAbove, confirmations } = of('bsc')?.finalityFallback ?? {};
  expect(DOCUMENT).toContain(`Then ${confirmations} blocks are final`);
  expect(DOCUMENT).toContain(`lags by more than ${lagAbove} blocks`);
});
