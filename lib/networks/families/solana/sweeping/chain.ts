// What a sweep needs to know from Solana: the token accounts of deposit addresses and of the treasury, the newest blockhash, the price of
// compute units and how many a transaction takes. None of it moves money: the signer sends tokens to its own treasury only.

import { ChainError } from '@/lib/networks/chain';
import { associatedAccount, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import { clearCache, type SolanaNode } from '@/lib/networks/families/solana/node';
import { inParts } from '@/lib/networks/families/solana/reading/accounts';
import { lastValidHeight } from '@/lib/networks/families/solana/sending/last-valid-height';
import { openSolanaSendNodes } from '@/lib/networks/families/solana/sending/nodes';
import { FROZEN, readAccount, TOKEN_ACCOUNT_SIZE } from '@/lib/networks/families/solana/sending/obstacles';
import { offeredPrice } from '@/lib/networks/families/solana/sending/offered-price';
import { landingOf } from '@/lib/networks/families/solana/sending/outcome';
import * as shapes from '@/lib/networks/families/solana/sending/shapes';
import type { SendOptions } from '@/lib/networks/sending/endpoints';

/** A token account of a deposit address. */
export type TokenAccount = { readonly owner: string; readonly account: string };
/** The same as the newest confirmed block has it: base units of the token, 0 where the account is missing or not the owner's. */
export type AccountState = { readonly held: bigint; readonly isFrozen: boolean };

/** `missing`: the treasury has no account of the token yet. `blocked`: it is frozen, or the treasury cannot own one. */
type TreasuryState = 'ready' | 'missing' | 'blocked';

type Wallets = { readonly treasury: string; readonly sponsor: string; readonly mint: string };
type Accounts = {
  /** In the order of the request. */
  readonly states: readonly AccountState[];
  readonly treasury: TreasuryState;
  /** Lamports of the sponsor. */
  readonly coin: bigint;
};
/** `rent`: lamports that the sponsor must keep, and the rent of a token account. */
type Terms = {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  /** Micro-lamports per compute unit that transactions on the treasury's account paid lately. */
  readonly unitPrice: bigint;
  readonly leastCoin: bigint;
  readonly accountRent: bigint;
};
type Sent = { readonly hash: string; readonly lastValidBlockHeight: number; readonly signedAt: number };

/** All methods throw a ChainError when no endpoint answers. */
export type SolanaSweepChain = {
  accounts(sources: readonly TokenAccount[], wallets: Wallets): Promise<Accounts>;
  /** Lamports. */
  coin(address: string): Promise<bigint>;
  terms(wallets: Pick<Wallets, 'treasury' | 'mint'>): Promise<Terms>;
  /** Compute units of a transaction without signatures, or the error with which it would fail. */
  simulate(bytes: string): Promise<{ readonly units: number } | { readonly error: string }>;
  /** Whether a transaction is in no block that any endpoint knows, and can be in none later. */
  hasLapsed(sent: Sent): Promise<boolean>;
};

/** Opens the reader. No request is sent before the first call. */
export function openSolanaSweepChain(options: SendOptions): SolanaSweepChain {
  const { spec } = options;
  const endpoints = openSolanaSendNodes(options);
  return {
    accounts: (sources, wallets) => endpoints.draft((node) => readAccounts(node, sources, wallets)),
    coin: (address) => endpoints.draft(async (node) => BigInt((await readAll(node, [address]))[0]?.lamports ?? 0)),
    async terms(wallets) {
      const drafted = await endpoints.draft((node) => readTerms(node, wallets));
      return { ...drafted, lastValidBlockHeight: await lastValidHeight(endpoints, drafted.lastValidBlockHeight) };
    },
    simulate: (bytes) => endpoints.draft((node) => simulate(node, bytes)),
    async hasLapsed(sent) {
      const votes = await endpoints.all((node) => {
        clearCache(node);
        return landingOf(node, spec, sent);
      });
      // Where an endpoint no longer has the blocks, a second sweep may follow one that landed: it finds nothing to move.
      return votes.length >= endpoints.needed && votes.every(({ kind }) => kind === 'lapsed' || kind === 'pruned');
    },
  };
}

async function readAccounts(node: SolanaNode, sources: readonly TokenAccount[], wallets: Wallets): Promise<Accounts> {
  const { treasury, sponsor, mint } = wallets;
  const [payer, wallet, destination, ...found] = await readAll(node, [
    sponsor,
    treasury,
    associatedAccount(treasury, mint),
    ...sources.map(({ account }) => account),
  ]);
  return {
    coin: BigInt(payer?.lamports ?? 0),
    treasury: treasuryState(wallets, wallet ?? null, destination ?? null),
    states: sources.map(({ owner }, at) => {
      const account = readAccount(found[at] ?? null);
      const isOwn = account?.owner === owner && account.mint === mint;
      return { held: isOwn ? account.amount : 0n, isFrozen: isOwn && account.state === FROZEN };
    }),
  };
}

function treasuryState(
  { treasury, mint }: Wallets,
  wallet: shapes.SendAccount | null,
  destination: shapes.SendAccount | null,
): TreasuryState {
  // Tokens that are sent to a token account's own associated account have no owner with a key.
  if (wallet?.owner === TOKEN_PROGRAM) return 'blocked';
  if (!destination || destination.owner === SYSTEM_PROGRAM) return 'missing';
  const account = readAccount(destination);
  return account?.owner === treasury && account.mint === mint && account.state !== FROZEN ? 'ready' : 'blocked';
}

const readAll = (node: SolanaNode, keys: readonly string[]): Promise<(shapes.SendAccount | null)[]> =>
  inParts(node, keys, async (some) => {
    const params = [some, { encoding: 'base64', commitment: 'confirmed' }];
    const { value } = await node.rpc.call({ method: 'getMultipleAccounts', params, shape: shapes.sendAccounts });
    if (value.length !== some.length)
      throw new ChainError('contradiction', `${node.name} answered for ${value.length} of ${some.length} accounts`);
    return value;
  });

async function readTerms(node: SolanaNode, { treasury, mint }: Pick<Wallets, 'treasury' | 'mint'>): Promise<Terms> {
  const rent = async (size: number): Promise<bigint> => {
    const call = { method: 'getMinimumBalanceForRentExemption', params: [size], shape: shapes.lamports };
    return BigInt(await node.rpc.call(call));
  };
  const unitPrice = await offeredPrice(node, [associatedAccount(treasury, mint)]);
  const [leastCoin, accountRent] = [await rent(0), await rent(TOKEN_ACCOUNT_SIZE)];
  const call = { method: 'getLatestBlockhash', params: [{ commitment: 'confirmed' }], shape: shapes.latestBlockhash };
  const { blockhash, lastValidBlockHeight } = (await node.rpc.call(call)).value;
  return { blockhash, lastValidBlockHeight, unitPrice, leastCoin, accountRent };
}

async function simulate(node: SolanaNode, bytes: string): Promise<{ units: number } | { error: string }> {
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: true };
  const call = { method: 'simulateTransaction', params: [bytes, options], shape: shapes.simulation };
  const { err, unitsConsumed } = (await node.rpc.call(call)).value;
  if (err !== null && err !== undefined) return { error: JSON.stringify(err) };
  if (!unitsConsumed) throw new ChainError('unavailable', `${node.name} does not report the units of a transfer`);
  return { units: unitsConsumed };
}
