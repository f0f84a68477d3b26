// The product's adapter on the sandbox's Solana chain: real token programs behind JSON-RPC, paid in ways that mislead
// naive watchers. Covers what the conformance suite omits: auxiliary accounts, reopened accounts, changed owners.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import {
  ACCOUNT_SIZE,
  AuthorityType,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCursor, ChainAdapter, FoundTransfer } from '@/lib/networks/chain';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { watching } from '@/testing/watching/watching';
import type { LocalNetwork } from './local-network';
import { startSolana } from './solana/start';

const FINAL = 40;
const CENT = 10_000n;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-solana-'));
const fail = (error: Error): never => {
  throw error;
};
let chain: LocalNetwork;
let adapter: ChainAdapter;
let connection: Connection;
let payer: Keypair;
let mint: PublicKey;

beforeAll(async () => {
  chain = await startSolana({ directory, onFault: fail });
  adapter = openSolanaAdapter({ spec: chain.spec, urls: [chain.rpcUrl], clock: systemClock, log: silentLog() });
  connection = new Connection(chain.rpcUrl, 'confirmed');
  payer = Keypair.fromSecretKey(base58.decode(chain.payer.privateKey));
  mint = new PublicKey(chain.spec.tokens.USDT!.contract);
}, 60_000);
afterAll(async () => {
  await chain?.stop();
  fs.rmSync(directory, { recursive: true, force: true });
});

const ataOf = (owner: PublicKey) => getAssociatedTokenAddressSync(mint, owner);
const transfer = (
  to: PublicKey,
  amount: bigint,
  from: { account: PublicKey; owner: PublicKey } = { account: ataOf(payer.publicKey), owner: payer.publicKey },
) => createTransferCheckedInstruction(from.account, mint, to, from.owner, amount, 6);
const openAta = (owner: PublicKey) =>
  createAssociatedTokenAccountIdempotentInstruction(payer.publicKey, ataOf(owner), owner, mint);

/** Sends a transaction that the payer funds, and mines it. */
async function send(instructions: TransactionInstruction[], signers: Keypair[] = []): Promise<string> {
  const { blockhash } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash } as never).add(
    ...instructions,
  );
  transaction.sign(payer, ...signers);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  await chain.mine(2);
  return signature;
}

/** Scans everything since a block, from the stored account cursors. */
async function scan(owners: readonly PublicKey[], accountCursors: readonly AccountCursor[] = [], final = true) {
  if (final) await chain.mine(FINAL);
  const head = await adapter.head();
  const to = final ? head.final.number : head.tip.number;
  const known = owners.map((owner) => ({
    owner: owner.toBase58(),
    accountCursors: accountCursors.filter((cursor) => cursor.owner === owner.toBase58()),
  }));
  const window = { from: 1, to, parentHash: null, final };
  const result = await adapter.scan(
    window,
    watching(
      known.map(({ owner }) => owner),
      known,
    ),
  );
  expect(result.unfinished).toBeUndefined();
  return result;
}
const amounts = (transfers: readonly FoundTransfer[]) => transfers.map(({ recipient, amount }) => [recipient, amount]);

describe('a payment on the local chain', () => {
  it('is found when confirmed and when final, with its block and payer', async () => {
    const owner = Keypair.generate().publicKey;
    const hash = await chain.pay({ recipient: owner.toBase58(), cents: 1234n, currency: 'USDT', scenario: 'exact' });
    const seen = await scan([owner], [], false);
    const final = await scan([owner]);
    expect(seen.transfers).toEqual(final.transfers);
    expect(final.transfers).toMatchObject([
      {
        transactionHash: hash,
        currency: 'USDT',
        amount: 1234n * CENT,
        payer: chain.payer.address,
        recipient: owner.toBase58(),
      },
    ]);
    expect(await adapter.block(final.transfers[0]!.blockNumber)).toMatchObject({ hash: final.transfers[0]!.blockHash });
    expect((await scan([owner], final.accountCursors)).transfers).toEqual([]);
    expect(await adapter.lookup(hash)).toMatchObject({
      succeeded: true,
      missing: 0,
      movements: [{ amount: 1234n * CENT }],
    });
  });

  it.each([
    ['partial', 100n],
    ['over', 100n],
    ['batch', 100n],
    ['split', 100n],
  ] as const)('made as %s is found whole', async (scenario, cents) => {
    const owner = Keypair.generate().publicKey;
    await chain.pay({ recipient: owner.toBase58(), cents, currency: 'USDC', scenario });
    const { transfers, accountCursors } = await scan([owner]);
    const got = transfers.reduce((sum, { amount }) => sum + amount, 0n);
    expect(got).toBe(cents * CENT);
    expect(got).toBe(await chain.balance(owner.toBase58(), 'USDC'));
    expect(accountCursors).toMatchObject([{ amount: got, currency: 'USDC' }]);
  });

  it.each(['fake_token', 'failed'] as const)('made as %s is not found', async (scenario) => {
    const owner = Keypair.generate().publicKey;
    const hash = await chain.pay({ recipient: owner.toBase58(), cents: 100n, currency: 'USDT', scenario });
    const { transfers } = await scan([owner]);
    expect(transfers).toEqual([]);
    const report = await adapter.lookup(hash);
    expect(report?.succeeded).toBe(scenario === 'fake_token');
    expect(report?.movements.every(({ currency }) => currency === null)).toBe(true);
  });

  it('on a dropped fork is no longer found', async () => {
    const owner = Keypair.generate().publicKey;
    await chain.mine(FINAL);
    await chain.pay({ recipient: owner.toBase58(), cents: 100n, currency: 'USDT', scenario: 'exact' });
    expect((await scan([owner], [], false)).transfers).toHaveLength(1);
    await chain.reorganise(8);
    await chain.mine(2);
    expect((await scan([owner], [], false)).transfers).toEqual([]);
    expect((await scan([owner])).transfers).toEqual([]);
  });
});

