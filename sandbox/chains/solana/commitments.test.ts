// The local Solana chain's responses at each commitment, and the remains of a dropped fork. Blocks are made by hand, so
// that the test sees every state from first sight of a payment to finality.

import net from 'node:net';
import type { Address, KeyPairSigner } from '@solana/kit';
import { getCloseAccountInstruction } from '@solana-program/token';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FINALITY_LAG } from './blocks';
import { startSolanaNode, type SolanaNode } from './node';
import { call, post } from './test-client';

const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;

let node: SolanaNode;
let payer: KeyPairSigner;
let recipient: Address;
let USDC: Address;

beforeEach(async () => {
  node = await startSolanaNode({ tick: 'manual' });
  USDC = node.mints.genuine['USDC'] as Address;
  payer = await node.bank.newHolder();
  recipient = (await node.bank.newHolder()).address;
  await node.bank.mint({ to: payer.address, mint: USDC, amount: 1_000_000n });
  node.tick(FINALITY_LAG);
});
afterEach(() => node.stop());

const pay = (amount: bigint) => node.bank.transfer({ from: payer, to: recipient, mint: USDC, amount });
const result = async <T>(method: string, ...params: readonly unknown[]) =>
  (await call(node, method, ...params)).result as T;

type Parsed = { data: { parsed: { info: { tokenAmount: { amount: string } } } } } | null;
const amountIn = (account: Parsed | undefined) => account?.data.parsed.info.tokenAmount.amount ?? null;

/** The recipient's balance at a commitment, by every method that reports it; they must agree. */
async function held(commitment: string): Promise<string | null> {
  const account = await node.bank.associatedAccount(recipient, USDC);
  const options = { commitment, encoding: 'jsonParsed' };
  const one = await result<{ value: Parsed }>('getAccountInfo', account, options);
  const several = await result<{ value: Parsed[] }>('getMultipleAccounts', [account], options);
  const owned = await result<{ value: { account: Parsed }[] }>(
    'getTokenAccountsByOwner',
    recipient,
    { mint: USDC },
    options,
  );
  const balance = await result<{ value: { amount: string } } | undefined>('getTokenAccountBalance', account, options);
  const listed = await result<{ pubkey: string; account: Parsed }[]>(
    'getProgramAccounts',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    { ...options, filters: [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: recipient } }] },
  );
  const said = [one.value, several.value[0], owned.value[0]?.account, listed[0]?.account].map(amountIn);
  expect(new Set([...said, balance?.value.amount ?? null]).size).toBe(1);
  return said[0] ?? null;
}
const heldAtEach = async () => [await held('processed'), await held('confirmed'), await held('finalized')];

describe('a read at a commitment returns the state of that commitment:', () => {
  test('a payment is visible at once, confirmed by the next block, and final exactly 32 blocks later', async () => {
    await pay(10n);
    expect(await heldAtEach()).toEqual(['10', null, null]);
    node.tick();
    expect(await heldAtEach()).toEqual(['10', '10', null]);
    node.tick(FINALITY_LAG - 2);
    expect(await heldAtEach()).toEqual(['10', '10', null]);
    node.tick();
    expect(await heldAtEach()).toEqual(['10', '10', '10']);
  });

  test('each of several payments becomes final by itself', async () => {
    await pay(10n);
    node.tick(5);
    await pay(7n);
    node.tick(FINALITY_LAG - 5);
    expect(await held('finalized')).toBe('10');
    node.tick(5);
    expect(await held('finalized')).toBe('17');
  });

  test('a closed account still exists at finality', async () => {
    const account = await node.bank.associatedAccount(payer.address, USDC);
    await pay(1_000_000n);
    await node.bank.send(payer, [getCloseAccountInstruction({ account, destination: payer.address, owner: payer })]);
    node.tick();
    const exists = async (commitment: string) =>
      (await result<{ value: unknown }>('getAccountInfo', account, { commitment, encoding: 'base64' })).value !== null;
    expect(await Promise.all(COMMITMENTS.map(exists))).toEqual([false, false, true]);
    node.tick(FINALITY_LAG);
    expect(await exists('finalized')).toBe(false);
  });

  test('transactions, lists of them and statuses agree', async () => {
    const { signature, slot } = await pay(10n);
    const account = await node.bank.associatedAccount(recipient, USDC);
    const seen = async () => {
      const options = (commitment: string) => ({ commitment, maxSupportedTransactionVersion: 1 });
      const [status] = (
        await result<{ value: ({ confirmationStatus: string } | null)[] }>('getSignatureStatuses', [signature])
      ).value;
      const found: (string | boolean | undefined)[] = [status?.confirmationStatus];
      for (const commitment of ['confirmed', 'finalized']) {
        const listed = await result<unknown[]>('getSignaturesForAddress', account, { commitment });
        const transaction = await result<object | null>('getTransaction', signature, options(commitment));
        const block = await call(node, 'getBlock', slot, options(commitment));
        expect([listed.length === 1, block.error === undefined]).toEqual([transaction !== null, transaction !== null]);
        found.push(transaction !== null);
      }
      return found;
    };
    expect(await seen()).toEqual(['processed', false, false]);
    node.tick();
    expect(await seen()).toEqual(['confirmed', true, false]);
    node.tick(FINALITY_LAG - 1);
    expect(await seen()).toEqual(['finalized', true, true]);
  });

  test.each(['getBlock', 'getTransaction', 'getSignaturesForAddress', 'getBlocks'])(
    '%s knows no unconfirmed ones',
    async (method) => {
      const { signature, slot } = await pay(1n);
      const subject = {
        getBlock: slot,
        getBlocks: slot,
        getTransaction: signature,
        getSignaturesForAddress: recipient,
      }[method];
      const answer = await call(node, method, subject, { commitment: 'processed' });
      expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('below `confirmed`') });
    },
  );

  test('a node below the required slot reports an error', async () => {
    const slot = await result<number>('getSlot', { commitment: 'finalized' });
    const options = (minContextSlot: number) => ({ commitment: 'finalized', minContextSlot });
    expect((await call(node, 'getBalance', recipient, options(slot))).error).toBeUndefined();
    const { error } = await call(node, 'getBalance', recipient, options(slot + 1));
    expect(error).toMatchObject({ code: -32016, data: { contextSlot: slot } });
  });

  test('a request without a commitment reads the final state', async () => {
    await pay(10n);
    node.tick(FINALITY_LAG - 1);
    expect(await result('getSlot')).toBe(await result('getSlot', { commitment: 'finalized' }));
    expect(
      (await result<{ value: unknown[] }>('getTokenAccountsByOwner', recipient, { mint: USDC }, {})).value,
    ).toEqual([]);
  });
});

