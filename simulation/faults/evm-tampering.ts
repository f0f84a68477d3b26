// How an EVM endpoint falsifies its answers.

import {
  BACK_TO_1970,
  firstOf,
  HOUR_AHEAD,
  isList,
  isObject,
  only,
  refusal,
  type Tamper,
  type Tampering,
} from './tampering';

/** Changes the logs of an answer. */
const logs = (change: (all: readonly object[]) => readonly object[]): Tamper =>
  only('eth_getLogs', (result) => (isList(result) ? change(result as object[]) : undefined));

const NO_TRANSFERS = logs(() => []);
const NO_BALANCES = only('eth_call', (result) =>
  typeof result === 'string' ? `0x${'0'.repeat(result.length - 2)}` : undefined,
);

export const EVM_TAMPERING: Tampering = {
  wrong_chain: only('eth_chainId', () => '0x1'),
  empty_logs: NO_TRANSFERS,
  blind: firstOf(NO_TRANSFERS, NO_BALANCES),
  truncated_logs: logs((all) => all.slice(0, -1)),
  too_much: only('eth_getLogs', () => refusal(-32005, 'query returned more than 10000 results')),
  lying: (_method, _params, result) => inflated(result),
  no_receipts: only('eth_getTransactionReceipt', () => null),
  doubled_logs: logs((all) => all.flatMap((log) => [log, log])),
  reversed_logs: logs((all) => all.toReversed()),
  removed_logs: logs((all) => all.map((log) => ({ ...log, removed: true }))),
  foreign_logs: logs((all) => all.map((log) => ({ ...log, address: `0x${'fa'.repeat(20)}` }))),
  future_times: only('eth_getBlockByNumber', (result) => shiftTime(result, HOUR_AHEAD)),
  past_times: only('eth_getBlockByNumber', (result) => shiftTime(result, BACK_TO_1970)),
  other_hashes: only('eth_getBlockByNumber', (result) => withHash(result)),
  empty_balances: NO_BALANCES,
  no_coin: only('eth_getBalance', () => '0x0'),
  lower_nonce: only('eth_getTransactionCount', () => '0x0'),
  higher_nonce: only('eth_getTransactionCount', (result) => `0x${(Number(result) + 5).toString(16)}`),
  swallowing: only('eth_sendRawTransaction', () => `0x${'5a'.repeat(32)}`),
  underpriced: only('eth_sendRawTransaction', () => refusal(-32000, 'transaction underpriced')),
  no_funds: only('eth_sendRawTransaction', () => refusal(-32000, 'insufficient funds for gas * price + value')),
  free_gas: only('eth_gasPrice', () => '0x0'),
  failed_receipts: only('eth_getTransactionReceipt', (result) =>
    isObject(result) ? { ...result, status: '0x0', logs: [] } : undefined,
  ),
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
  if (isObject(result) && 'logs' in result) return withLogs(result, more);
}

const withLogs = (receipt: object, change: (log: object) => object): object => ({
  ...receipt,
  logs: (receipt as { readonly logs: readonly object[] }).logs.map(change),
});

const shiftTime = (result: unknown, seconds: number): unknown =>
  isObject(result) && 'timestamp' in result
    ? { ...result, timestamp: `0x${Math.max(0, Number(result.timestamp) + seconds).toString(16)}` }
    : undefined;

/** The first block keeps its hash: on a local chain another one would be another chain, and elsewhere it is known. */
const withHash = (result: unknown): unknown =>
  isObject(result) && 'hash' in result && result.number !== '0x0'
    ? { ...result, hash: `0xbad0${String(result.hash).slice(6)}` }
    : undefined;
