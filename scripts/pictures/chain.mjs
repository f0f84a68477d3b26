// A fake chain that reports every address as a person's wallet, so that pages which check may show an address back.

import { tsImport } from 'tsx/esm/api';

/** An EVM network's local chain on loopback, with one endpoint. */
export async function openWalletChain(network) {
  const { startFakeNode } = await tsImport('../../testing/evm/fake-evm-node.ts', import.meta.url);
  const { networkSpec } = await tsImport('../../lib/networks/networks.ts', import.meta.url);
  const { chainId, tokens } = networkSpec('test', network, 'local');
  const decimals = Object.fromEntries(Object.values(tokens).map((token) => [token.contract, token.decimals]));
  const node = await startFakeNode({ chainId, decimals, time: Math.trunc(Date.now() / 1000) });
  node.tamper = ({ method }) => (method === 'eth_getCode' ? '0x' : undefined);
  return node;
}
