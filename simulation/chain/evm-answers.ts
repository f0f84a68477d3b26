// Answers the JSON-RPC calls of the product's EVM adapter, balance reader and sender from a simulated chain, as one
// endpoint sees it: up to its own height, and with its own fork.

import { READ_BALANCES_CODE } from '@/lib/networks/families/evm/reading/read-balances-code';
import { BALANCE_OF, manyBalances } from '@/testing/evm/fake-many-balances';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import type { View } from './chain';
import { readCall } from './evm-calls';
import { answerBatched, keptGas, skippedLog } from './evm-batches';
import { failureOf, gasOf } from './evm-execution';
import { isBlocked, isPaused } from './refusals';
import { balanceAt, basePrice, coinAt, delegateAt, instanceAt, nonceAt } from './evm-state';
import type { EvmBlock, EvmState, MinedTransaction } from './evm-state';

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const refusal = (message: string, code = -32000) => ({ error: { code, message } });
const [DECIMALS, TRANSFER] = ['0x313ce567', '0xa9059cbb'];
/** What tokens say about the transfers that their issuers refuse. */
const [PAUSED, BLACKLISTED] = ['0x5c975abb', '0xfe575a87'];
const PLENTY = 10n ** 24n;
/** The code of a call that fails, and how signed transactions with delegations begin. */
const [REVERTED, SET_CODE] = [3, '0x04'];

/** The chain up to a view's height. */
type Seen = { readonly state: EvmState; readonly view: View; readonly blocks: readonly EvmBlock[] };

export function answerEvm(state: EvmState, view: View, method: string, params: readonly unknown[]): unknown {
  const blocks = state.blocks.slice(0, view.height + 1).map((block) => asForked(block, view.forkedAbove));
  const result = resultOf({ state, view, blocks }, method, params);
  const tampered = view.tamper?.(method, params, result);
  return tampered === undefined ? result : tampered;
}

/** The block of a fork at the same height: empty, with another hash. */
function asForked(block: EvmBlock, above: number | undefined): EvmBlock {
  if (above === undefined || block.number <= above) return block;
  const other = (hash: string): string => `0xf0${hash.slice(4)}`;
  const parentHash = block.number === above + 1 ? block.parentHash : other(block.parentHash);
  return { ...block, hash: other(block.hash), parentHash, transactions: [] };
}

function resultOf(seen: Seen, method: string, params: readonly unknown[]): unknown {
  const { state, blocks } = seen;
  const [first, second] = params as [string, string];
  const gasPrice = basePrice(state.spec) * state.fees;
  switch (method) {
    case 'eth_chainId':
      return hex(state.spec.chainId ?? 0);
    case 'eth_getBlockByNumber':
      return headerOf(blocks[numberOf(seen, first)], params[1] === true);
    case 'eth_getLogs':
      return logsOf(seen, params[0] as LogFilter);
    case 'eth_getTransactionByHash': {
      const mined = findTransaction(blocks, first);
      if (mined) return { hash: first, blockHash: mined.block.hash };
      return state.waiting.some(({ hash }) => hash === first) ? { hash: first, blockHash: null } : null;
    }
    case 'eth_getTransactionReceipt':
      return receiptOf(findTransaction(blocks, first));
    case 'eth_getBlockReceipts': {
      const block = blocks[numberOf(seen, first)];
      return block ? block.transactions.map((own) => receiptOf({ block, own })) : null;
    }
    case 'eth_call':
      return called(seen, params as [{ from?: string; to: string; data: string }, string]);
    case 'eth_getBalance':
      return hex(coinAt(state, first.toLowerCase(), numberOf(seen, second)));
    case 'eth_getTransactionCount':
      return hex(countOf(seen, first.toLowerCase(), second));
    case 'eth_getCode':
      return codeOf(state, first.toLowerCase(), numberOf(seen, second ?? 'latest'));
    case 'eth_estimateGas':
      return estimated(seen, params[0] as Estimated);
    case 'eth_gasPrice':
      return hex(gasPrice);
    case 'eth_maxPriorityFeePerGas':
      return hex(basePrice(state.spec));
    case 'eth_feeHistory': {
      const hasBase = state.spec.family === 'evm' && state.spec.hasBaseFee;
      return { baseFeePerGas: [hasBase ? hex(gasPrice) : '0x0'], reward: [[hex(basePrice(state.spec))]] };
    }
    case 'eth_sendRawTransaction': {
      if (seen.view.refusesDelegations && first.startsWith(SET_CODE)) return refusal('transaction type not supported');
      const taken = state.submit(first);
      return 'hash' in taken ? taken.hash : refusal(taken.error);
    }
    default:
      return refusal(`the method ${method} does not exist/is not available`, -32601);
  }
}

/** A delegation is 0xef0100 with the address of the contract. */
function codeOf(state: EvmState, address: string, block: number): string {
  const delegate = delegateAt(state, address, block);
  if (delegate !== null) return `0xef0100${delegate.slice(2)}`;
  if (address === PAYOUT_BATCH) return '0x6001';
  return state.contracts.has(address) || instanceAt(state, address, block) ? '0x6001' : '0x';
}

type Estimated = {
  readonly from: string;
  readonly to: string;
  readonly data?: string;
  readonly authorizationList?: readonly unknown[];
};

