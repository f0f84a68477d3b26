// The Solana adapter. Blocks are too large to read whole, so it reads the token accounts of the deposit addresses. The adapter
// keeps no position: it proves each answer, or throws.

import { ChainError, type ChainAdapter } from '@/lib/networks/chain';
import { openRpcClients, type AdapterOptions } from '@/lib/networks/endpoints/access';
import { openEndpoints, type EndpointControl } from '@/lib/networks/endpoints/endpoints';
import { IN_A_BLOCK } from '@/lib/networks/endpoints/scan';
import { openAccountDeriver } from './address';
import { openAuxiliaries } from './reading/auxiliary';
import { lookUp } from './reading/lookup';
import { clearCache, openNode, proveNode, readBlock, readGenesis, readHead } from './node';
import { scanWindow } from './reading/scan';
import { solanaActivity, solanaSent } from './reading/sent-coin';

/** Opens the adapter of one network. No request is sent before the first call. */
export function openSolanaAdapter(options: AdapterOptions): ChainAdapter & { readonly endpoints: EndpointControl } {
  const { spec, trust, clock, log } = options;
  const mints = Object.values(spec.tokens).map(({ contract }) => contract);
  const ownLog = log.child({ network: spec.network, environment: spec.environment });
  const parts = { spec, deriver: openAccountDeriver(mints), auxiliaries: openAuxiliaries(spec, ownLog) };
  const nodes = openRpcClients(options).map(({ name, rpc, shared }) => openNode(name, rpc, shared));
  const endpoints = openEndpoints({
    spec,
    clients: nodes,
    prove: (node) => proveNode(node, spec),
    readHead,
    readBlock: (node, number) => readBlock(node, number, 'confirmed'),
    trust,
    clock,
    log: ownLog,
  });

  return {
    readsBlocks: false,
    endpoints: endpoints.control,
    // The identity proof already checked a known genesis; a local chain may have restarted behind its URL.
    genesis: () => endpoints.use((node) => (spec.genesis === null ? readGenesis(node) : Promise.resolve(spec.genesis))),
    head: () => endpoints.head(),
    block: (number) => endpoints.use((node) => readBlock(node, number, 'confirmed')),
    agreed: (number) => endpoints.agreed(number),
    // An endpoint that answered wrongly once would repeat it from its cache, and contradict the others until the process ends.
    scan: async (window, watch) => {
      try {
        const scan = await endpoints.scan(window, watch, (node, same) => scanWindow(node, parts, window, same));
        if (scan.unfinished?.fault && !scan.unfinished.throttle) nodes.forEach(clearCache);
        return scan;
      } catch (error) {
        if (error instanceof ChainError && isDisagreement(error)) nodes.forEach(clearCache);
        throw error;
      }
    },
    coin: {
      activity: (search) => endpoints.use((node) => solanaActivity(node, search)),
      sent: ({ hashes }, wallets) => endpoints.use((node) => solanaSent(node, spec, hashes, wallets)),
    },
    // Another node may know a transaction that one node has not received yet or no longer keeps.
    lookup: (transactionHash) => endpoints.use((node) => lookUp(node, spec, transactionHash), IN_A_BLOCK),
  };
}

/** Endpoints contradict each other or themselves, or too few of them report the same. */
const isDisagreement = ({ fault, differs }: ChainError): boolean => fault === 'contradiction' || differs;
