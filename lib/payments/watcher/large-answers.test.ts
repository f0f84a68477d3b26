// A stranger makes transactions whose receipts, or a block whose token logs, exceed the response limit
// (json-rpc/client, MAX_ANSWER_BYTES). No other payment may wait for it.

import { expect, it } from 'vitest';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { usdt, useWatchedChain } from '@/testing/watching/watched-chain';

const w = useWatchedChain();
const STRANGER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
/** Three times the 2 MB that the gas of one transaction buys (8 gas each byte): three of them exceed the response limit. */
const LOG_BYTES = 6_000_000;
const ballast = { address: `0x${'99'.repeat(20)}`, topics: [], data: `0x${'00'.repeat(LOG_BYTES)}` };

async function passes(count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    await w.run();
    w.mine(1);
    w.clock.advance(70_000);
  }
}

it('three dust payments with long receipts delay no other customer', async () => {
  await w.run();
  const [own, other] = [await w.session(), await w.session()];
  w.mine(2);
  for (let left = 3; left > 0; left--)
    w.node().mine([{ logs: [transferLog(usdt, STRANGER, own.address, 1n), ballast] }]);
  w.pay(other.address);
  w.mine(6);
  await passes(5);
  expect((await w.row()).trouble).toBe(null);
  expect((await w.paymentsOf(other.id)).status).toBe('completed');
}, 60_000);

it('one block with twenty-five thousand transfers of nothing delays no customer', async () => {
  await w.run();
  const { id, address } = await w.session();
  w.mine(2);
  const nothing = transferLog(usdt, STRANGER, `0x${'88'.repeat(20)}`, 0n);
  w.node().mine([{ logs: Array.from({ length: 25_000 }, () => nothing) }]);
  w.pay(address);
  w.mine(6);
  await passes(5);
  expect((await w.row()).trouble).toBe(null);
  expect((await w.paymentsOf(id)).status).toBe('completed');
}, 60_000);

it('one block with large logs of some contract delays no customer where blocks are read by their receipts, as on the official BSC nodes', async () => {
  w.node().tamper = ({ method }) =>
    method === 'eth_getLogs' ? { error: { code: -32005, message: 'limit exceeded' } } : undefined;
  await w.run();
  const { id, address } = await w.session();
  w.mine(2);
  w.node().mine([{ logs: [ballast] }, { logs: [ballast] }, { logs: [ballast] }]);
  w.pay(address);
  w.mine(6);
  await passes(5);
  expect((await w.row()).trouble).toBe(null);
  expect((await w.paymentsOf(id)).status).toBe('completed');
}, 60_000);

it('only a block without logs from the provider is read by its receipts', async () => {
  await w.run();
  const { id, address } = await w.session();
  w.mine(20);
  const spam = w.node().mine().number;
  w.node().tamper = ({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined;
    const [{ fromBlock, toBlock }] = params as [{ fromBlock?: string; toBlock?: string }];
    const isOver = Number(fromBlock) <= spam && Number(toBlock) >= spam;
    return isOver ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : undefined;
  };
  w.node().calls.clear();
  w.mine(20);
  w.pay(address);
  w.mine(6);
  await passes(5);
  expect((await w.paymentsOf(id)).status).toBe('completed');
  // Above finality and for crediting.
  expect(w.node().calls.get('eth_getBlockReceipts')).toBeLessThanOrEqual(2);
}, 60_000);

it('one block whose receipts a provider does not return at once delays no customer', async () => {
  await w.run();
  const { id, address } = await w.session();
  w.mine(2);
  const spam = w.node().mine().number;
  w.node().tamper = ({ method, params }) => {
    if (method === 'eth_getLogs') return { error: { code: -32005, message: 'limit exceeded' } };
    const isOver = method === 'eth_getBlockReceipts' && Number(params[0]) === spam;
    return isOver ? { error: { code: -32008, message: 'Response is too big: response size exceeded' } } : undefined;
  };
  w.pay(address);
  w.mine(6);
  await passes(5);
  expect((await w.row()).trouble).toBe(null);
  expect((await w.paymentsOf(id)).status).toBe('completed');
}, 60_000);