function estimated({ state, view }: Seen, { from, to, data = '0x', authorizationList = [] }: Estimated): unknown {
  const [payer, recipient] = [from.toLowerCase(), to.toLowerCase()];
  const read = readCall(recipient, data, 0n);
  if (read === null) return refusal('execution reverted', REVERTED);
  const call = read.kind === 'tokens' ? { ...read, movement: { ...read.movement, payer } } : read;
  const failure = failureOf(state, { from: payer, to: recipient, call }, view.height);
  const kept = call.kind === 'payouts' ? keptGas(call.gasEach) : 0n;
  return failure === null ? hex(gasOf(call, authorizationList.length) + kept) : refusal(failure, REVERTED);
}

function numberOf({ state, view }: Seen, tag: string): number {
  if (tag === 'latest' || tag === 'pending') return view.height;
  if (tag === 'finalized') return Math.min(view.height, state.finalNumber);
  return Number.parseInt(tag, 16);
}

function countOf(seen: Seen, address: string, tag: string): number {
  const mined = nonceAt(seen.state, address, numberOf(seen, tag));
  if (tag !== 'pending') return mined;
  const nonces = new Set(seen.state.waiting.filter(({ from }) => from === address).map(({ nonce }) => nonce));
  let next = mined;
  while (nonces.has(next)) next++;
  return next;
}

/** Without authorizations: only deposit addresses sign them. */
function headerOf(block: EvmBlock | undefined, isFull: boolean): object | null {
  if (!block) return null;
  const transactions = block.transactions.map(({ hash, from, to, nonce, call }) =>
    isFull ? { hash, from, to, nonce: hex(nonce ?? 0), value: hex(call.kind === 'coin' ? call.value : 0n) } : hash,
  );
  const { hash, parentHash } = block;
  return { number: hex(block.number), hash, parentHash, timestamp: hex(block.time), transactions };
}

type Place = { readonly block: EvmBlock; readonly own: MinedTransaction };

function findTransaction(blocks: readonly EvmBlock[], hash: string): Place | undefined {
  for (const block of blocks) {
    const own = block.transactions.find((one) => one.hash === hash);
    if (own) return { block, own };
  }
}

function receiptOf(found: Place | undefined): object | null {
  if (!found) return null;
  const { block, own } = found;
  return {
    transactionHash: own.hash,
    blockHash: block.hash,
    blockNumber: hex(block.number),
    status: own.succeeded ? '0x1' : '0x0',
    logs: logsIn(block).filter(({ transactionHash }) => transactionHash === own.hash),
    from: own.from,
    to: own.to,
    gasUsed: hex(own.gasUsed),
    effectiveGasPrice: hex(own.gasPrice),
  };
}

const logsIn = (block: EvmBlock) =>
  block.transactions
    .flatMap(({ hash, moved, skipped }) =>
      [
        ...moved.map(({ token, payer, recipient, amount }) => transferLog(token, payer, recipient, amount)),
        ...skipped.map(skippedLog),
      ].map((log) => ({ hash, log })),
    )
    .map(({ hash, log }, index) => ({
      ...log,
      ...{ blockNumber: hex(block.number), blockHash: block.hash, transactionHash: hash, logIndex: hex(index) },
    }));

type LogFilter = {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly blockHash?: string;
  readonly address: readonly string[];
  readonly topics: readonly (string | null)[];
};

function logsOf(seen: Seen, { fromBlock, toBlock, blockHash, address, topics }: LogFilter): unknown {
  const wanted = blockHash
    ? seen.blocks.filter(({ hash }) => hash === blockHash)
    : seen.blocks.slice(numberOf(seen, fromBlock), numberOf(seen, toBlock) + 1);
  if (blockHash && wanted.length === 0) return refusal('unknown block');
  return wanted
    .flatMap(logsIn)
    .filter((log) => address.includes(log.address) && log.topics[0] === topics[0])
    .filter((log) => [1, 2].every((n) => !topics[n] || log.topics[n] === topics[n]))
    .map((log) => ({ ...log, removed: false }));
}

function called(seen: Seen, [{ from, to, data }, tag]: [{ from?: string; to: string; data: string }, string]): unknown {
  const { state, view } = seen;
  const block = numberOf(seen, tag);
  if (data.startsWith(READ_BALANCES_CODE)) {
    // Each balance passes the endpoint's falsification, as a single call does.
    const single = (call: { to: string; data: string }) => answerEvm(state, view, 'eth_call', [call, tag]);
    return manyBalances(data, block, single);
  }
  const batched = answerBatched(state, { ...(from === undefined ? {} : { from }), to, data }, block);
  if (batched !== null) return batched;
  if (data.startsWith(DECIMALS)) {
    const token = Object.values(state.spec.tokens).find(({ contract }) => contract === to);
    return token ? word(BigInt(token.decimals)) : '0x';
  }
  if (data.startsWith(TRANSFER)) return word(1n);
  const address = `0x${data.slice(-40)}`;
  if (data.startsWith(PAUSED)) return word(isPaused(state.refused, to) ? 1n : 0n);
  if (data.startsWith(BLACKLISTED)) return word(isBlocked(state.refused, to, address) ? 1n : 0n);
  if (!data.startsWith(BALANCE_OF)) return word(0n);
  if (block > view.height) return refusal('header not found');
  const amount = balanceAt(state, { token: to, address, block });
  return word(amount >= 0n ? amount : PLENTY);
}
