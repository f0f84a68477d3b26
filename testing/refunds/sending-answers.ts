// Lets a network scene's programmable nodes respond to drafts, fee requests and broadcasts. The wallet has enough of
// everything, the token sets no obstacles, and prices are ordinary.

import { READ_BALANCES_CODE } from '@/lib/networks/families/evm/reading/read-balances-code';
import { SYSTEM_PROGRAM } from '@/lib/networks/families/solana/address';
import type { NetworkScene } from '@/testing/watching/network-scene';
import { fakeKey, fakeSignature } from '@/testing/solana/solana-ledger';
import type { FakeNode } from '@/testing/evm/fake-evm-node';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import type { FakeTronNode } from '@/testing/tron/fake-tron-node';

const ZERO_WORD = '0'.repeat(64);
const TRUE_WORD = '1'.padStart(64, '0');
const PLENTY_WORD = (10n ** 24n).toString(16).padStart(64, '0');

export function answerSending({ fake }: Pick<NetworkScene['node'], 'fake'>): void {
  if ('solidDepth' in fake) answerTron(fake);
  else if ('ledger' in fake) answerSolana(fake);
  else answerEvm(fake);
}

/** By path; `triggerconstantcontract` only for the side that shows the newest state. */
function answerTron(node: FakeTronNode): void {
  const prices = { getEnergyFee: 100, getTransactionFee: 1000 };
  const answers: Readonly<Record<string, object>> = {
    'wallet/getchainparameters': { chainParameter: Object.entries(prices).map(([key, value]) => ({ key, value })) },
    'wallet/getaccount': { balance: 10 ** 12, address: `41${'ab'.repeat(20)}` },
    'walletsolidity/getaccount': { balance: 10 ** 12, address: `41${'ab'.repeat(20)}` },
    'wallet/getaccountresource': { freeNetLimit: 600 },
    'wallet/broadcasthex': { result: true },
    'wallet/getcontract': {},
  };
  const called = (selector: string): object | null => {
    if (selector === 'decimals()') return null;
    const [energy, word] = selector.startsWith('transfer(') ? [65_000, ZERO_WORD] : [900, ZERO_WORD];
    const constant = selector.startsWith('balanceOf(') ? PLENTY_WORD : word;
    return { result: { result: true }, energy_used: energy, constant_result: [constant], transaction: { ret: [{}] } };
  };
  node.hijack = (request, response, body) => {
    const path = (request.url ?? '').split('/').slice(-2).join('/');
    const isCall = path === 'wallet/triggerconstantcontract';
    const { function_selector: selector = '' } = isCall
      ? (JSON.parse(body) as { readonly function_selector?: string })
      : {};
    const answer = isCall ? called(selector) : answers[path];
    if (answer) response.end(JSON.stringify(answer));
    return Boolean(answer);
  };
}

function answerEvm(node: FakeNode): void {
  const gwei = '0x3b9aca00';
  const answers: Readonly<Record<string, unknown>> = {
    eth_gasPrice: gwei,
    eth_feeHistory: { baseFeePerGas: [gwei], reward: [[gwei]] },
    eth_maxPriorityFeePerGas: gwei,
    eth_estimateGas: '0xf618',
    eth_getBalance: '0xde0b6b3a7640000',
    eth_getTransactionCount: '0x7',
    eth_sendRawTransaction: `0x${'ef'.repeat(32)}`,
    eth_getCode: '0x',
  };
  /** The chain itself responds to decimals() and, at a block, to balances. */
  const [decimals, balanceOf, transfer] = ['0x313ce567', '0x70a08231', '0xa9059cbb'];
  node.tamper = ({ method, params }) => {
    if (method !== 'eth_call') return answers[method];
    const [{ data }, block] = params as [{ data: string }, string];
    if (data.startsWith(decimals) || data.startsWith(READ_BALANCES_CODE)) return undefined;
    if (data.startsWith(balanceOf) && block !== 'latest') return undefined;
    if (data.startsWith(transfer)) return `0x${TRUE_WORD}`;
    return `0x${data.startsWith(balanceOf) ? PLENTY_WORD : ZERO_WORD}`;
  };
}

function answerSolana(node: FakeSolanaNode): void {
  const context = { slot: 1 };
  const height = () => node.blocks.length - 1;
  const answers: Readonly<Record<string, () => unknown>> = {
    getLatestBlockhash: () => ({
      context,
      value: { blockhash: fakeKey('hash'), lastValidBlockHeight: height() + 150 },
    }),
    getBlockHeight: height,
    getRecentPrioritizationFees: () => [],
    getMinimumBalanceForRentExemption: () => 1_488_440,
    simulateTransaction: () => ({ context, value: { err: null, unitsConsumed: 30_000 } }),
    sendTransaction: () => fakeSignature('sent'),
    getBalance: () => ({ context, value: 10 ** 9 }),
    getEpochInfo: () => ({ absoluteSlot: height() - node.finalDepth, blockHeight: height() - node.finalDepth }),
    getFirstAvailableBlock: () => 0,
  };
  const wallet = { lamports: 10 ** 9, owner: SYSTEM_PROGRAM, data: ['', 'base64'] };
  node.tamper = ({ method, params }, result) => {
    // A draft reads the wallet, its account and the recipient's two. No watched account is a wallet.
    if (method !== 'getMultipleAccounts' || (params[0] as string[]).length !== 4) return answers[method]?.();
    const { value, ...rest } = result as { value: readonly unknown[] };
    return value[0] === null ? { ...rest, value: [wallet, ...value.slice(1)] } : undefined;
  };
}
