// Finds the blocks with transfers to or from us through java-tron's JSON-RPC: one eth_getLogs for many blocks. The list only names
// blocks; scan.ts reads them whole and proves their contents. It does not prove that the list is complete: java-tron answers from a
// separate index, and with an empty list if the index is missing. proveLogs detects such a node, and the comparison of balances
// detects other gaps.

import { ChainError, type BlockSpan } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { RpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import type { NetworkSpec } from '@/lib/networks/networks';
import { readInfos } from './block';
import { tokenTransfers, TRANSFER_TOPIC, type Tokens } from './decode';
import { readSolid, type TronNode } from '@/lib/networks/families/tron/node';
import { chainId, transferLogs, type LoggedTransfer } from '@/lib/networks/families/tron/shapes';

export type LoggingNode = TronNode & {
  readonly rpc: RpcClient;
  /** Set while its JSON-RPC is known to list all transfers. Otherwise every block is read whole. */
  logsOffered: boolean;
};

/** Blocks per list. java-tron returns at most 10,000 logs, and a mainnet block holds about 120 transfers. */
export const LOGS_WINDOW = 60;
/** Recent blocks that are searched for one with a transfer. */
const PROBED_BLOCKS = 3;

/** The transfers of the tokens that the node lists for these blocks; with `own` (twenty bytes), only those to and from it. */
export async function listTransfers(
  node: LoggingNode,
  tokens: Tokens,
  { from, to, own }: BlockSpan & { readonly own?: string },
): Promise<LoggedTransfer[]> {
  const transfer = `0x${TRANSFER_TOPIC}`;
  const topic = `0x${(own ?? '').padStart(64, '0')}`;
  const filters =
    own === undefined
      ? [[transfer]]
      : [
          [transfer, null, topic],
          [transfer, topic],
        ];
  const listed: LoggedTransfer[] = [];
  for (const topics of filters) {
    const address = [...tokens.keys()].map((contract) => `0x${contract}`);
    const filter = { fromBlock: hex(from), toBlock: hex(to), address, topics };
    listed.push(...(await node.rpc.call({ method: 'eth_getLogs', params: [filter], shape: transferLogs })));
  }
  const isAsked = ({ blockNumber, contract, topic: kind }: LoggedTransfer): boolean =>
    blockNumber >= from && blockNumber <= to && tokens.has(contract) && kind === TRANSFER_TOPIC;
  if (listed.every(isAsked)) return listed;
  throw new ChainError('contradiction', `${node.name} lists logs that were not requested`);
}

/**
 * Whether the node's JSON-RPC serves this chain and lists exactly the transfers of a recent solid block. False if no recent block
 * has any: that proves nothing, and blocks are read whole. Throws only errors that request a pause.
 */
export async function proveLogs(node: LoggingNode, spec: NetworkSpec, tokens: Tokens): Promise<boolean> {
  try {
    const id = await node.rpc.call({ method: 'eth_chainId', params: [], shape: chainId });
    const solid = id === spec.chainId ? await readSolid(node) : null;
    const newest = solid?.number ?? 0;
    for (let number = newest; number > Math.max(0, newest - PROBED_BLOCKS); number--) {
      const infos = await readInfos(node, 'walletsolidity', number);
      const expected = infos.flatMap((info) =>
        tokenTransfers(info).flatMap(({ contract, from, to }) =>
          tokens.has(contract) ? [`${info.id} ${from} ${to}`] : [],
        ),
      );
      if (expected.length === 0) continue;
      const listed = await listTransfers(node, tokens, { from: number, to: number });
      return (
        expected.toSorted().join() ===
        listed
          .map(({ id: own, from, to }) => `${own} ${from} ${to}`)
          .toSorted()
          .join()
      );
    }
    return false;
  } catch (error) {
    if (error instanceof ChainError && !error.throttled) return false;
    throw error;
  }
}

/** Whether whole blocks should replace a failed list until the node is proven again. */
export const losesLogs = (error: unknown): boolean =>
  error instanceof ChainError &&
  !error.throttled &&
  (error.fault === 'unavailable' || (error instanceof RpcError && error.methodMissing));

const hex = (number: number): string => `0x${number.toString(16)}`;
