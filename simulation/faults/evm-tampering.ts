// How an EVM endpoint falsifies its answers.

import { isList, only, refusal, type Tampering } from './tampering';

export const EVM_TAMPERING: Tampering = {
  wrong_chain: only('eth_chainId', () => '0x1'),
  empty_logs: only('eth_getLogs', () => []),
  truncated_logs: only('eth_getLogs', (result) => (isList(result) ? result.slice(0, -1) : undefined)),
  too_much: only('eth_getLogs', () => refusal(-32005, 'query returned more than 10000 results')),
  lying: (_method, _params, result) => inflated(result),
  no_receipts: only('eth_getTransactionReceipt', () => null),
  no_finality: only('eth_getBlockByNumber', (_, [tag]) => (tag === 'finalized' ? null : undefined)),
  pruned: (method, [, tag]) =>
    (method === 'eth_call' || method === 'eth_getTransactionCount') && tag !== 'latest' && tag !== 'pending'
      ? refusal(-32000, 'missing trie node')
      : undefined,
};

/** Ten times as much in every transfer of an answer. */
function inflated(result: unknown): unknown {
  const more = (log: object): object =>
    'data' in log && typeof log.data === 'string' && log.data.length === 66
      ? { ...log, data: `0x${(BigInt(log.data) * 10n).toString(16).padStart(64, '0')}` }
      : log;
  if (isList(result)) return (result as object[]).map((one) => ('logs' in one ? withLogs(one, more) : more(one)));
  if (typeof result === 'object' && result !== null && 'logs' in result) return withLogs(result, more);
}

const withLogs = (receipt: object, change: (log: object) => object): object => ({
  ...receipt,
  logs: (receipt as { readonly logs: readonly object[] }).logs.map(change),
});
