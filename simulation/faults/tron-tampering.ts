// How a TRON endpoint falsifies its answers. Its methods are paths, such as `walletsolidity/getblock`.

import { firstOf, isList, only, refusal, type Tamper, type Tampering } from './tampering';

type Body = Readonly<Record<string, unknown>>;
type Log = { readonly data: string };
type Info = { readonly log?: readonly Log[] };

/** Changes the answers of one API of both sides. */
const on =
  (api: string, change: (result: unknown, body: Body) => unknown): Tamper =>
  (method, params, result) =>
    method.endsWith(`/${api}`) ? change(result, (params[0] ?? {}) as Body) : undefined;

/** Changes the lists of transactions in blocks and in their results alike, so that both still agree. */
const changeLists = (change: (all: readonly unknown[]) => readonly unknown[]): Tamper => {
  const inBlock = (block: unknown): unknown =>
    typeof block === 'object' && block !== null && 'transactions' in block
      ? { ...block, transactions: change(block.transactions as readonly unknown[]) }
      : block;
  return firstOf(
    only('eth_getLogs', (result) => (isList(result) ? change(result) : undefined)),
    on('getblockbynum', inBlock),
    on('getblockbylimitnext', (result) => {
      const { block } = result as { readonly block?: readonly unknown[] };
      return block ? { block: block.map(inBlock) } : undefined;
    }),
    on('gettransactioninfobyblocknum', (result) => (isList(result) ? change(result) : undefined)),
  );
};

export const TRON_TAMPERING: Tampering = {
  wrong_chain: on('triggerconstantcontract', (_, { function_selector: selector }) =>
    selector === 'decimals()'
      ? { result: { code: 'CONTRACT_VALIDATE_ERROR', message: 'Smart contract is not exist.' } }
      : undefined,
  ),
  empty_logs: changeLists(() => []),
  truncated_logs: changeLists((all) => all.slice(0, -1)),
  too_much: only('eth_getLogs', () => refusal(-32005, 'query returned more than 10000 results')),
  lying: firstOf(
    on('gettransactioninfobyblocknum', (result) =>
      isList(result) ? result.map((one) => inflated(one as Info)) : undefined,
    ),
    on('gettransactioninfobyid', (result) => inflated(result as Info)),
  ),
  no_receipts: on('gettransactioninfobyid', () => ({})),
  no_finality: (method, [body]) =>
    method === 'walletsolidity/getblock' && (body as Body).id_or_num === undefined ? {} : undefined,
  // The endpoint's view lacks the blocks.
  pruned: () => undefined,
};

/** Ten times as much in every transfer. */
const inflated = (info: Info): Info =>
  info.log ? { ...info, log: info.log.map((log) => ({ ...log, data: tenfold(log.data) })) } : info;

const tenfold = (data: string): string => (BigInt(`0x${data}`) * 10n).toString(16).padStart(64, '0');

/** The body of another request than the one that was sent, where it names a block. */
export const otherRequest = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, NUMBERS.has(name) ? String(Number(value) + 1) : value]),
  );

const NUMBERS: ReadonlySet<string> = new Set(['num', 'id_or_num', 'startNum', 'endNum']);