describe('a dropped fork', () => {
  test('removes its payments and restores the accounts', async () => {
    await pay(10n);
    node.tick(3);
    const { signature, slot } = await pay(7n);
    node.tick(2);
    expect(await held('confirmed')).toBe('17');
    const height = await result<number>('getBlockHeight', { commitment: 'processed' });
    node.dropBlocks(3);
    expect([await held('processed'), await held('confirmed')]).toEqual(['10', '10']);
    expect((await result<{ value: unknown[] }>('getSignatureStatuses', [signature])).value).toEqual([null]);
    expect(await result('getTransaction', signature, { maxSupportedTransactionVersion: 1 })).toBeNull();
    expect((await call(node, 'getBlock', slot, { commitment: 'confirmed' })).error?.code).toBe(-32007);
    expect(await result('getBlockHeight', { commitment: 'processed' })).toBe(height);
    node.tick(FINALITY_LAG);
    expect(await held('finalized')).toBe('10');
    expect(node.bank.balanceOf(payer.address, USDC)).toBe(1_000_000n - 10n);
  });

  test('makes its blockhashes unknown, and the same bytes can be sent again', async () => {
    node.tick(3);
    const { value } = await result<{ value: { blockhash: string } }>('getLatestBlockhash', { commitment: 'confirmed' });
    const landed = await pay(7n);
    node.dropBlocks(3);
    const valid = { commitment: 'processed' };
    expect((await result<{ value: boolean }>('isBlockhashValid', value.blockhash, valid)).value).toBe(false);
    const raw = Buffer.from(landed.wire.bytes).toString('base64');
    const again = await result('sendTransaction', raw, { encoding: 'base64', preflightCommitment: 'processed' });
    expect([again, await held('processed')]).toEqual([landed.signature, '7']);
  });

  test('keeps transactions that the surviving fork also includes', async () => {
    const [lost, kept] = [await pay(10n), await pay(7n)];
    node.tick();
    node.ledger.dropFork(2, (signature) => signature === kept.signature);
    expect([node.ledger.find(lost.signature), node.ledger.find(kept.signature)?.slot]).not.toContain(kept.slot);
    node.tick(FINALITY_LAG);
    expect(await held('finalized')).toBe('7');
  });

  test('never removes a final block, and slots never go back', async () => {
    node.tick(FINALITY_LAG + 5);
    const before = await Promise.all(COMMITMENTS.map((commitment) => result<number>('getSlot', { commitment })));
    expect(() => node.dropBlocks(FINALITY_LAG + 1)).toThrow(RangeError);
    node.dropBlocks(FINALITY_LAG);
    const after = await Promise.all(COMMITMENTS.map((commitment) => result<number>('getSlot', { commitment })));
    for (const [at, slot] of after.entries()) expect(slot).toBeGreaterThanOrEqual(before[at]!);
  });

  test('differs from a restarted chain by the genesis hash', async () => {
    const mine = await result('getGenesisHash');
    node.dropBlocks(5);
    expect(await result('getGenesisHash')).toBe(mine);
    const other = await startSolanaNode({ tick: 'manual' });
    expect((await call(other, 'getGenesisHash')).result).not.toBe(mine);
    await other.stop();
  });
});

describe('the interface', () => {
  test('answers a batch in its order, including errors', async () => {
    const answers = (await post(node, [
      { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
      { jsonrpc: '2.0', id: 'b', method: 'constructor' },
      { jsonrpc: '2.0', id: 'c', method: 'getBalance', params: ['no address'] },
      'nonsense',
    ])) as { id: unknown; result?: unknown; error?: { code: number } }[];
    expect(answers.map((one) => [one.id, one.result ?? one.error?.code])).toEqual([
      ['a', 'ok'],
      ['b', -32601],
      ['c', -32602],
      [null, -32600],
    ]);
  });

  test('writes the rent epoch of rent-exempt accounts exactly', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getAccountInfo',
      params: [USDC, { encoding: 'base64' }],
    });
    const headers = { 'content-type': 'application/json' };
    const text = await (await fetch(node.rpcUrl, { method: 'POST', headers, body })).text();
    expect(text).toContain('"rentEpoch":18446744073709551615');
  });

  test('survives a caller that disconnects in the middle of a request', async () => {
    const { hostname, port } = new URL(node.rpcUrl);
    const socket = net.connect(Number(port), hostname);
    const head = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"json';
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    socket.destroy();
    expect((await call(node, 'getHealth')).result).toBe('ok');
  });

  test.each([
    ['a body that is not JSON', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }, 400],
    ['a body of another type', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }, 415],
    ['a page request', { method: 'GET' }, 405],
  ])('refuses %s', async (_, request, status) => {
    expect((await fetch(node.rpcUrl, request)).status).toBe(status);
  });
});
