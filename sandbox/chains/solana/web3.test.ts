// Unmodified @solana/web3.js and @solana/spl-token on the local chain. It covers the node calls of wallets, shops and
// our product, answered as on the real network.

import * as spl from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Keypair,
  NonceAccount,
  NONCE_ACCOUNT_LENGTH,
  PublicKey,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
  type Connection,
} from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FINALITY_LAG } from './blocks';
import { startSolanaNode, type SolanaNode } from './node';
import { blockAfterEachTransaction, call, connect, mintOf, wallet } from './test-client';

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const EVERY_VERSION = { maxSupportedTransactionVersion: 1 } as const;

let node: SolanaNode;
let connection: Connection;
let payer: Keypair;
let USDC: PublicKey;
let payerAccount: PublicKey;

beforeAll(async () => {
  node = await startSolanaNode({ tick: 'manual' });
  blockAfterEachTransaction(node);
  USDC = mintOf(node, 'USDC');
  payer = await wallet(node, { USDC: 10n ** 12n });
  payerAccount = spl.getAssociatedTokenAddressSync(USDC, payer.publicKey);
  node.tick();
});
afterAll(() => node.stop());
beforeEach(() => {
  // A connection caches its blockhash for half a minute, and blocks pass quickly here.
  connection = connect(node);
});

/** A merchant's wallet with an empty token account. */
async function merchant(): Promise<{ owner: PublicKey; account: PublicKey }> {
  const owner = Keypair.generate().publicKey;
  const account = await spl.createAssociatedTokenAccountIdempotent(connection, payer, USDC, owner);
  return { owner, account };
}
const transferTo = (account: PublicKey, amount: bigint) =>
  spl.createTransferCheckedInstruction(payerAccount, USDC, account, payer.publicKey, amount, 6);
const send = (...instructions: TransactionInstruction[]) =>
  sendAndConfirmTransaction(connection, new Transaction().add(...instructions), [payer]);
