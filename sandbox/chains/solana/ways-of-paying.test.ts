// The ways in which tokens reach an owner on Solana besides a plain transfer, and lookalikes that move none. A reader
// of instructions misses some; token balances before and after show them all.

import type { Address, KeyPairSigner } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getBatchInstruction,
  getFreezeAccountInstruction,
  getRecoverNestedAssociatedTokenInstructionAsync,
  getSetAuthorityInstruction,
  getTransferCheckedInstruction,
  getTransferInstruction,
  AuthorityType,
} from '@solana-program/token';
import { PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Landed } from './landed';
import { startSolanaNode, type SolanaNode } from './node';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './token-data';
import { call, connect, wallet } from './test-client';

let node: SolanaNode;
let payer: KeyPairSigner;
let owner: KeyPairSigner;
let USDC: Address;

beforeAll(async () => {
  node = await startSolanaNode({ tick: 'manual' });
  USDC = node.mints.genuine['USDC'] as Address;
  payer = await node.bank.newHolder();
  await node.bank.mint({ to: payer.address, mint: USDC, amount: 10n ** 9n });
});
afterAll(() => node.stop());
beforeEach(async () => void (owner = await node.bank.newHolder()));

type Json = {
  meta: { err: unknown; preTokenBalances: Balance[]; postTokenBalances: Balance[]; innerInstructions: object[] };
  version: unknown;
};
type Balance = { mint: string; owner: string; programId: string; uiTokenAmount: { amount: string } };

async function read({ signature }: Landed, encoding = 'jsonParsed'): Promise<Json> {
  node.tick();
  const options = { commitment: 'confirmed', encoding, maxSupportedTransactionVersion: 1 };
  return (await call(node, 'getTransaction', signature, options)).result as Json;
}

/** The amount under the credit rule of docs/network-facts.md#solana. */
function gained({ meta }: Json, wallet_: Address, mint: Address, programId: Address = TOKEN_PROGRAM): bigint {
  const sum = (balances: Balance[]) =>
    balances
      .filter((one) => one.owner === wallet_ && one.mint === mint && one.programId === programId)
      .reduce((total, one) => total + BigInt(one.uiTokenAmount.amount), 0n);
  return sum(meta.postTokenBalances) - sum(meta.preTokenBalances);
}

test('an auxiliary token account counts for its owner', async () => {
  const account = await node.bank.createAuxiliaryAccount(owner.address, USDC);
  const associated = await node.bank.associatedAccount(owner.address, USDC);
  expect(account).not.toBe(associated);
  const json = await read(
    await node.bank.transfer({ from: payer, to: owner.address, mint: USDC, amount: 5n, account }),
  );
  expect(gained(json, owner.address, USDC)).toBe(5n);
  const owned = await call(
    node,
    'getTokenAccountsByOwner',
    owner.address,
    { mint: USDC },
    { commitment: 'confirmed', encoding: 'base64' },
  );
  expect((owned.result as { value: { pubkey: string }[] }).value.map((one) => one.pubkey)).toEqual([account]);
  const listed = await call(node, 'getSignaturesForAddress', associated, { commitment: 'confirmed' });
  expect(listed.result).toEqual([]);
});

test('a Token-2022 mint has its own program and associated accounts', async () => {
  const mint = node.mints.lookalikes['USDC'] as Address;
  await node.bank.mint({ to: payer.address, mint, amount: 100n });
  const json = await read(await node.bank.transfer({ from: payer, to: owner.address, mint, amount: 9n }));
  expect([gained(json, owner.address, mint, TOKEN_2022_PROGRAM), gained(json, owner.address, USDC)]).toEqual([9n, 0n]);
  const under = async (tokenProgram: Address) =>
    (await findAssociatedTokenPda({ owner: owner.address, mint: USDC, tokenProgram }))[0];
  expect(await under(TOKEN_2022_PROGRAM)).not.toBe(await under(TOKEN_PROGRAM));
  const options = { commitment: 'confirmed', encoding: 'jsonParsed' };
  const owned = await call(node, 'getTokenAccountsByOwner', owner.address, { programId: TOKEN_2022_PROGRAM }, options);
  expect(owned.result).toMatchObject({
    value: [{ account: { owner: TOKEN_2022_PROGRAM, data: { program: 'spl-token-2022' } } }],
  });
});

