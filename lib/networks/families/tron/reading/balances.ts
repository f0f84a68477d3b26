// Final token balances on TRON: the contract's own getter, called on the solid side, one address per request. That side does not
// name the block of its state, so its newest block is read before and after.

import {
  balancesOf,
  type BalanceOptions,
  type BalanceReader,
  type BalanceRequest,
  type Vote,
} from '@/lib/networks/endpoints/balances-reader';
import { ChainError, type BlockRef } from '@/lib/networks/chain';
import { addressBytes, requestAddress } from '@/lib/networks/families/tron/address';
import { readSolid, type TronNode } from '@/lib/networks/families/tron/node';
import { openTronSendNodes, type TronSendOptions } from '@/lib/networks/families/tron/sending/nodes';
import { triedCall } from '@/lib/networks/families/tron/sending/shapes';
import { readHeldCoin } from './held-coin';

/** Each address is a request, and metered endpoints allow a few per second. */
const MAX = 10;
const WORD = 64;

/** A solid block read within this time before the balances need not be read again. A local chain may restart meanwhile. */
const SOLID_LASTS_MS = 5000;

/** The last solid block that a node reported, and the time in milliseconds. */
type LastSolid = Map<TronNode, { readonly block: BlockRef; readonly at: number }>;

/** Opens the reader. No request is sent before the first call. Throws an Error for an unusable URL. */
export function openTronBalances(options: TronSendOptions & BalanceOptions): BalanceReader {
  const { spec } = options;
  const endpoints = openTronSendNodes(options);
  const lastSolid: LastSolid | null = spec.chain === 'local' ? null : new Map();
  const now = () => options.clock.now().getTime();
  return {
    most: MAX,
    async tokens(holdings, currency) {
      const contract = spec.tokens[currency]?.contract;
      if (contract === undefined) throw new Error(`${spec.network} has no ${currency}`);
      const votes = await endpoints.all((node) => readTokens(node, { holdings, contract, lastSolid, now }), options);
      return balancesOf(votes, endpoints.needed, options);
    },
    feeCoin: (address) => endpoints.draft((node) => readHeldCoin(node, address)),
  };
}

type Reading = {
  readonly holdings: readonly BalanceRequest[];
  readonly contract: string;
  readonly lastSolid: LastSolid | null;
  readonly now: () => number;
};

async function readTokens(
  node: TronNode,
  { holdings, contract, lastSolid, now }: Reading,
): Promise<ReadonlyMap<string, Vote>> {
  const known = lastSolid?.get(node);
  const isRecent = known !== undefined && Math.abs(now() - known.at) < SOLID_LASTS_MS;
  const from = isRecent ? known.block : await solid(node);
  const amounts: bigint[] = [];
  for (const { address } of holdings) amounts.push(await balanceOf(node, contract, address));
  const through = await solid(node);
  lastSolid?.set(node, { block: through, at: now() });
  // Nodes behind one URL differ by a block or two; the balances lie between the outermost blocks.
  const [first, last] = from.number <= through.number ? [from, through] : [through, from];
  const at = { from: first, through: last, by: node.name };
  return new Map(holdings.map(({ address }, index) => [address, { amount: amounts[index] as bigint, ...at }]));
}

async function solid(node: TronNode): Promise<BlockRef> {
  const block = await readSolid(node);
  if (block) return block;
  throw new ChainError('unavailable', `${node.name} has no solid block`);
}

async function balanceOf(node: TronNode, contract: string, address: string): Promise<bigint> {
  const body = {
    owner_address: requestAddress(contract),
    contract_address: requestAddress(contract),
    function_selector: 'balanceOf(address)',
    parameter: addressBytes(address).padStart(WORD, '0'),
  };
  const call = { side: 'walletsolidity', api: 'triggerconstantcontract', body, shape: triedCall } as const;
  const { refused, failed, word } = await node.client.request(call);
  if (!refused && !failed && word.length === WORD) return BigInt(`0x${word}`);
  throw new ChainError('unavailable', `${node.name} does not report token balances`);
}