const held = async (account: PublicKey) => (await spl.getAccount(connection, account)).amount;
async function signed(instructions: TransactionInstruction[], payerKey = payer.publicKey, signers = [payer]) {
  const { blockhash } = await connection.getLatestBlockhash();
  const message = new TransactionMessage({ payerKey, recentBlockhash: blockhash, instructions }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  transaction.sign(signers);
  return transaction;
}

describe('tokens', () => {
  test('an airdrop arrives and is a transaction like any other', async () => {
    const poor = Keypair.generate().publicKey;
    const signature = await connection.requestAirdrop(poor, 5_000_000_000);
    await connection.confirmTransaction(signature, 'confirmed');
    expect(await connection.getBalance(poor)).toBe(5_000_000_000);
    expect((await connection.getTransaction(signature, EVERY_VERSION))?.meta?.err).toBeNull();
  });

  test.each(['USDT', 'USDC'])('%s is at its production mint with six decimals', async (currency) => {
    const mint = await spl.getMint(connection, mintOf(node, currency));
    expect([mint.decimals, mint.isInitialized, mint.freezeAuthority?.toBase58()]).toEqual([
      6,
      true,
      node.bank.issuer.address,
    ]);
    expect(mintOf(node, currency).toBase58()).toBe(node.spec.tokens[currency]?.contract);
  });

  test('a token account is created once; creating it again succeeds only with the idempotent instruction', async () => {
    const { owner, account } = await merchant();
    const make = [payer.publicKey, account, owner, USDC] as const;
    await send(spl.createAssociatedTokenAccountIdempotentInstruction(...make));
    await expect(send(spl.createAssociatedTokenAccountInstruction(...make))).rejects.toThrow(
      'Provided owner is not allowed',
    );
    expect((await spl.getOrCreateAssociatedTokenAccount(connection, payer, USDC, owner)).address).toEqual(account);
  });

  test('a mint issues tokens and its supply grows by them', async () => {
    const { account } = await merchant();
    const supply = BigInt((await connection.getTokenSupply(USDC)).value.amount);
    await node.bank.mint({
      to: (await merchant()).owner.toBase58() as never,
      mint: USDC.toBase58() as never,
      amount: 7n,
    });
    await send(transferTo(account, 1n));
    expect(BigInt((await connection.getTokenSupply(USDC)).value.amount)).toBe(supply + 7n);
  });

  test('approves, closes and reads an owner’s token accounts', async () => {
    const other = await wallet(node, { USDC: 5n, USDT: 5n });
    const account = await spl.createAssociatedTokenAccount(
      connection,
      other,
      mintOf(node, 'USDC'),
      Keypair.generate().publicKey,
    );
    expect(await held(account)).toBe(0n);
    const mine = spl.getAssociatedTokenAddressSync(mintOf(node, 'USDT'), other.publicKey);
    await spl.approve(connection, other, mine, payer.publicKey, other, 3n);
    expect((await spl.getAccount(connection, mine)).delegatedAmount).toBe(3n);
    const owned = await connection.getParsedTokenAccountsByOwner(other.publicKey, { programId: spl.TOKEN_PROGRAM_ID });
    expect(owned.value.map((one) => one.account.data.parsed.info.tokenAmount.amount)).toEqual(['5', '5']);
    await spl.transferChecked(connection, other, mine, mintOf(node, 'USDT'), await usdtAccount(), other, 5n, 6);
    await spl.closeAccount(connection, other, mine, other.publicKey, other);
    expect(await connection.getAccountInfo(mine)).toBeNull();
    const left = await connection.getTokenAccountsByOwner(other.publicKey, { programId: spl.TOKEN_PROGRAM_ID });
    expect(left.value).toHaveLength(1);
  });

  const usdtAccount = () =>
    spl.createAssociatedTokenAccountIdempotent(connection, payer, mintOf(node, 'USDT'), payer.publicKey);

  test('several accounts are read at once, missing ones as null, at most a hundred', async () => {
    const found = await connection.getMultipleAccountsInfo([payerAccount, Keypair.generate().publicKey]);
    expect([found[0]?.data.length, found[1]]).toEqual([165, null]);
    const many = Array.from({ length: 101 }, () => payerAccount);
    await expect(connection.getMultipleAccountsInfo(many)).rejects.toThrow('Too many inputs provided; max 100');
  });
});

describe('a payment', () => {
  test('with account creation, memo, reference and checked transfer, as wallets make it, is found by each of them', async () => {
    const owner = Keypair.generate().publicKey;
    const account = spl.getAssociatedTokenAddressSync(USDC, owner);
    const reference = Keypair.generate().publicKey;
    const transfer = transferTo(account, 12_340_000n);
    transfer.keys.push({ pubkey: reference, isSigner: false, isWritable: false });
    const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('order-42') });
    const create = spl.createAssociatedTokenAccountIdempotentInstruction(payer.publicKey, account, owner, USDC);
    const budget = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 60_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1000 }),
    ];
    const signature = await send(...budget, create, memo, transfer);
    expect(await held(account)).toBe(12_340_000n);

    for (const address of [reference, account, owner]) {
      const [only, ...more] = await connection.getSignaturesForAddress(address);
      expect([only?.signature, only?.memo, only?.err, more]).toEqual([signature, '[8] order-42', null, []]);
    }
    const parsed = await connection.getParsedTransaction(signature, EVERY_VERSION);
    const kinds = parsed?.transaction.message.instructions.map((one) =>
      'parsed' in one ? (one.parsed.type ?? one.parsed) : null,
    );
    expect(kinds).toEqual([null, null, 'createIdempotent', 'order-42', 'transferChecked']);
    expect(parsed?.meta?.fee).toBe(5000 + 60);
    const ours = parsed?.meta?.postTokenBalances?.find((one) => one.owner === owner.toBase58());
    expect([ours?.mint, ours?.uiTokenAmount.amount, ours?.programId]).toEqual([
      USDC.toBase58(),
      '12340000',
      spl.TOKEN_PROGRAM_ID.toBase58(),
    ]);
    // The recipient's account did not exist before, so only the payer's is listed.
    expect(parsed?.meta?.preTokenBalances?.map((one) => one.owner)).toEqual([payer.publicKey.toBase58()]);
    expect(parsed?.meta?.innerInstructions?.map((one) => [one.index, one.instructions.length])).toEqual([[2, 4]]);
    const compiled = await connection.getTransaction(signature, EVERY_VERSION);
    expect(compiled?.transaction.message.compiledInstructions).toHaveLength(5);
    expect((await connection.getTokenAccountBalance(account)).value.uiAmountString).toBe('12.34');
  });

  test('a plain transfer is found by the token account and not by its owner', async () => {
    const { owner, account } = await merchant();
    const before = (await connection.getSignaturesForAddress(owner)).length;
    const signature = await send(transferTo(account, 5n));
    expect((await connection.getSignaturesForAddress(account)).map((one) => one.signature)).toContain(signature);
    expect(await connection.getSignaturesForAddress(owner)).toHaveLength(before);
  });

  test('signatures of an address come newest first and in pages', async () => {
    const { account } = await merchant();
    const sent: string[] = [];
    for (let n = 1n; n <= 4n; n++) sent.unshift(await send(transferTo(account, n)));
    const list = async (options: object) =>
      (await connection.getSignaturesForAddress(account, options)).map((one) => one.signature);
    const [newest, second, third] = sent as [string, string, string];
    expect((await list({})).slice(0, 4)).toEqual(sent);
    expect(await list({ limit: 2 })).toEqual([newest, second]);
    expect(await list({ before: second, limit: 1 })).toEqual([third]);
    expect(await list({ until: third })).toEqual([newest, second]);
    expect(await list({ before: '1'.repeat(64) })).toEqual([]);
    await expect(list({ limit: 1001 })).rejects.toThrow('Invalid limit');
  });

  test('another account can pay the fee, and pays exactly the estimate', async () => {
    const { account } = await merchant();
    const sponsor = await wallet(node);
    const transaction = await signed([transferTo(account, 1n)], sponsor.publicKey, [sponsor, payer]);
    const fee = (await connection.getFeeForMessage(transaction.message)).value ?? 0;
    const before = await connection.getBalance(sponsor.publicKey, 'processed');
    await connection.confirmTransaction(await connection.sendTransaction(transaction), 'confirmed');
    expect([fee, before - (await connection.getBalance(sponsor.publicKey))]).toEqual([10_000, 10_000]);
  });

  test('rejects a transaction with a missing or invalid signature', async () => {
    const { account } = await merchant();
    const sponsor = await wallet(node);
    const missing = await signed([transferTo(account, 1n)], sponsor.publicKey, [sponsor]);
    await expect(connection.sendTransaction(missing)).rejects.toThrow('signature verification failure');
    const false_ = await signed([transferTo(account, 1n)]);
    false_.signatures[0] = Uint8Array.from(false_.signatures[0] as Uint8Array, (byte) => byte ^ 1);
    await expect(connection.sendTransaction(false_)).rejects.toThrow('signature verification failure');
    expect(await held(account)).toBe(0n);
  });

  test('above the balance is rejected with the program’s logs before it is sent', async () => {
    const { account } = await merchant();
    const refused = await send(transferTo(account, 10n ** 15n)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ message: expect.stringContaining('custom program error: 0x1') });
    expect((refused as { logs: string[] }).logs.length).toBeGreaterThan(2);
  });

  test('that fails in a block has an error, costs its fee, moves nothing and is listed', async () => {
    const { account } = await merchant();
    const transaction = new Transaction().add(transferTo(account, 10n ** 15n));
    const signature = await connection.sendTransaction(transaction, [payer], { skipPreflight: true });
    node.tick();
    const error = { InstructionError: [0, { Custom: 1 }] };
    const { meta } = (await connection.getTransaction(signature, EVERY_VERSION))!;
    expect(meta?.err).toEqual(error);
    expect(meta!.preBalances[0]! - meta!.postBalances[0]!).toBe(meta!.fee);
    expect(meta?.preTokenBalances).toEqual(meta?.postTokenBalances);
    expect((await connection.getSignatureStatus(signature)).value?.err).toEqual(error);
    expect((await connection.getSignaturesForAddress(account))[0]).toMatchObject({ signature, err: error });
    expect(await held(account)).toBe(0n);
  });

  test('sent twice is executed once', async () => {
    const { account } = await merchant();
    const raw = (await signed([transferTo(account, 8n)])).serialize();
    const signature = await connection.sendRawTransaction(raw);
    expect(await connection.sendRawTransaction(raw, { skipPreflight: true })).toBe(signature);
    await expect(connection.sendRawTransaction(raw)).rejects.toThrow('already been processed');
    node.tick();
    expect(await held(account)).toBe(8n);
  });

  test('is rejected only once its blockhash is older than 150 blocks', async () => {
    const { account } = await merchant();
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    const raws = [await signed([transferTo(account, 1n)]), await signed([transferTo(account, 2n)])];
    const newest = () => connection.getBlockHeight('processed');
    node.tick(lastValidBlockHeight - (await newest()));
    expect((await connection.isBlockhashValid(blockhash, { commitment: 'confirmed' })).value).toBe(true);
    await connection.sendTransaction(raws[0]!);
    node.tick(1);
    expect(await newest()).toBeGreaterThan(lastValidBlockHeight);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(false);
    await expect(connection.sendTransaction(raws[1]!)).rejects.toThrow('Blockhash not found');
    await connection.sendTransaction(raws[1]!, { skipPreflight: true });
    node.tick(1);
    expect(await held(account)).toBe(1n);
  });
});

