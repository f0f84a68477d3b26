// java-tron's read-only JSON-RPC on the local TRON chain, as an unmodified ethers uses it.

import { Interface, JsonRpcProvider, zeroPadValue } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAddress, toBase58, toEvm } from './address';
import { startTronNode, type TronNode } from './start';

const USDT = '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const RECIPIENT = `0x${'5a'.repeat(20)}`;
const token = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address, uint256)',
]);

let node: TronNode;
let rpc: JsonRpcProvider;
let paid: string;
let reverted: string;

beforeAll(async () => {
  node = await startTronNode({ blockMs: null });
  rpc = new JsonRpcProvider(`${node.rpcUrl}/jsonrpc`, node.spec.chainId ?? 0, {
    staticNetwork: true,
    batchMaxCount: 1,
  });
  const payment = { currency: 'USDT', recipient: toBase58(`41${RECIPIENT.slice(2)}`), cents: 500n } as const;
  paid = await node.pay({ ...payment, scenario: 'exact' });
  reverted = await node.pay({ ...payment, scenario: 'failed' });
}, 30_000);
afterAll(async () => {
  rpc.destroy();
  await node.stop();
});

const logsOf = (over: object = {}) =>
  rpc.getLogs({ fromBlock: 0, toBlock: 'latest', topics: [TRANSFER, null, zeroPadValue(RECIPIENT, 32)], ...over });

test('the chain id and the heads are those of the node', async () => {
  expect(Number(await rpc.send('eth_chainId', []))).toBe(node.spec.chainId);
  const [latest, finalized] = [
    await rpc.getBlock('latest'),
    await rpc.send('eth_getBlockByNumber', ['finalized', false]),
  ];
  expect(latest?.hash).toBe(`0x${node.chain.head().id}`);
  expect(Number((finalized as { number: string }).number)).toBe(node.chain.solid().number);
});

test('finds a transfer by its recipient, with its block and transaction', async () => {
  const [log, ...others] = await logsOf({ address: USDT });
  expect(others).toEqual([]);
  const included = node.chain.known(paid)?.included?.block ?? 0;
  expect(log).toMatchObject({
    address: expect.stringMatching(new RegExp(USDT, 'i')),
    transactionHash: `0x${paid}`,
    blockNumber: included,
    blockHash: `0x${node.chain.block(included)?.id}`,
  });
  expect(await logsOf({ address: `0x${'11'.repeat(20)}` })).toEqual([]);
  expect(await logsOf({ fromBlock: included + 1 })).toEqual([]);
  expect(await rpc.send('eth_getLogs', [{ blockHash: log?.blockHash, topics: [[TRANSFER]] }])).toHaveLength(1);
  expect(await logsOf({ toBlock: 'finalized' })).toEqual([]);
});

test('a receipt shows whether its transaction succeeded', async () => {
  const statuses = await Promise.all(
    [paid, reverted].map(
      async (hash) => (await rpc.send('eth_getTransactionReceipt', [`0x${hash}`])) as { status: string },
    ),
  );
  expect(statuses.map(({ status }) => status)).toEqual(['0x1', '0x0']);
  expect(await rpc.send('eth_getTransactionReceipt', [`0x${'00'.repeat(32)}`])).toBeNull();
  const receipts = (await rpc.send('eth_getBlockReceipts', ['latest'])) as { transactionHash: string }[];
  expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual([`0x${reverted}`]);
});

test('a call returns its result, a reverting call fails, and TRX balances are in sun', async () => {
  const data = token.encodeFunctionData('balanceOf', [RECIPIENT]);
  expect(BigInt(await rpc.call({ to: USDT, data }))).toBe(5_000_000n);
  const impossible = token.encodeFunctionData('transfer', [RECIPIENT, 2n ** 200n]);
  await expect(rpc.call({ to: USDT, data: impossible })).rejects.toMatchObject({ code: 'CALL_EXCEPTION' });
  const payer = toEvm(readAddress(node.payer.address) ?? '');
  expect(await rpc.getBalance(payer)).toBe(node.chain.state.account(`41${payer.slice(2)}`).balance);
});

test('rejects unknown methods and tags, and ranges that are too long', async () => {
  await expect(rpc.send('eth_sendRawTransaction', ['0x'])).rejects.toThrow('does not exist');
  await expect(rpc.send('eth_getBlockByNumber', ['pending', false])).rejects.toThrow('invalid block number');
  await node.mine(5000);
  await expect(logsOf()).rejects.toThrow('exceed max block range');
});
