// A synthetic EVM node that answers JSON-RPC from a synthetic chain. It renders the log texts of a block once, so that
// the node costs little beside the measured watcher.

import { NETWORKS } from '@/lib/networks/networks';
import { remembering, syntheticBlock, type NetworkName, type SyntheticBlock } from './chain';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
export type Height = () => { readonly tip: number; readonly final: number };
type Texts = { readonly header: string; readonly logs: string; readonly block: SyntheticBlock };

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const word = (digits: string): string => `0x${digits.padStart(64, '0')}`;

/** Opens the node: a function from a request body to the response body. */
export function openEvmNode(
  network: NetworkName,
  height: Height,
  zero: number,
): (path: string, body: string) => string {
  const spec = NETWORKS.find((row) => row.network === network && row.chain === 'local');
  if (!spec) throw new Error(`there is no local ${network}`);
  const contracts = Object.values(spec.tokens).map(({ contract }) => contract);
  const places = new Map<string, { number: number; index: number }>();
  const texts = remembering((number) => makeTexts(syntheticBlock(network, number, zero)));

  function makeTexts(block: SyntheticBlock): Texts {
    block.transfers.forEach(({ hash, ours }, index) => {
      if (ours) places.set(`0x${hash}`, { number: block.number, index });
    });
    const header = JSON.stringify({
      number: hex(block.number),
      hash: `0x${block.hash}`,
      parentHash: `0x${block.parentHash}`,
      timestamp: hex(block.time),
      transactions: block.transfers.map(({ hash }) => `0x${hash}`),
    });
    return { header, logs: block.transfers.map((_, index) => JSON.stringify(logOf(block, index))).join(), block };
  }

  const logOf = (block: SyntheticBlock, index: number) => {
    const { hash, payer, recipient, amount } = block.transfers[index] as SyntheticBlock['transfers'][number];
    return {
      // Both tokens are in every block, as on the real networks; payments to us use the first.
      address: contracts[index % contracts.length],
      topics: [TRANSFER, word(payer), word(recipient)],
      data: word(amount.toString(16)),
      blockNumber: hex(block.number),
      blockHash: `0x${block.hash}`,
      blockTimestamp: hex(block.time),
      transactionHash: `0x${hash}`,
      transactionIndex: hex(index),
      logIndex: hex(index),
      removed: false,
    };
  };

  const numberOf = (tag: string): number => {
    if (tag === 'latest') return height().tip;
    return tag === 'finalized' ? height().final : Number.parseInt(tag, 16);
  };

  function receipt(transaction: string): string {
    const place = places.get(transaction);
    if (!place || place.number > height().tip) return 'null';
    const { block } = texts(place.number);
    return JSON.stringify({
      transactionHash: transaction,
      blockHash: `0x${block.hash}`,
      blockNumber: hex(block.number),
      status: '0x1',
      logs: [logOf(block, place.index)],
    });
  }

  function logs(filter: { fromBlock?: string; toBlock?: string; blockHash?: string }): string {
    if (filter.blockHash !== undefined) {
      const number = byHash.get(filter.blockHash);
      return number === undefined ? 'null' : `[${texts(number).logs}]`;
    }
    const [from, to] = [numberOf(filter.fromBlock ?? 'latest'), numberOf(filter.toBlock ?? 'latest')];
    const parts: string[] = [];
    for (let number = from; number <= Math.min(to, height().tip); number++) parts.push(texts(number).logs);
    return `[${parts.filter((part) => part !== '').join()}]`;
  }

  /** Filled when a client requests a header, because clients learn hashes in no other way. */
  const byHash = new Map<string, number>();
  function headerAt(number: number): string {
    if (number > height().tip) return 'null';
    const { header: text, block } = texts(number);
    byHash.set(`0x${block.hash}`, number);
    return text;
  }

  function result({ method, params }: Call): string {
    switch (method) {
      case 'eth_chainId':
        return `"${hex(spec?.chainId ?? 0)}"`;
      case 'eth_call': {
        const token = Object.values(spec?.tokens ?? {}).find(({ contract }) => contract === addressOf(params[0]));
        return `"${word((token?.decimals ?? 0).toString(16))}"`;
      }
      case 'eth_getBlockByNumber':
        return headerAt(numberOf(params[0] as string));
      case 'eth_getLogs':
        return logs(params[0] as { fromBlock?: string; toBlock?: string; blockHash?: string });
      case 'eth_getTransactionReceipt':
        return receipt(params[0] as string);
      default:
        throw new Error(`the synthetic node does not know ${method}`);
    }
  }

  const answer = (call: Call): string => `{"jsonrpc":"2.0","id":${call.id},"result":${result(call)}}`;
  return (_path, body) => {
    const calls = JSON.parse(body) as Call | Call[];
    return Array.isArray(calls) ? `[${calls.map(answer).join()}]` : answer(calls);
  };
}

const addressOf = (call: unknown): string => (call as { to: string }).to;