describe('beyond payments', () => {
  test('a simulation moves nothing and returns the resulting state', async () => {
    const { account } = await merchant();
    const transaction = await signed([transferTo(account, 7n)]);
    transaction.message.recentBlockhash = PublicKey.default.toBase58();
    const { value } = await connection.simulateTransaction(transaction, {
      sigVerify: false,
      replaceRecentBlockhash: true,
      accounts: { encoding: 'base64', addresses: [account.toBase58()] },
    });
    const [after] = value.accounts ?? [];
    expect([value.err, value.unitsConsumed! > 0]).toEqual([null, true]);
    expect(spl.AccountLayout.decode(Buffer.from(after!.data[0]!, 'base64')).amount).toBe(7n);
    expect(await held(account)).toBe(0n);
  });

  test('a durable nonce outlives blockhashes and advances when it is used', async () => {
    const nonce = Keypair.generate();
    const create = SystemProgram.createNonceAccount({
      fromPubkey: payer.publicKey,
      noncePubkey: nonce.publicKey,
      authorizedPubkey: payer.publicKey,
      lamports: await connection.getMinimumBalanceForRentExemption(NONCE_ACCOUNT_LENGTH),
    });
    await sendAndConfirmTransaction(connection, create, [payer, nonce]);
    const stored = async () =>
      NonceAccount.fromAccountData((await connection.getAccountInfo(nonce.publicKey))!.data).nonce;
    const before = await stored();
    const { account } = await merchant();
    node.tick(200);
    const advance = SystemProgram.nonceAdvance({ noncePubkey: nonce.publicKey, authorizedPubkey: payer.publicKey });
    const transaction = new Transaction({
      feePayer: payer.publicKey,
      nonceInfo: { nonce: before, nonceInstruction: advance },
    });
    transaction.add(transferTo(account, 9n));
    transaction.sign(payer);
    await connection.sendRawTransaction(transaction.serialize());
    node.tick();
    expect([await held(account), (await stored()) === before]).toEqual([9n, false]);
    await expect(connection.sendRawTransaction(transaction.serialize())).rejects.toThrow('already been processed');
  });

  test('a transaction with a lookup table pays, and its loaded accounts count', async () => {
    const { account } = await merchant();
    const authority = payer.publicKey;
    const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
      authority,
      payer: authority,
      recentSlot: await connection.getSlot('finalized'),
    });
    const addresses = [USDC, account, payerAccount];
    await send(
      create,
      AddressLookupTableProgram.extendLookupTable({ payer: authority, authority, lookupTable, addresses }),
    );
    node.tick(2);
    const table = (await connection.getAddressLookupTable(lookupTable)).value!;
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: authority,
      recentBlockhash: blockhash,
      instructions: [transferTo(account, 3n)],
    });
    const transaction = new VersionedTransaction(message.compileToV0Message([table]));
    transaction.sign([payer]);
    const signature = await connection.sendTransaction(transaction);
    node.tick();
    const found = (await connection.getParsedTransaction(signature, EVERY_VERSION))!;
    expect(found.meta?.postTokenBalances?.map((one) => one.uiTokenAmount.amount)).toContain('3');
    expect(found.transaction.message.accountKeys.filter((one) => one.source === 'lookupTable')).toHaveLength(3);
    expect((await call(node, 'getTransaction', signature, { commitment: 'confirmed' })).error).toMatchObject({
      code: -32015,
      message: expect.stringContaining('"maxSupportedTransactionVersion": 0'),
    });
    expect(await connection.getSignaturesForAddress(account, { limit: 1 })).toMatchObject([{ signature }]);
  });

  test('subscriptions receive accounts, logs, slots and signatures', async () => {
    const { account } = await merchant();
    const heard = { account: 0, logs: 0, slots: 0 };
    connection.onAccountChange(account, () => heard.account++);
    connection.onLogs(account, () => heard.logs++);
    connection.onSlotChange(() => heard.slots++);
    // Confirmation is also a subscription, created after the others.
    await send(transferTo(account, 1n));
    await expect.poll(() => heard.slots).toBeGreaterThan(0);
    await send(transferTo(account, 2n));
    await expect.poll(() => [heard.account, heard.logs]).toEqual([2, 2]);
  });

  test('blocks contain their transactions, and skipped slots have no block', async () => {
    const { account } = await merchant();
    const signature = await send(transferTo(account, 1n));
    const first = (await connection.getSignatureStatus(signature)).value!.slot;
    node.tick(FINALITY_LAG + 20);
    const { blockTime, transactions, parentSlot } = (await connection.getBlock(first, EVERY_VERSION))!;
    expect(transactions.map((one) => one.transaction.signatures[0])).toEqual([signature]);
    expect([await connection.getBlockTime(first), parentSlot]).toEqual([blockTime, parentSlot]);
    const slots = await connection.getBlocks(first, first + 20);
    const skipped = Array.from({ length: 20 }, (_, n) => first + n).filter((slot) => !slots.includes(slot));
    expect(skipped.length).toBeGreaterThan(0);
    for (const slot of skipped) {
      expect((await call(node, 'getBlock', slot, EVERY_VERSION)).error?.code).toBe(-32007);
      const next = slots.find((one) => one > slot)!;
      expect(await connection.getBlock(next, EVERY_VERSION)).toMatchObject({ parentSlot: slot - 1 });
    }
  });
});
