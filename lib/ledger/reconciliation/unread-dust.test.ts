import { expect, test } from 'vitest';
import type { FollowedChain } from '@/lib/networks/registry';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { COMMON_CENT } from '@/lib/payments/sessions/settle/read-threshold';
import { isUnreadDust, type Surplus } from './unread-dust';

const chainOf = (network: string, readsBlocks: boolean): Pick<FollowedChain, 'adapter' | 'spec'> => ({
  spec: networkSpec('test', network, 'local') as NetworkSpec,
  adapter: { readsBlocks } as FollowedChain['adapter'],
});
const solana = chainOf('solana', false);
/** Base units of a token with six decimals; a cent has ten thousand. */
const usdt = (amount: bigint): Surplus => ({ currency: 'USDT', amount });
const usdc = (amount: bigint): Surplus => ({ currency: 'USDC', amount });

test('less than the threshold may lie unread at an address, in all tokens together', () => {
  expect(isUnreadDust(solana, [usdt(9_999n)], COMMON_CENT)).toBe(true);
  expect(isUnreadDust(solana, [usdt(10_000n)], COMMON_CENT)).toBe(false);
  expect(isUnreadDust(solana, [usdt(5_000n), usdc(4_999n)], COMMON_CENT)).toBe(true);
  expect(isUnreadDust(solana, [usdt(5_000n), usdc(5_000n)], COMMON_CENT)).toBe(false);
  expect(isUnreadDust(solana, [], COMMON_CENT)).toBe(true);
});

test('a balance below the stored transfers is never dust, whatever another token adds', () => {
  expect(isUnreadDust(solana, [usdt(-1n)], COMMON_CENT)).toBe(false);
  expect(isUnreadDust(solana, [usdt(-1n), usdc(5n)], COMMON_CENT)).toBe(false);
  expect(isUnreadDust(solana, [usdt(0n)], COMMON_CENT)).toBe(true);
});

test('an amount of a token that the network does not know counts as whole tokens', () => {
  expect(isUnreadDust(solana, [{ currency: 'DAI', amount: 1n }], COMMON_CENT)).toBe(false);
});

test('where every block is read, nothing is unread', () => {
  expect(isUnreadDust(chainOf('solana', true), [usdt(1n)], COMMON_CENT)).toBe(false);
});