test('a counterfeit under the classic program differs only in its mint', async () => {
  const mint = node.mints.counterfeits['USDC'] as Address;
  await node.bank.mint({ to: payer.address, mint, amount: 100n });
  const json = await read(await node.bank.transfer({ from: payer, to: owner.address, mint, amount: 9n }));
  expect([gained(json, owner.address, mint), gained(json, owner.address, USDC)]).toEqual([9n, 0n]);
});

test('a transfer inside another program’s instruction shows in the balances and as an inner instruction', async () => {
  // An associated account of an associated account: the associated token program moves its tokens to the wallet's own.
  const associated = await node.bank.associatedAccount(owner.address, USDC);
  await node.bank.mint({ to: owner.address, mint: USDC, amount: 1n });
  await node.bank.transfer({ from: payer, to: associated, mint: USDC, amount: 50n });
  const recover = await getRecoverNestedAssociatedTokenInstructionAsync({
    walletAddress: owner,
    ownerTokenMintAddress: USDC,
    nestedTokenMintAddress: USDC,
  });
  const json = await read(await node.bank.send(owner, [recover]));
  expect([json.meta.err, gained(json, owner.address, USDC)]).toEqual([null, 50n]);
  const types = JSON.stringify(json.meta.innerInstructions).match(/"type":"\w+"/g);
  expect(types).toContain('"type":"transferChecked"');
});

test('a batch of the token program pays without a transfer instruction of its own', async () => {
  const [source, destination] = [
    await node.bank.associatedAccount(payer.address, USDC),
    await node.bank.createAuxiliaryAccount(owner.address, USDC),
  ];
  const part = { source, mint: USDC, destination, authority: payer, decimals: 6 };
  const batch = getBatchInstruction([
    getTransferCheckedInstruction({ ...part, amount: 3n }),
    getTransferCheckedInstruction({ ...part, amount: 4n }),
  ]);
  const json = await read(await node.bank.send(payer, [batch]));
  expect([json.meta.err, gained(json, owner.address, USDC), json.meta.innerInstructions]).toEqual([null, 7n, []]);
});

test('an unchecked transfer names no mint, but its token balances do', async () => {
  await node.bank.mint({ to: owner.address, mint: USDC, amount: 1n });
  const [source, destination] = [
    await node.bank.associatedAccount(payer.address, USDC),
    await node.bank.associatedAccount(owner.address, USDC),
  ];
  const landed = await node.bank.send(payer, [
    getTransferInstruction({ source, destination, authority: payer, amount: 6n }),
  ]);
  expect(landed.keys.all).not.toContain(USDC);
  expect(gained(await read(landed), owner.address, USDC)).toBe(6n);
});

test('an amount pulled back in the same transaction is not a gain', async () => {
  await node.bank.mint({ to: owner.address, mint: USDC, amount: 1n });
  const [give, take] = [
    await node.bank.transferInstructions({ from: payer, to: owner.address, mint: USDC, amount: 80n }),
    await node.bank.transferInstructions({ from: owner, to: payer.address, mint: USDC, amount: 80n }),
  ];
  const json = await read(await node.bank.send(payer, [...give, ...take]));
  expect([json.meta.err, gained(json, owner.address, USDC)]).toEqual([null, 0n]);
});

