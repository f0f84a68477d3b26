// Batches whose fee may exceed what nodes take: geth and its like refuse a transaction that may cost more than one coin.

import { expect, it } from 'vitest';
import { NETWORKS, type EvmSpec } from '@/lib/networks/networks';
import { NOTHING_UNMINED } from '@/lib/networks/sending/send';
import type { RpcCall } from '@/lib/networks/endpoints/json-rpc/client';
import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { draftBatchOn } from './draft-batch';

const GWEI = 10n ** 9n;
const COIN = 10n ** 18n;
const polygon = NETWORKS.find((row) => row.network === 'polygon' && row.chain === 'mainnet') as EvmSpec;
const contract = polygon.tokens.USDC?.contract.toLowerCase() ?? '';
const from = `0x${'a1'.repeat(20)}`;
const hex = (value: bigint): string => `0x${value.toString(16)}`;
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const FUNDS = ['0x70a08231', '0xdd62ed3e'];
const [TRANSFER_GAS, ITEM_GAS] = [65_000n, 40_000n];

/** A node with this base fee, and a wallet with enough of everything. */
function nodeAt(baseFee: bigint) {
  const answerOf = ({ method, params: [given] }: Pick<RpcCall<unknown>, 'method' | 'params'>): unknown => {
    const { to, data } = given as { to: string; data: string };
    switch (method) {
      case 'eth_feeHistory':
        return { baseFeePerGas: [hex(baseFee)], reward: [[hex(30n * GWEI)]] };
      case 'eth_call':
        return word(FUNDS.some((selector) => data.startsWith(selector)) ? 10n ** 20n : 0n);
      case 'eth_estimateGas':
        // Without the selector and the four words of the head, each item has a word of 64 digits.
        return hex(to === PAYOUT_BATCH ? BigInt((data.length - 10) / 64 - 4) * ITEM_GAS + 200_000n : TRANSFER_GAS);
      default:
        return hex(100n * COIN);
    }
  };
  const call = async <T>(given: RpcCall<T>): Promise<T> => given.shape.parse(answerOf(given));
  const batch = () => Promise.reject(new Error('not requested'));
  return { name: 'endpoint 1', rpc: { name: 'endpoint 1', source: 'endpoint 1', call, batch }, logsRefused: false };
}

const draft = (baseFee: bigint, count: number) =>
  draftBatchOn(nodeAt(baseFee), {
    spec: polygon,
    chainId: polygon.chainId ?? 0,
    nonce: 0,
    payments: Array.from({ length: count }, (_, at) => ({
      currency: 'USDC',
      contract,
      from,
      to: `0x${(at + 1).toString(16).padStart(40, '0')}`,
      amount: 1_000_000n,
    })),
    before: null,
    unmined: NOTHING_UNMINED,
  });

it('is drafted whole while it may cost no more than a coin', async () => {
  expect(await draft(50n * GWEI, 50)).toMatchObject({ kind: 'drafted' });
});

it('is made as much smaller as nodes take it', async () => {
  const drafted = await draft(100n * GWEI, 50);
  if (drafted.kind !== 'refused') throw new Error(`it is ${drafted.kind}`);
  const left = 50 - drafted.places.length;
  expect(left).toBeGreaterThan(25);
  expect(drafted.places).toEqual(Array.from({ length: 50 - left }, (_, at) => left + at));
  // The costs apart from the items can take the place of one more.
  const again = await draft(100n * GWEI, left);
  const rest = again.kind === 'refused' ? left - again.places.length : left;
  expect(rest).toBeGreaterThanOrEqual(left - 1);
  expect(await draft(100n * GWEI, rest)).toMatchObject({ kind: 'drafted' });
});
