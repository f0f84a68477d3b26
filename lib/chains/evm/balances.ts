// Final token balances on the EVM networks: the contract's own getter, asked at the block that is final by the network's rule,
// ten addresses a request.

import { z } from 'zod';
import { balancesOf, type BalanceOptions, type BalanceReader, type Held, type Holding } from '../balances-reader';
import { ChainError } from '../chain';
import type { NetworkSpec } from '../networks';
import type { SendOptions } from '../send-endpoints';
import { hex, readHead, requireBlock, type EvmNode } from './node';
import { openEvmSendNodes } from './send-nodes';
import { wordOrNothing } from './shapes';

/** Ten requests of ten. */
const MOST = 100;
/** Selector of balanceOf(address), and an address as its argument. */
const BALANCE_OF = '0x70a08231';
const PADDING = '0'.repeat(24);

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

/** Opens the reader. Nothing is asked of the endpoints before the first call. */
export function openEvmBalances(options: SendOptions & BalanceOptions): BalanceReader {
  const { spec } = options;
  const endpoints = openEvmSendNodes(options);
  return {
    most: MOST,
    async tokens(holdings, currency) {
      const contract = spec.tokens[currency]?.contract;
      if (contract === undefined) throw new Error(`${spec.network} has no ${currency}`);
      const votes = await endpoints.all((node) => readTokens(node, spec, { holdings, contract }));
      return balancesOf(votes, endpoints.needed, options);
    },
    feeCoin: (address) =>
      endpoints.draft(async (node) => {
        const { final } = await readHead(node, spec);
        return node.rpc.call({ method: 'eth_getBalance', params: [address, hex(final.number)], shape: wei });
      }),
  };
}

async function readTokens(
  node: EvmNode,
  spec: NetworkSpec,
  { holdings, contract }: { readonly holdings: readonly Holding[]; readonly contract: string },
): Promise<ReadonlyMap<string, Held>> {
  const { final } = await readHead(node, spec);
  const words = await node.rpc.batch(
    holdings.map(({ address }) => {
      const data = `${BALANCE_OF}${PADDING}${address.slice(2).toLowerCase()}`;
      return { method: 'eth_call', params: [{ to: contract, data }, hex(final.number)], shape: wordOrNothing };
    }),
  );
  // Another block at the same height would mean that what was read is not of this one.
  const after = await requireBlock(node, final.number);
  if (after.hash !== final.hash) {
    throw new ChainError('contradiction', `${node.name} replaced its final block ${final.number}`);
  }
  return new Map(
    holdings.map(({ address }, index) => {
      const amount = words[index] ?? null;
      if (amount === null) throw new ChainError('unavailable', `${node.name} does not tell token balances`);
      return [address, { amount, from: final, through: final }];
    }),
  );
}
