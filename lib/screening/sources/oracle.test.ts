// The oracle on a real EVM chain: what it lists is a hit and what it does not is clear, when enough endpoints report that.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { networkSpec, NETWORKS } from '@/lib/networks/networks';
import { oracleOf } from '@/lib/screening/policy';
import { silentLog } from '@/testing/chain-clock';
import { systemClock } from '@/lib/platform/clock';
import { startAnvil, type Anvil } from '@/testing/evm/anvil';
import { deployOracle } from '@/testing/evm/sanctions-oracle';
import { testConfig } from '@/testing/fixtures';
import { startRefusingEndpoint, type Rules } from '@/testing/sweeps/refusing-endpoint';
import { openOracle } from './oracle';

const ORACLE = '0x40c57923924b5c5c5455c48d93317139addac8fb';
const [CLEAN, LISTED] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
const spec = networkSpec('test', 'ethereum', 'local')!;
const NOWHERE = 'http://127.0.0.1:1';

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil(spec);
  const list = await deployOracle(anvil, ORACLE);
  await anvil.mine(10);
  await list(LISTED);
});
afterAll(() => anvil.stop());

const open = (contract: string, urls: readonly string[], needed = 1) =>
  openOracle(contract, { spec, urls, needed, budgets: [], clock: systemClock, log: silentLog() });

it('reports what the contract lists, and clears what it does not', async () => {
  const ask = open(ORACLE, [anvil.url]);
  expect(await ask(LISTED)).toEqual({ verdict: 'hit', entity: 'Chainalysis sanctions oracle' });
  expect(await ask(CLEAN)).toEqual({ verdict: 'clear' });
});

it('clears nothing without code at the address, without endpoints, and with fewer endpoints than must agree', async () => {
  const elsewhere = open(`0x${'00'.repeat(19)}77`, [anvil.url]);
  expect(await elsewhere(CLEAN)).toMatchObject({ verdict: 'unknown' });
  expect(await open(ORACLE, [NOWHERE])(CLEAN)).toMatchObject({ verdict: 'unknown' });
  const two = open(ORACLE, [anvil.url, NOWHERE], 2);
  expect(await two(CLEAN)).toEqual({ verdict: 'unknown', reason: '1 of 2 endpoints answered for the oracle' });
  expect(await two(LISTED)).toMatchObject({ verdict: 'unknown' });
});

it('a lying endpoint makes no hit and clears nothing: the address waits until as many endpoints as must agree report the same', async () => {
  let word = `0x${'0'.repeat(63)}1`;
  const change: Rules['change'] = ({ params }, result) =>
    (params[0] as { to?: string } | undefined)?.to === ORACLE ? word : result;
  const honest = await startRefusingEndpoint(anvil.url, {});
  const liar = await startRefusingEndpoint(anvil.url, { change });
  try {
    const ask = open(ORACLE, [anvil.url, honest.url, liar.url], 2);
    expect(await ask(CLEAN)).toEqual({ verdict: 'unknown', reason: '1 of 3 endpoints report a hit of the oracle' });
    expect(await ask(LISTED)).toMatchObject({ verdict: 'hit' });
    word = `0x${'0'.repeat(64)}`;
    expect(await ask(CLEAN)).toEqual({ verdict: 'clear' });
    expect(await ask(LISTED)).toMatchObject({ verdict: 'hit' });
    expect(await open(ORACLE, [anvil.url, liar.url], 2)(LISTED)).toMatchObject({ verdict: 'unknown' });
  } finally {
    await Promise.all([honest.stop(), liar.stop()]);
  }
});

it('is asked on the networks with a confirmed contract when it is switched on, and on local chains only where a contract is named', () => {
  const asked = (settings: Record<string, string>) =>
    NETWORKS.filter((one) => oracleOf(testConfig(settings), one) !== null).map(
      ({ network, chain }) => `${network} ${chain}`,
    );
  expect(asked({})).toEqual([]);
  expect(asked({ SCREENING_ORACLE: 'on' }).toSorted()).toEqual([
    'arbitrum mainnet',
    'base mainnet',
    'bsc mainnet',
    'ethereum mainnet',
    'polygon mainnet',
  ]);
  const local = asked({ SCREENING_ORACLE_LOCAL: ORACLE });
  expect(local).toEqual(expect.arrayContaining(['ethereum local', 'bsc local']));
  expect(local.filter((one) => !one.endsWith(' local') || /tron|solana/.test(one))).toEqual([]);
});

it('is the contract of its own network: Base has another address than the others', () => {
  const of = (network: string) =>
    oracleOf(testConfig({ SCREENING_ORACLE: 'on' }), networkSpec('live', network, 'local')!);
  expect(['ethereum', 'bsc', 'polygon', 'arbitrum'].map(of)).toEqual(Array(4).fill(ORACLE));
  expect(of('base')).toBe('0x3a91a31cb3dc49b4db9ce721f50a9d076c8d739b');
});
