// Final token balances on the EVM networks: the token's balanceOf at the final block, for many addresses in one call if the
// endpoint supports it.

import { z } from 'zod';
import {
  balancesOf,
  type BalanceOptions,
  type BalanceReader,
  type BalanceRequest,
  type Vote,
} from '@/lib/networks/endpoints/balances-reader';
import { ChainError } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { SendOptions } from '@/lib/networks/sending/endpoints';
import { readManyBalances, type BalanceQuery } from './many-balances';
import { hex, readHead, requireBlock, type EvmNode } from '@/lib/networks/families/evm/node';
import { openEvmSendNodes } from '@/lib/networks/families/evm/sending/nodes';
import { wordOrNothing } from '@/lib/networks/families/evm/shapes';

/** One call per token (many-balances.ts), or ten requests of ten single calls. */
const MAX = 100;
/** Selector of balanceOf(address), and an address as its argument. */
const BALANCE_OF = '0x70a08231';
const PADDING = '0'.repeat(24);

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

/** Opens the reader. No request is sent before the first call. */
export function openEvmBalances(options: SendOptions & BalanceOptions): BalanceReader {
  const { spec } = options;
  const endpoints = openEvmSendNodes(options);
  return {
    most: MAX,
    async tokens(holdings, currency) {
      const contract = spec.tokens[currency]?.contract;
      if (contract === undefined) throw new Error(`${spec.network} has no ${currency}`);
      const votes = await endpoints.all((node) => readTokens(node, spec, { holdings, contract }), options);
      return balancesOf(votes, endpoints.needed, options);
    },
    feeCoin: (address) =>
      endpoints.draft(async (node) => {
        const { final } = await readHead(node, spec);
        const params = [address, hex(final.number)];
        return { amount: await node.rpc.call({ method: 'eth_getBalance', params, shape: wei }), stake: null };
      }),
  };
}

async function readTokens(
  node: EvmNode,
  spec: NetworkSpec,
  { holdings, contract }: { readonly holdings: readonly BalanceRequest[]; readonly contract: string },
): Promise<ReadonlyMap<string, Vote>> {
  const { final } = await readHead(node, spec);
  const addresses = holdings.map(({ address }) => address);
  const amounts = await readAmounts(node, { contract, addresses, block: final.number });
  // A different block at the same height would mean that the balances are of another chain.
  const after = await requireBlock(node, final.number);
  if (after.hash !== final.hash) {
    throw new ChainError('contradiction', `${node.name} replaced its final block ${final.number}`);
  }
  const at = { from: final, through: final, by: node.name };
  return new Map([...amounts].map(([address, amount]) => [address, { amount, ...at }]));
}

async function readAmounts(node: EvmNode, query: BalanceQuery): Promise<ReadonlyMap<string, bigint>> {
  const { addresses } = query;
  // For one address, a single call costs the same.
  if (node.manyBalancesRefused || addresses.length < 2) return readSingly(node, query);
  const many = await readManyBalances(node, query);
  const left = addresses.filter((address) => !many?.has(address));
  // A single call shows why the token did not answer for an address.
  const singly = await readSingly(node, { ...query, addresses: left });
  // A node refused the combined call only if it answers single calls; otherwise it may be unreachable.
  if (!many) node.manyBalancesRefused = true;
  return new Map([...(many ?? []), ...singly]);
}

async function readSingly(
  node: EvmNode,
  { contract, addresses, block }: BalanceQuery,
): Promise<ReadonlyMap<string, bigint>> {
  const words = await node.rpc.batch(
    addresses.map((address) => {
      const data = `${BALANCE_OF}${PADDING}${address.slice(2).toLowerCase()}`;
      return { method: 'eth_call', params: [{ to: contract, data }, hex(block)], shape: wordOrNothing };
    }),
  );
  return new Map(
    addresses.map((address, index) => {
      const amount = words[index] ?? null;
      if (amount === null) throw new ChainError('unavailable', `${node.name} does not report token balances`);
      return [address, amount];
    }),
  );
}
