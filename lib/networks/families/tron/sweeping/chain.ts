// What a sweep needs to know from TRON: the state of deposit addresses, what the sponsor can lend, current prices, and how much energy
// a transfer takes. Every answer comes from the first healthy endpoint. None of them moves money: the signer sends tokens to its own
// treasury only.

import type { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import type { HeldCoin } from '@/lib/networks/endpoints/balances-reader';
import { addressBytes, requestAddress } from '@/lib/networks/families/tron/address';
import { ApiMissingError } from '@/lib/networks/families/tron/http-faults';
import { readHead, type TronNode } from '@/lib/networks/families/tron/node';
import { readHeldCoin } from '@/lib/networks/families/tron/reading/held-coin';
import { openTronSendNodes, type TronSendOptions } from '@/lib/networks/families/tron/sending/nodes';
import { account, parameters, resources } from '@/lib/networks/families/tron/sending/shapes';
import { VALID_MS } from '@/lib/networks/families/tron/sending/write-draft';
import { borrowers, contractCode, delegations, mostDelegated, networkResources, stakedAccount } from './shapes';
import { constantCall, simulateFlush, simulateTransfer, WORD, type Flush, type Transfer } from './simulate';
import type { SweepTerms } from './sweep-transaction';

/** A deposit address as the newest block has it. */
export type DepositState = {
  readonly address: string;
  /** Coin was sent to it once, or its account was created. */
  readonly isActive: boolean;
  /** Base units of the token. */
  readonly held: bigint;
  /** Sun. */
  readonly coin: bigint;
  /** What it can use now without burning coin. A transaction takes its bandwidth from one share as a whole. */
  readonly energy: bigint;
  readonly bandwidth: bigint;
};

export type SponsorState = {
  /** Sun. */
  readonly coin: bigint;
  /** Sun of its stake that it can lend now. */
  readonly lendable: bigint;
  readonly bandwidth: bigint;
  /** What its own calls can use now without burning coin. */
  readonly energy: bigint;
  /** The network's daily energy, and the TRX that all accounts staked for it. */
  readonly total: { readonly energy: bigint; readonly staked: bigint };
};

/** Sun for a unit of energy, for a byte, and for a new account (with what it takes in place of bandwidth). */
export type SweepPrices = { readonly energy: bigint; readonly bandwidth: bigint; readonly activation: bigint };

/** All methods throw a ChainError when no endpoint answers. */
export type TronSweepChain = {
  deposit(address: string, contract: string): Promise<DepositState>;
  sponsor(address: string): Promise<SponsorState>;
  /** Sun at finality, with the stake. */
  coin(address: string): Promise<HeldCoin>;
  /** Base units of a token. */
  held(address: string, contract: string): Promise<bigint>;
  prices(): Promise<SweepPrices>;
  /** Energy of a token transfer, with the penalty of its contract; null if the contract refuses it. */
  transferEnergy(transfer: Transfer): Promise<bigint | null>;
  /**
   * Energy of a call that flushes forwarders, and the bits of those that it serves; null if the contract refuses it. Throws `too_large` when
   * a node refuses to simulate it, as it does with a call that takes too long.
   */
  flushEnergy(flush: Flush): Promise<{ readonly energy: bigint; readonly served: bigint } | null>;
  /**
   * The code of the contract at an address, hex without 0x; empty without one. Throws a ChainError unless as many endpoints report the same
   * as a final outcome needs.
   */
  code(address: string): Promise<string>;
  /** The addresses that the sponsor lends to. */
  borrowers(sponsor: string): Promise<readonly string[]>;
  /** Sun of the sponsor's stake that an address borrows for energy. */
  lent(sponsor: string, to: string): Promise<bigint>;
  /** A solid block to refer to, and an expiration. */
  reference(): Promise<Pick<SweepTerms, 'refBlockBytes' | 'refBlockHash' | 'expiration'>>;
};

const SUN = 1_000_000n;
/** The number of energy in java-tron's list of resources. */
const ENERGY = 1;

/** Opens the reader. No request is sent before the first call. */
export function openTronSweepChain(options: TronSendOptions): TronSweepChain {
  const endpoints = openTronSendNodes(options);
  const draft = <T>(work: (node: TronNode) => Promise<T>): Promise<T> => endpoints.draft(work);
  return {
    deposit: (address, contract) => draft((node) => readDeposit(node, address, contract)),
    sponsor: (address) => draft((node) => readSponsor(node, address)),
    coin: (address) => draft((node) => readHeldCoin(node, address)),
    held: (address, contract) => draft((node) => readHeld(node, address, contract)),
    prices: () => draft(readSweepPrices),
    transferEnergy: (transfer) => draft((node) => simulateTransfer(node, transfer)),
    flushEnergy: (flush) => simulateFlush(draft, flush),
    code: async (address) => {
      const codes = await endpoints.all((node) => ask(node, 'getcontractinfo', { value: address }, contractCode));
      const agreed = codes.find((one) => codes.filter((other) => other === one).length >= endpoints.needed);
      if (agreed !== undefined) return agreed;
      throw new ChainError('unavailable', 'too few endpoints agree on the code of a contract');
    },
    borrowers: (value) => draft((node) => ask(node, 'getdelegatedresourceaccountindexv2', { value }, borrowers)),
    lent: (fromAddress, toAddress) =>
      draft((node) => ask(node, 'getdelegatedresourcev2', { fromAddress, toAddress }, delegations)),
    reference: () =>
      draft(async (node) => {
        const { tip, final } = await readHead(node, options.spec);
        return {
          // Of the solid block, so that no fork can invalidate the transaction.
          refBlockBytes: final.hash.slice(12, 16),
          refBlockHash: final.hash.slice(16, 32),
          expiration: tip.time * 1000 + VALID_MS,
        };
      }),
  };
}

/** A request about accounts, whose addresses are written as java-tron expects them. */
function ask<T>(
  node: TronNode,
  api: string,
  addresses: Readonly<Record<string, string>>,
  shape: z.ZodType<T>,
): Promise<T> {
  const body = Object.fromEntries(Object.entries(addresses).map(([name, value]) => [name, requestAddress(value)]));
  return node.client.request({ side: 'wallet', api, body, shape });
}

async function readDeposit(node: TronNode, address: string, contract: string): Promise<DepositState> {
  const found = await ask(node, 'getaccount', { address }, account);
  const has = await ask(node, 'getaccountresource', { address }, resources);
  return {
    address,
    isActive: found.address !== undefined,
    held: await readHeld(node, address, contract),
    coin: BigInt(found.balance),
    energy: left(has.EnergyLimit, has.EnergyUsed),
    bandwidth: bandwidthOf(has),
  };
}

const left = (limit: number, used: number): bigint => BigInt(Math.max(0, limit - used));

function bandwidthOf(has: { freeNetLimit: number; freeNetUsed: number; NetLimit: number; NetUsed: number }): bigint {
  const [free, staked] = [left(has.freeNetLimit, has.freeNetUsed), left(has.NetLimit, has.NetUsed)];
  return free > staked ? free : staked;
}

async function readSponsor(node: TronNode, address: string): Promise<SponsorState> {
  const found = await ask(node, 'getaccount', { address }, stakedAccount);
  const has = await ask(node, 'getaccountresource', { address }, networkResources);
  const total = { energy: BigInt(has.TotalEnergyLimit), staked: BigInt(has.TotalEnergyWeight) };
  const staked = found.frozenV2.find(({ type }) => type === 'ENERGY')?.amount ?? 0;
  const used = total.energy === 0n ? 0n : stakeFor(total, BigInt(has.EnergyUsed));
  return {
    coin: BigInt(found.balance),
    lendable: staked === 0 ? 0n : await readLendable(node, address, BigInt(staked) - used),
    bandwidth: bandwidthOf(has),
    energy: left(has.EnergyLimit, has.EnergyUsed),
    total,
  };
}

/** The node's own number, or ours where it has none: the stake that is not lent, without what was used of it today. */
async function readLendable(node: TronNode, address: string, computed: bigint): Promise<bigint> {
  const body = { owner_address: requestAddress(address), type: ENERGY };
  try {
    const request = { side: 'wallet', api: 'getcandelegatedmaxsize', body, shape: mostDelegated } as const;
    return BigInt((await node.client.request(request)).max_size);
  } catch (error) {
    if (!(error instanceof ApiMissingError)) throw error;
    return computed > 0n ? computed : 0n;
  }
}

/** Sun whose stake gives so much energy a day, rounded up. */
export const stakeFor = ({ energy, staked }: SponsorState['total'], wanted: bigint): bigint =>
  (wanted * staked * SUN + energy - 1n) / energy;

async function readHeld(node: TronNode, address: string, contract: string): Promise<bigint> {
  const parameter = addressBytes(address).padStart(WORD, '0');
  const { failed, word } = await constantCall(node, {
    from: contract,
    contract,
    selector: 'balanceOf(address)',
    parameter,
  });
  if (!failed && word.length === WORD) return BigInt(`0x${word}`);
  throw new ChainError('unavailable', `${node.name} does not report token balances`);
}

async function readSweepPrices(node: TronNode): Promise<SweepPrices> {
  const request = { side: 'wallet', api: 'getchainparameters', body: {}, shape: parameters } as const;
  const values = await node.client.request(request);
  const price = (name: string): bigint => {
    const value = values.get(name) ?? 0;
    if (Number.isSafeInteger(value) && value > 0) return BigInt(value);
    throw new ChainError('unavailable', `${node.name} does not report the price ${name}`);
  };
  return {
    energy: price('getEnergyFee'),
    bandwidth: price('getTransactionFee'),
    activation: price('getCreateNewAccountFeeInSystemContract') + price('getCreateAccountFee'),
  };
}
