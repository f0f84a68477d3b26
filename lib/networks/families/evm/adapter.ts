// The adapter of the EVM networks (Ethereum, BSC and similar). The adapter keeps no position: it proves each answer, or throws.

import type { ChainAdapter } from '@/lib/networks/chain';
import { ChainError } from '@/lib/networks/chain';
import { openRpcClients, type AdapterOptions } from '@/lib/networks/endpoints/access';
import { openEndpoints, type EndpointControl } from '@/lib/networks/endpoints/endpoints';
import { IN_A_BLOCK } from '@/lib/networks/endpoints/scan';
import { lookupTransaction } from './reading/lookup';
import { followHead, openEvmNode, proveNode, readBlock } from './node';
import { scanWindow } from './reading/scan';
import { evmActivity, evmSent } from './reading/sent-coin';

/** Opens the adapter of one network. No request is sent before the first call. */
export function openEvmAdapter(options: AdapterOptions): ChainAdapter & { readonly endpoints: EndpointControl } {
  const { spec, trust, clock, log } = options;
  const endpoints = openEndpoints({
    spec,
    clients: openRpcClients(options).map(openEvmNode),
    prove: (node) => proveNode(node, spec),
    readHead: (node) => followHead(node, spec),
    readBlock: (node, number) => readBlock(node, number),
    trust,
    clock,
    log: log.child({ network: spec.network, environment: spec.environment }),
  });

  return {
    readsBlocks: true,
    endpoints: endpoints.control,
    genesis: () =>
      endpoints.use(async (node) => {
        // The identity proof already checked a known genesis; a local chain may have restarted behind its URL.
        if (spec.genesis !== null) return spec.genesis;
        const block = await readBlock(node, 0);
        if (!block) throw new ChainError('unavailable', `${node.name} has no genesis block`);
        return block.hash;
      }),
    head: () => endpoints.head(),
    block: (number) => endpoints.use((node) => readBlock(node, number)),
    agreed: (number) => endpoints.agreed(number),
    scan: (window, watch) => endpoints.scan(window, watch, (node, same) => scanWindow(node, spec, window, same)),
    // Another node may know a transaction that one node has not received yet, or not as mined.
    lookup: (transactionHash) => endpoints.use((node) => lookupTransaction(node, spec, transactionHash), IN_A_BLOCK),
    coin: {
      activity: (search) => endpoints.use((node) => evmActivity(node, search)),
      sent: ({ blocks }, wallets) => endpoints.use((node) => evmSent(node, spec, blocks, wallets)),
    },
  };
}
