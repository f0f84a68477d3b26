// The local TRON node over plain HTTP: java-tron's response formats, verifiable blocks, the solid side nineteen blocks
// behind, and forks above it.

import { keccak256 } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PaymentRefused } from '../payment';
import { readAddress, sha256, toBase58 } from './address';
import { BLOCK_HEADER } from './messages';
import { encode } from './protobuf';
import { startTronNode, type TronNode } from './start';
import { signerOf } from './transaction';
import type { Json } from './views';

const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const USDT_HEX = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
type BlockJson = {
  blockID: string;
  block_header: {
    raw_data: Json & { number?: number; parentHash: string; timestamp: number };
    witness_signature?: string;
  };
  transactions?: (Json & { txID: string })[];
};

let node: TronNode;
beforeAll(async () => {
  node = await startTronNode({ blockMs: null });
}, 30_000);
afterAll(() => node.stop());

async function ask<T = Json>(path: string, body: object | string = {}): Promise<T> {
  const response = await fetch(`${node.rpcUrl}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as T;
}
const blockAt = (num: number) => ask<BlockJson>('wallet/getblockbynum', { num });
const head = () => ask<BlockJson>('wallet/getnowblock');
const numberOf = (block: BlockJson) => block.block_header.raw_data.number ?? 0;
const payTo = (
  recipient: string,
  scenario: 'exact' | 'failed' | 'fake_token' | 'split' | 'batch' | 'reorged' = 'exact',
) => node.pay({ currency: 'USDT', recipient, cents: 1250n, scenario });
let made = 0;
const newAddress = () => toBase58(`41${keccak256(`0x${(++made).toString(16).padStart(64, '0')}`).slice(26)}`);
const receiptOf = (value: string, side = 'wallet') => ask(`${side}/gettransactioninfobyid`, { value });

describe('answers', () => {
  test('a missing object is {}, and an empty block has no receipts and no transactions', async () => {
    const number = await node.mine(1);
    const unknown = 'ab'.repeat(32);
    expect(await blockAt(number + 1)).toEqual({});
    expect(await ask('wallet/getblockbyid', { value: unknown })).toEqual({});
    expect(await ask('wallet/gettransactionbyid', { value: unknown })).toEqual({});
    expect(await receiptOf(unknown)).toEqual({});
    expect(await ask('wallet/getaccount', { address: newAddress(), visible: true })).toEqual({});
    expect(await ask('wallet/getaccountresource', { address: newAddress(), visible: true })).toEqual({});
    expect(await ask('wallet/gettransactioninfobyblocknum', { num: number })).toEqual([]);
    expect(await ask('wallet/gettransactioninfobyblocknum', { num: 0 })).toEqual({});
    expect(await ask('wallet/gettransactioncountbyblocknum', { num: number })).toEqual({ count: 0 });
    expect(await blockAt(number)).not.toHaveProperty('transactions');
  });

  test('an invalid request gets an Error in a body with status 200', async () => {
    expect(await ask('wallet/getaccount', { address: 'nobody' })).toEqual({
      Error: expect.stringContaining('INVALID'),
    });
    expect(await ask('wallet/getblockbynum', { num: 'x' })).toEqual({ Error: expect.stringContaining('INVALID') });
    expect(await ask('wallet/broadcasttransaction', {})).toEqual({ Error: expect.stringContaining('raw_data') });
    expect(await ask('wallet/getblockbynum', '{"num":')).toEqual({ Error: expect.stringContaining('not JSON') });
    const [owner, to] = [newAddress(), newAddress()];
    const transfer = { owner_address: owner, to_address: to, amount: 1, visible: true };
    expect(await ask('wallet/createtransaction', transfer)).toEqual({
      Error: expect.stringContaining('ContractValidateException'),
    });
  });

  test('an unknown path is 404, and the solid side accepts no transactions', async () => {
    for (const path of ['wallet/nothing', 'elsewhere', 'walletsolidity/broadcasttransaction', 'wallet/constructor']) {
      expect((await fetch(`${node.rpcUrl}/${path}`, { method: 'POST' })).status).toBe(404);
    }
  });

  test('GET returns the same as POST', async () => {
    const answer = await fetch(`${node.rpcUrl}/wallet/getaccount?address=${node.payer.address}&visible=true`);
    expect(await answer.json()).toMatchObject({ address: node.payer.address, owner_permission: { threshold: 1 } });
  });

  test('visible switches addresses to base58, also in receipts', async () => {
    const hash = await payTo(newAddress());
    const [plain, visible] = [
      await receiptOf(hash),
      await ask('wallet/gettransactioninfobyid', { value: hash, visible: true }),
    ];
    expect([plain.contract_address, visible.contract_address]).toEqual([USDT_HEX, USDT]);
    expect((visible.log as Json[])[0]).toMatchObject({ address: USDT });
    expect((plain.log as Json[])[0]).toMatchObject({ address: USDT_HEX.slice(2) });
  });

  test('a constant call of a missing contract is a CONTRACT_VALIDATE_ERROR, and a reverting call reports it with result true', async () => {
    const call = { owner_address: node.payer.address, visible: true, function_selector: 'transfer(address,uint256)' };
    const parameter = `${'0'.repeat(64)}${'f'.repeat(64)}`;
    expect(await ask('wallet/triggerconstantcontract', { ...call, contract_address: newAddress(), parameter })).toEqual(
      {
        result: { code: 'CONTRACT_VALIDATE_ERROR', message: 'Smart contract is not exist.' },
      },
    );
    const reverted = await ask('wallet/triggerconstantcontract', { ...call, contract_address: USDT, parameter });
    expect(reverted).toMatchObject({
      result: { result: true, message: 'REVERT opcode executed' },
      transaction: { ret: [{ ret: 'FAILED' }] },
    });
  });
});

describe('blocks', () => {
  test("an id is the header's hash with the height in front, signed by the witness, and follows its parent", async () => {
    await payTo(newAddress());
    const block = await head();
    const { number = 0, ...rest } = block.block_header.raw_data;
    const bytes = encode(BLOCK_HEADER, { number, ...rest });
    const hash = sha256(bytes).toString('hex');
    expect(block.blockID).toBe(number.toString(16).padStart(16, '0') + hash.slice(16));
    expect(signerOf(hash, block.block_header.witness_signature as string)).toBe(rest.witness_address);
    expect(rest.parentHash).toBe((await blockAt(number - 1)).blockID);
    expect(rest.timestamp).toBeGreaterThan((await blockAt(number - 1)).block_header.raw_data.timestamp);
    expect(block.transactions).toHaveLength(1);
  });

  test('the first block has no number, and its id ends with the chain id', async () => {
    const genesis = await blockAt(0);
    expect(genesis.block_header.raw_data).not.toHaveProperty('number');
    expect(parseInt(genesis.blockID.slice(-8), 16)).toBe(node.spec.chainId);
  });

  test('a restarted node has a different first block', async () => {
    const again = await startTronNode({ blockMs: null });
    try {
      const answer = await fetch(`${again.rpcUrl}/wallet/getblockbynum?num=0`);
      expect(((await answer.json()) as BlockJson).blockID).not.toBe((await blockAt(0)).blockID);
    } finally {
      await again.stop();
    }
  });

  test('lists of blocks end at the head', async () => {
    const number = numberOf(await head());
    const list = await ask<{ block: BlockJson[] }>('wallet/getblockbylimitnext', {
      startNum: number - 1,
      endNum: number + 5,
    });
    expect(list.block.map(numberOf)).toEqual([number - 1, number]);
    const latest = await ask<{ block: BlockJson[] }>('wallet/getblockbylatestnum', { num: 3 });
    expect(latest.block.map(numberOf)).toEqual([number - 2, number - 1, number]);
  });

  test('are made at an interval when the node has one', async () => {
    const beating = await startTronNode({ blockMs: 20 });
    try {
      const before = beating.chain.head().number;
      await expect.poll(() => beating.chain.head().number).toBeGreaterThan(before + 2);
    } finally {
      await beating.stop();
    }
  });
});

describe('finality', () => {
  test('the solid side shows a payment and its balances nineteen blocks later', async () => {
    const recipient = newAddress();
    const hash = await payTo(recipient);
    const call = { owner_address: node.payer.address, contract_address: USDT, visible: true };
    const balance = async (side: string) => {
      const parameter = readAddress(recipient)?.slice(2).padStart(64, '0');
      const asked = { ...call, function_selector: 'balanceOf(address)', parameter };
      const { constant_result: result } = await ask(`${side}/triggerconstantcontract`, asked);
      return BigInt(`0x${(result as string[])[0]}`);
    };
    await node.mine(18);
    expect(await receiptOf(hash, 'walletsolidity')).toEqual({});
    expect(await ask('walletsolidity/gettransactionbyid', { value: hash })).toEqual({});
    expect([await balance('wallet'), await balance('walletsolidity')]).toEqual([12_500_000n, 0n]);
    await node.mine(1);
    expect(await receiptOf(hash, 'walletsolidity')).toEqual(await receiptOf(hash));
    expect(await balance('walletsolidity')).toBe(12_500_000n);
  });

  test('a fork replaces blocks above the solid head with their transactions, and is rejected below it', async () => {
    await node.mine(25);
    const recipient = newAddress();
    const hash = await payTo(recipient);
    const before = await head();
    const number = numberOf(before);
    await node.mine(2);
    await node.reorganise(3);
    expect((await blockAt(number)).blockID).not.toBe(before.blockID);
    expect((await blockAt(number)).block_header.raw_data.parentHash).toBe((await blockAt(number - 1)).blockID);
    expect(numberOf(await head())).toBeGreaterThan(number + 2);
    expect(await receiptOf(hash)).toEqual({});
    expect(await ask('wallet/getblockbyid', { value: before.blockID })).toEqual({});
    expect(await node.balance(recipient, 'USDT')).toBe(0n);
    await expect(node.reorganise(20)).rejects.toThrow(PaymentRefused);
    await node.reorganise(19);
    expect((await ask<BlockJson>('walletsolidity/getnowblock')).blockID).toHaveLength(64);
  });

  test('a transaction that is no longer in a block can be sent again', async () => {
    await node.mine(19);
    const hash = await payTo(newAddress());
    const sent = await ask('wallet/gettransactionbyid', { value: hash });
    await node.reorganise(1);
    expect(await ask('wallet/broadcasttransaction', sent)).toEqual({ result: true, txid: hash });
    expect(await ask('wallet/gettransactionfrompending', { value: hash })).toMatchObject({ txID: hash });
    await node.mine(1);
    expect(await receiptOf(hash)).toMatchObject({ id: hash });
  });

  test('a reorged payment never becomes solid, however many blocks are mined, and later payments stay', async () => {
    const [recipient, behind] = [newAddress(), newAddress()];
    const hash = await payTo(recipient, 'reorged');
    const kept = await payTo(behind);
    await node.mine(30);
    expect(await receiptOf(hash)).toMatchObject({ id: hash });
    expect(await receiptOf(hash, 'walletsolidity')).toEqual({});
    await expect.poll(() => receiptOf(hash), { timeout: 10_000 }).toEqual({});
    expect([await node.balance(recipient, 'USDT'), await node.balance(behind, 'USDT')]).toEqual([0n, 12_500_000n]);
    await node.mine(19);
    expect(await receiptOf(kept, 'walletsolidity')).toMatchObject({ id: kept });
  });
});

describe('scenarios', () => {
  const logsOf = async (hash: string) => ((await receiptOf(hash)).log ?? []) as { address: string; topics: string[] }[];

  test('failed is a REVERT receipt without logs that cost its fee', async () => {
    const receipt = await receiptOf(await payTo(newAddress(), 'failed'));
    expect(receipt).toMatchObject({ result: 'FAILED', receipt: { result: 'REVERT' }, fee: expect.any(Number) });
    expect(Buffer.from(String(receipt.resMessage), 'hex').toString()).toBe('REVERT opcode executed');
    expect(receipt).not.toHaveProperty('log');
  });

  test('fake_token is a transfer of another contract with the same symbol', async () => {
    const [log] = await logsOf(await payTo(newAddress(), 'fake_token'));
    expect(log?.address).not.toBe(USDT_HEX.slice(2));
    const call = {
      owner_address: node.payer.address,
      contract_address: `41${log?.address}`,
      function_selector: 'symbol()',
    };
    const { constant_result: result } = await ask('wallet/triggerconstantcontract', call);
    expect(Buffer.from((result as string[])[0] as string, 'hex').toString()).toContain('USDT');
  });

  test('batch is one transaction with two transfers, split is two transactions', async () => {
    expect((await logsOf(await payTo(newAddress(), 'batch'))).map(({ address }) => address)).toEqual([
      USDT_HEX.slice(2),
      USDT_HEX.slice(2),
    ]);
    const recipient = newAddress();
    await payTo(recipient, 'split');
    const listed = await fetch(`${node.rpcUrl}/v1/accounts/${recipient}/transactions/trc20?only_to=true`);
    const { data } = (await listed.json()) as { data: { transaction_id: string; value: string; to: string }[] };
    expect(new Set(data.map((one) => one.transaction_id)).size).toBe(2);
    expect(data.map(({ value, to }) => [value, to])).toEqual([
      ['6250000', recipient],
      ['6250000', recipient],
    ]);
  });
});