describe('unusual uses of token accounts', () => {
  it('an auxiliary account of the owner counts', async () => {
    const owner = Keypair.generate().publicKey;
    const auxiliary = Keypair.generate();
    await send(
      [
        SystemProgram.createAccount({
          fromPubkey: payer.publicKey,
          newAccountPubkey: auxiliary.publicKey,
          lamports: await connection.getMinimumBalanceForRentExemption(ACCOUNT_SIZE),
          space: ACCOUNT_SIZE,
          programId: TOKEN_PROGRAM_ID,
        }),
        createInitializeAccount3Instruction(auxiliary.publicKey, mint, owner),
        transfer(auxiliary.publicKey, 7n * CENT),
      ],
      [auxiliary],
    );
    const { transfers, accountCursors } = await scan([owner]);
    expect(amounts(transfers)).toEqual([[owner.toBase58(), 7n * CENT]]);
    expect(accountCursors).toMatchObject([{ account: auxiliary.publicKey.toBase58(), amount: 7n * CENT }]);
    await send([transfer(auxiliary.publicKey, 2n * CENT)]);
    expect(amounts((await scan([owner], accountCursors)).transfers)).toEqual([[owner.toBase58(), 2n * CENT]]);
  });

  it('an account that was emptied, closed, reopened and paid again counts both payments', async () => {
    const owner = Keypair.generate();
    const account = ataOf(owner.publicKey);
    await send([openAta(owner.publicKey), transfer(account, 5n * CENT)]);
    const first = await scan([owner.publicKey]);
    expect(amounts(first.transfers)).toEqual([[owner.publicKey.toBase58(), 5n * CENT]]);
    const back = transfer(ataOf(payer.publicKey), 5n * CENT, { account, owner: owner.publicKey });
    await send([back, createCloseAccountInstruction(account, payer.publicKey, owner.publicKey)], [owner]);
    await send([openAta(owner.publicKey), transfer(account, 6n * CENT)]);
    const second = await scan([owner.publicKey], first.accountCursors);
    expect(amounts(second.transfers)).toEqual([[owner.publicKey.toBase58(), 6n * CENT]]);
    expect(amounts((await scan([owner.publicKey])).transfers).map(([, amount]) => amount)).toEqual([
      5n * CENT,
      6n * CENT,
    ]);
  });

  it('a payment pulled back in the same transaction counts by its net amount', async () => {
    const owner = Keypair.generate();
    const account = ataOf(owner.publicKey);
    const back = transfer(ataOf(payer.publicKey), 4n * CENT, { account, owner: owner.publicKey });
    await send([openAta(owner.publicKey), transfer(account, 9n * CENT), back], [owner]);
    expect(amounts((await scan([owner.publicKey])).transfers)).toEqual([[owner.publicKey.toBase58(), 5n * CENT]]);
  });

  it('an account whose owner was changed no longer counts, and causes no error', async () => {
    const [owner, stranger] = [Keypair.generate(), Keypair.generate()];
    const account = ataOf(owner.publicKey);
    await send([openAta(owner.publicKey), transfer(account, 5n * CENT)]);
    const first = await scan([owner.publicKey]);
    await send(
      [createSetAuthorityInstruction(account, owner.publicKey, AuthorityType.AccountOwner, stranger.publicKey)],
      [owner],
    );
    await send([transfer(account, 3n * CENT)]);
    const second = await scan([owner.publicKey], first.accountCursors);
    expect(second.transfers).toEqual([]);
    expect(second.accountCursors).toMatchObject([{ amount: 0n }]);
  });

  it('one transaction that pays several deposit addresses credits each with its own amount', async () => {
    const [one, other] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
    const shares = [one, other, one].map((owner, index) => transfer(ataOf(owner), BigInt(index + 1) * CENT));
    await send([openAta(one), openAta(other), ...shares]);
    const { transfers } = await scan([one, other]);
    expect(new Map(amounts(transfers) as [string, bigint][])).toEqual(
      new Map([
        [one.toBase58(), 4n * CENT],
        [other.toBase58(), 2n * CENT],
      ]),
    );
    expect(new Set(transfers.map(({ ordinal }) => ordinal)).size).toBe(2);
  });
});