test('a token account whose owner was changed belongs to the new owner', async () => {
  await node.bank.mint({ to: owner.address, mint: USDC, amount: 20n });
  const account = await node.bank.associatedAccount(owner.address, USDC);
  const thief = await node.bank.newHolder();
  const change = getSetAuthorityInstruction({
    owned: account,
    owner,
    authorityType: AuthorityType.AccountOwner,
    newAuthority: thief.address,
  });
  const json = await read(await node.bank.send(owner, [change]));
  expect([gained(json, owner.address, USDC), gained(json, thief.address, USDC)]).toEqual([-20n, 20n]);
  expect([node.bank.balanceOf(owner.address, USDC), node.bank.balanceOf(thief.address, USDC)]).toEqual([0n, 20n]);
});

test('a frozen account cannot be paid', async () => {
  await node.bank.mint({ to: owner.address, mint: USDC, amount: 1n });
  const account = await node.bank.associatedAccount(owner.address, USDC);
  const { issuer } = node.bank;
  await node.bank.send(issuer, [getFreezeAccountInstruction({ account, mint: USDC, owner: issuer })]);
  const json = await read(await node.bank.transfer({ from: payer, to: owner.address, mint: USDC, amount: 1n }));
  // The second instruction created the account, the third is the transfer: Token error 0x11, account frozen.
  expect([json.meta.err, gained(json, owner.address, USDC)]).toEqual([{ InstructionError: [2, { Custom: 0x11 }] }, 0n]);
});

test('a version 1 transaction pays, web3.js reads it, and clients that do not support the version get an error', async () => {
  const instructions = await node.bank.transferInstructions({
    from: payer,
    to: owner.address,
    mint: USDC,
    amount: 12n,
  });
  const landed = await node.bank.send(payer, instructions, 1);
  const json = await read(landed);
  expect([json.version, json.meta.err, gained(json, owner.address, USDC)]).toEqual([1, null, 12n]);
  for (const maxSupportedTransactionVersion of [undefined, 0]) {
    const { error } = await call(node, 'getTransaction', landed.signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion,
    });
    expect(error).toMatchObject({ code: -32015, message: expect.stringContaining('version (1) is not supported') });
  }
  const connection = connect(node);
  const options = { maxSupportedTransactionVersion: 1 } as const;
  const compiled = await connection.getTransaction(landed.signature, options);
  expect(compiled?.transaction.message.staticAccountKeys).toContainEqual(new PublicKey(payer.address));
  const block = await connection.getBlock(landed.slot, { ...options, transactionDetails: 'full' });
  expect(block?.transactions.map((one) => one.version)).toContain(1);
  const { error } = await call(node, 'getBlock', landed.slot, { commitment: 'confirmed' });
  expect(error).toMatchObject({ code: -32015 });
});

test('all formats of a block agree', async () => {
  const { slot, signature } = await node.bank.transfer({ from: payer, to: owner.address, mint: USDC, amount: 2n });
  node.tick();
  const block = async (transactionDetails: string) =>
    (
      await call(node, 'getBlock', slot, {
        commitment: 'confirmed',
        transactionDetails,
        maxSupportedTransactionVersion: 1,
      })
    ).result as {
      signatures?: string[];
      transactions?: (Json & { transaction: { signatures: string[] } })[];
      blockhash: string;
    };
  const [none, signatures, accounts, full] = [
    await block('none'),
    await block('signatures'),
    await block('accounts'),
    await block('full'),
  ];
  expect([none.signatures, none.transactions, none.blockhash]).toEqual([undefined, undefined, full.blockhash]);
  expect(signatures.signatures).toContain(signature);
  for (const form of [accounts, full]) {
    expect(form.transactions?.map((one) => one.transaction.signatures[0])).toEqual(signatures.signatures);
    expect(gained(form.transactions!.at(-1)!, owner.address, USDC)).toBe(2n);
  }
});

test('two hundred payments within one block all count', async () => {
  const many = await wallet(node);
  const to = many.publicKey.toBase58() as Address;
  for (let n = 1n; n <= 200n; n++) await node.bank.transfer({ from: payer, to, mint: USDC, amount: n });
  expect(node.bank.balanceOf(to, USDC)).toBe(20_100n);
});
