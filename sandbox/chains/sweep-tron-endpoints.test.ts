// What sweeps read from TRON endpoints that lack an API, fail, or report nonsense.

import { afterEach, beforeAll, afterAll, expect, it } from 'vitest';
import { openTronSweepChain, stakeFor, type TronSweepChain } from '@/lib/networks/families/tron/sweeping/chain';
import { ChainError } from '@/lib/networks/chain';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { startLyingEndpoint, type Lie } from './lying-endpoint';
import { freeze, delegate } from './tron/stakes';
import { startTronNode, type TronNode } from './tron/start';
import { readAddress } from './tron/address';

const TRX = 1_000_000n;
let node: TronNode;
beforeAll(async () => void (node = await startTronNode({ blockMs: null })), 60_000);
afterAll(() => node.stop());
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const NO_NODE = 'http://127.0.0.1:1';
const reading = () => ({ spec: node.spec, needed: 1, clock: systemClock, log: silentLog(), timeoutMs: 5000 });

/** Reads by an endpoint that lies, and by these others after it. */
async function behind(lie: Lie, others: readonly string[] = []): Promise<TronSweepChain> {
  const { url, stop } = await startLyingEndpoint(node.rpcUrl, lie);
  stops.push(stop);
  return openTronSweepChain({ ...reading(), urls: [url, ...others] });
}
const hexOf = (address: string): string => readAddress(address) as string;
const MISSING = { Error: 'this API is unavailable due to config' };

it('computes what a stake can lend where the node does not, as the node does', async () => {
  const [owner, other] = [node.payer.address, 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA'];
  const honest = await behind((_path, answer) => answer);
  const without = await behind((path, answer) => (path.endsWith('getcandelegatedmaxsize') ? MISSING : answer));
  expect((await honest.sponsor(owner)).lendable).toBe(0n);
  expect((await without.sponsor(owner)).lendable).toBe(0n);
  await node.chain.exclusively(() => {
    const { state } = node.chain;
    freeze(state, hexOf(owner), 'ENERGY', 20_000n * TRX);
    delegate(state, { owner: hexOf(owner), receiver: hexOf(other), resource: 'ENERGY', amount: 5000n * TRX });
  });
  // A payment uses some of the stake.
  await node.pay({ currency: 'USDT', recipient: other, cents: 1_00n, scenario: 'exact' });
  const [ours, theirs] = [await without.sponsor(owner), await honest.sponsor(owner)];
  expect(theirs.lendable).toBeLessThan(15_000n * TRX);
  expect(theirs.lendable).toBeGreaterThan(0n);
  // Its usage is reported in whole energy.
  const unit = stakeFor(theirs.total, 2n);
  expect(ours.lendable - theirs.lendable).toBeLessThan(unit);
  expect(theirs.lendable - ours.lendable).toBeLessThan(unit);
  expect(await honest.borrowers(owner)).toEqual([other]);
  expect(await honest.lent(owner, other)).toBe(5000n * TRX);
  expect(await honest.lent(other, owner)).toBe(0n);
});

const transfer = () => ({
  ...{ from: node.payer.address, to: 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA' },
  ...{ contract: node.spec.tokens.USDT!.contract, amount: 1n },
});
const isSimulation = (params: unknown, selector = 'transfer(address,uint256)'): boolean =>
  (params as { function_selector?: string }).function_selector === selector;

/** A payment of one dollar, and the energy that its receipt states. */
async function paidEnergy(recipient: string): Promise<bigint> {
  const value = await node.pay({ currency: 'USDT', recipient, cents: 100n, scenario: 'exact' });
  await node.mine(1);
  const answer = await fetch(`${node.rpcUrl}/wallet/gettransactioninfobyid`, {
    method: 'POST',
    body: JSON.stringify({ value }),
  });
  const { receipt } = (await answer.json()) as { receipt: { energy_usage_total: number } };
  return BigInt(receipt.energy_usage_total);
}

it('the energy of a transfer is that of its receipt within 5 %, with the penalty once', async () => {
  const chain = await behind((_path, answer) => answer);
  // A recipient that holds the token already.
  await paidEnergy(transfer().to);
  const energy = Number(await chain.transferEnergy({ ...transfer(), amount: 1_000_000n }));
  const paid = Number(await paidEnergy(transfer().to));
  expect(paid).toBeGreaterThan(55_000);
  expect(Math.abs(energy - paid)).toBeLessThan(0.05 * paid);
  expect(await chain.transferEnergy({ ...transfer(), amount: 10n ** 30n })).toBe(null);
});

it.each<[string, object]>([
  ['refuses it', { result: { code: 'OTHER_ERROR', message: 'busy' }, energy_used: 64_285 }],
  ['names no energy', { result: { result: true }, constant_result: [''] }],
])('a simulation is no estimate if the node %s', async (_what, said) => {
  const chain = await behind((path, answer, params) =>
    path.endsWith('triggerconstantcontract') && isSimulation(params) ? said : answer,
  );
  await expect(chain.transferEnergy(transfer())).rejects.toThrow(ChainError);
});

it.each(['getEnergyFee', 'getTransactionFee', 'getCreateAccountFee', 'getCreateNewAccountFeeInSystemContract'])(
  'no prices are read from a node that leaves out %s',
  async (left) => {
    const chain = await behind((path, answer) => {
      if (!path.endsWith('getchainparameters')) return answer;
      const { chainParameter } = answer as { chainParameter: { key: string }[] };
      return { chainParameter: chainParameter.filter(({ key }) => key !== left) };
    });
    await expect(chain.prices()).rejects.toThrow(left);
  },
);

it('a node that refuses to simulate a flush says that the call is too large, also while the other node does not answer', async () => {
  const refusal = { result: { code: 'OTHER_ERROR', message: 'the call takes too long' } };
  const flush = {
    ...{ from: node.payer.address, factory: 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA' },
    ...{ contract: node.spec.tokens.USDT!.contract, energyEach: 1n, salts: [`0x${'11'.repeat(20)}`] },
  };
  const lie: Lie = (_path, answer, params) =>
    isSimulation(params) || isSimulation(params, 'flush(address,uint256,bytes32[])') ? refusal : answer;
  await expect((await behind(lie)).flushEnergy(flush)).rejects.toMatchObject({ fault: 'too_large' });
  await expect((await behind(lie, [NO_NODE])).flushEnergy(flush)).rejects.toMatchObject({ fault: 'too_large' });
  await expect((await behind(lie, [node.rpcUrl])).transferEnergy(transfer())).resolves.toBeGreaterThan(0n);
  // A payment, whose simulation is no shorter with fewer addresses, waits.
  await expect((await behind(lie)).transferEnergy(transfer())).rejects.toMatchObject({ fault: 'unavailable' });
  const silent = openTronSweepChain({ ...reading(), urls: [NO_NODE] });
  await expect(silent.flushEnergy(flush)).rejects.toMatchObject({ fault: 'unavailable' });
});
