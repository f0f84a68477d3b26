// What a node's refusal of a signed transaction means for the payment.

import { expect, it } from 'vitest';
import { silentLog } from '@/testing/chain-clock';
import { localEthereum, useWatchedChain } from '@/testing/watching/watched-chain';
import { openEvmSender } from './send';

const chain = useWatchedChain();

/** Broadcasts bytes that the node refuses with these words. */
function broadcast(message: string): Promise<unknown> {
  chain.node().tamper = ({ method }) =>
    method === 'eth_sendRawTransaction' ? { error: { code: -32000, message } } : undefined;
  const options = { urls: [chain.node().url], needed: 1, clock: chain.clock, log: silentLog(), timeoutMs: 3000 };
  return openEvmSender({ spec: localEthereum, ...options }).broadcast('0x00');
}

it.each([
  ['a fee above the cap of the node', 'tx fee (1.51 ether) exceeds the configured cap (1.00 ether)', 'fee_too_high'],
  ['a price below the base fee', 'max fee per gas less than block base fee', 'fee_too_low'],
  ['a replacement that is too cheap', 'replacement transaction underpriced', 'fee_too_low'],
  ['too little coin', 'insufficient funds for gas * price + value', 'no_fee_coin'],
])('holds the payment for %s', async (_, message, reason) => {
  await expect(broadcast(message)).rejects.toMatchObject({ name: 'SendHold', reason });
});

it('takes bytes that the node has already as sent', async () => {
  expect(await broadcast('already known')).toBe('known');
});

it('passes on any other refusal without the words of the node, which may contain a key', async () => {
  const refusal = await broadcast('sender is on the list of key-9f8e7d').catch((error: unknown) => error);
  expect(refusal).toMatchObject({ name: 'RpcError', throttled: false });
  expect(String(refusal)).toBe('RpcError: endpoint 1 refused eth_sendRawTransaction with error -32000');
});
