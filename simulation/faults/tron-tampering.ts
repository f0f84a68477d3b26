// How a TRON endpoint falsifies its answers. Its methods are paths, such as `walletsolidity/getblock`, and those of JSON-RPC.

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

type Body = Readonly<Record<string, unknown>>;
type Log = { readonly data: string };
type Info = { readonly log?: readonly Log[]; readonly blockTimeStamp?: number };
type Header = {
  readonly blockID: string;
  readonly block_header: { readonly raw_data: { readonly timestamp: number } };
};

/** Changes the answers of one API of both sides. */
const on =
  (api: string, change: (result: unknown, body: Body) => unknown): Tamper =>
  (method, params, result) =>
    method.endsWith(`/${api}`) ? change(result, (params[0] ?? {}) as Body) : undefined;

/** Changes every block and header. */
const eachBlock = (change: (block: Header) => object): Tamper => {
  const changed = (block: unknown): unknown =>
    isObject(block) && 'blockID' in block ? change(block as Header) : undefined;
  return firstOf(
    on('getblock', changed),
    on('getblockbynum', changed),
    on('getblockbylimitnext', (result) => {
      const { block } = result as { readonly block?: readonly unknown[] };
      return block ? { block: block.map(changed) } : undefined;
    }),
  );
};

/** Changes every result of a transaction. */
const eachInfo = (change: (info: Info) => object): Tamper =>
  firstOf(
    on('gettransactioninfobyblocknum', (result) =>
      isList(result) ? result.map((one) => change(one as Info)) : undefined,
    ),
    on('gettransactioninfobyid', (result) => change(result as Info)),
  );

/** Changes the lists of transactions in blocks and of their results alike, so that both still agree. */
const lists = (change: (all: readonly unknown[]) => readonly unknown[]): Tamper =>
  firstOf(
    only('eth_getLogs', (result) => (isList(result) ? change(result) : undefined)),
    eachBlock((block) =>
      'transactions' in block ? { ...block, transactions: change(block.transactions as readonly unknown[]) } : block,
    ),
    on('gettransactioninfobyblocknum', (result) => (isList(result) ? change(result) : undefined)),
  );

const times = (seconds: number): Tamper => {
  const shifted = (milliseconds: number): number => Math.max(0, milliseconds + seconds * 1000);
  return firstOf(
    eachBlock((block) => {
      const { raw_data: raw } = block.block_header;
      return { ...block, block_header: { raw_data: { ...raw, timestamp: shifted(raw.timestamp) } } };
    }),
    eachInfo((info) => ({ ...info, blockTimeStamp: shifted(info.blockTimeStamp ?? 0) })),
  );
};

const eachListed = (change: (log: object) => object): Tamper =>
  only('eth_getLogs', (result) => (isList(result) ? result.map((one) => change(one as object)) : undefined));
const inLogs = (change: (log: Log) => Log): Tamper =>
  eachInfo((info) => (info.log ? { ...info, log: info.log.map(change) } : info));

/** Changes the result of a getter of a contract. */
const getter = (selector: string, result: object): Tamper =>
  on('triggerconstantcontract', (_, body) => (body.function_selector === selector ? result : undefined));

const NO_TRANSFERS = lists(() => []);
const NO_BALANCES = getter('balanceOf(address)', { result: { result: true }, constant_result: ['0'.repeat(64)] });

export const TRON_TAMPERING: Tampering = {
  wrong_chain: getter('decimals()', {
    result: { code: 'CONTRACT_VALIDATE_ERROR', message: 'Smart contract is not exist.' },
  }),
  empty_logs: NO_TRANSFERS,
  blind: firstOf(NO_TRANSFERS, NO_BALANCES),
  truncated_logs: lists((all) => all.slice(0, -1)),
  too_much: only('eth_getLogs', () => refusal(-32005, 'query returned more than 10000 results')),
  lying: inLogs((log) => ({ ...log, data: (BigInt(`0x${log.data}`) * 10n).toString(16).padStart(64, '0') })),
  no_receipts: on('gettransactioninfobyid', () => ({})),
  doubled_logs: lists((all) => all.flatMap((one) => [one, one])),
  reversed_logs: lists((all) => all.toReversed()),
  removed_logs: eachListed((log) => ({ ...log, removed: true })),
  foreign_logs: firstOf(
    eachListed((log) => ({ ...log, address: `0x${'fa'.repeat(20)}` })),
    inLogs((log) => ({ ...log, address: 'fa'.repeat(20) })),
  ),
  future_times: times(HOUR_AHEAD),
  past_times: times(BACK_TO_1970),
  // The first block keeps its hash: on a local chain another one would be another chain, and elsewhere it is known.
  other_hashes: eachBlock((block) => ({
    ...block,
    blockID: block.blockID.replace(/^(?!0{16})(.{16}).{4}/, '$1bad0'),
  })),
  empty_balances: NO_BALANCES,
  no_coin: on('getaccount', (result) => ({ ...(result as Body), balance: 0 })),
  no_funds: on('broadcasthex', () => ({ code: 'BANDWITH_ERROR', message: '00' })),
  free_gas: on('getchainparameters', () => ({ chainParameter: [{ key: 'getTransactionFee', value: 0 }] })),
  failed_receipts: eachInfo((info) => ({ ...info, result: 'FAILED', receipt: { result: 'REVERT' }, log: [] })),
  no_finality: (method, [body]) =>
    method === 'walletsolidity/getblock' && (body as Body).id_or_num === undefined ? {} : undefined,
};

/** The body of another request than the one that was sent, where it names a block. */
export const otherRequest = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, NUMBERS.has(name) ? String(Number(value) + 1) : value]),
  );

const NUMBERS: ReadonlySet<string> = new Set(['num', 'id_or_num', 'startNum', 'endNum']);
