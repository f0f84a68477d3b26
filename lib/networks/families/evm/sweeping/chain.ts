// What a sweep needs to know from an EVM chain: the state of deposit addresses, current prices, and how much gas a transaction takes.
// Answers come from the first healthy endpoint unless they say otherwise. None of them moves money: the signer sends tokens to its own treasury only.

import { z } from 'zod';
import type { RpcCall } from '@/lib/networks/endpoints/json-rpc/client';
import type { EvmSpec } from '@/lib/networks/networks';
import type { SendOptions } from '@/lib/networks/sending/endpoints';
import { offeredPrices, replacingPrices, type Prices } from '@/lib/networks/families/evm/sending/fees';
import { openEvmSendNodes } from '@/lib/networks/families/evm/sending/nodes';
import { abiWord, transferData } from '@/lib/networks/families/evm/transfer-data';
import { DELEGATION_PREFIX } from './sweep-delegate';
import type { Authorization } from './sweep-transaction';

/** A deposit address as the newest block has it. */
export type DepositState = {
  readonly address: string;
  /** Base units of the token. */
  readonly held: bigint;
  /** Wei. */
  readonly coin: bigint;
  /** The nonce of its next transaction or delegation. */
  readonly nonce: number;
  /** The address that it delegates to, in lower case; null without code; `contract` for any other code. */
  readonly delegate: string | null;
};

/** A transaction to estimate. The authorizations are signed, because nodes verify them. */
type Estimated = {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly authorizations?: readonly Authorization[];
};

/** All methods throw a ChainError when no endpoint answers. */
export type SweepChain = {
  deposits(addresses: readonly string[], contract: string): Promise<readonly DepositState[]>;
  /**
   * What addresses delegate to, as in `deposits`, where as many endpoints report the same as a final outcome needs. The other
   * addresses are left out.
   */
  agreedDelegates(addresses: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  hasCode(address: string): Promise<boolean>;
  /** Wei. */
  coin(address: string): Promise<bigint>;
  /** Prices per gas, at least an eighth above `before`. Throws SendHold above the network's limit. */
  prices(before?: Prices): Promise<Prices>;
  /** Gas of a transaction. An RpcError says that it would fail. */
  gas(transaction: Estimated): Promise<bigint>;
  /** Gas of a token transfer. */
  transferGas(transfer: { from: string; to: string; contract: string; amount: bigint }): Promise<bigint>;
};

const OTHER_CODE = 'contract';

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const code = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase());
/** The selector of balanceOf(address). */
const BALANCE_OF = '0x70a08231';
const ADDRESS_DIGITS = 40;

/** Opens the reader. No request is sent before the first call. */
export function openSweepChain(options: SendOptions): SweepChain {
  const { spec } = options;
  if (spec.family !== 'evm') throw new Error(`${spec.network} is not an EVM network`);
  const row: EvmSpec = spec;
  const endpoints = openEvmSendNodes(options);
  const estimate = (call: object): Promise<bigint> =>
    endpoints.draft((node) => node.rpc.call({ method: 'eth_estimateGas', params: [call], shape: wei }));
  return {
    deposits: (addresses, contract) =>
      endpoints.draft(async (node) => {
        const calls = addresses.flatMap((address) => callsOf(address, contract));
        const answers = await node.rpc.batch(calls);
        return addresses.map((address, at) => stateOf(address, answers.slice(at * CALLS, (at + 1) * CALLS)));
      }),
    agreedDelegates: async (addresses) => {
      const calls = addresses.map((address) => ({ ...codeCall(address), shape: code }));
      const votes = await endpoints.all(async (node) => (await node.rpc.batch(calls)).map(delegateIn));
      return agreedOn(addresses, votes, endpoints.needed);
    },
    hasCode: (address) =>
      endpoints.draft(async (node) => (await node.rpc.call({ ...codeCall(address), shape: code })) !== '0x'),
    coin: (address) =>
      endpoints.draft((node) => node.rpc.call({ method: 'eth_getBalance', params: [address, 'latest'], shape: wei })),
    prices: (before) =>
      endpoints.draft(async (node) => {
        const now = await offeredPrices(node, row);
        return before ? replacingPrices(row, before, now) : now;
      }),
    gas: ({ from, to, data, authorizations = [] }) =>
      estimate({
        from,
        to,
        data,
        ...(authorizations.length > 0 ? { authorizationList: authorizations.map(tuple) } : {}),
      }),
    transferGas: ({ from, to, contract, amount }) =>
      estimate({ from, to: contract, data: `0x${transferData(to.slice(2), amount)}` }),
  };
}

/** `votes`: the answers of each endpoint, in the order of the addresses. */
function agreedOn(
  addresses: readonly string[],
  votes: readonly (readonly (string | null)[])[],
  needed: number,
): ReadonlyMap<string, string | null> {
  const agreed = new Map<string, string | null>();
  for (const [at, address] of addresses.entries()) {
    const reported = votes.map((vote) => vote[at] ?? null);
    const most = reported.find((one) => reported.filter((other) => other === one).length >= needed);
    if (most !== undefined) agreed.set(address, most);
  }
  return agreed;
}

/** Requests per deposit address, in the order of `callsOf`. */
const CALLS = 4;

const codeCall = (address: string) => ({ method: 'eth_getCode', params: [address, 'latest'] });

const callsOf = (address: string, contract: string): readonly RpcCall<string | bigint>[] => [
  { ...codeCall(address), shape: code },
  { method: 'eth_getTransactionCount', params: [address, 'latest'], shape: wei },
  { method: 'eth_getBalance', params: [address, 'latest'], shape: wei },
  {
    method: 'eth_call',
    params: [{ to: contract, data: BALANCE_OF + abiWord(address.slice(2)) }, 'latest'],
    shape: wei,
  },
];

/** From the answers to `callsOf`, in their order. */
function stateOf(
  address: string,
  [found = '0x', nonce = 0n, coin = 0n, held = 0n]: readonly (string | bigint)[],
): DepositState {
  return { address, delegate: delegateIn(String(found)), nonce: Number(nonce), coin: BigInt(coin), held: BigInt(held) };
}

function delegateIn(found: string): string | null {
  if (found === '0x') return null;
  const isDelegated = found.startsWith(DELEGATION_PREFIX) && found.length === DELEGATION_PREFIX.length + ADDRESS_DIGITS;
  return isDelegated ? `0x${found.slice(DELEGATION_PREFIX.length)}` : OTHER_CODE;
}

/** An authorization as JSON-RPC takes it. */
const tuple = ({ chainId, address, nonce, yParity, r, s }: Authorization) => ({
  chainId: `0x${chainId.toString(16)}`,
  address,
  nonce: `0x${nonce.toString(16)}`,
  yParity: `0x${yParity}`,
  r: trimmed(r),
  s: trimmed(s),
});

/** JSON-RPC integers have no leading zeros. */
const trimmed = (word: string): string => `0x${BigInt(word).toString(16)}`;
