// Opens EVM nodes for payments, balance reads and fee displays.

import { openRpcClients } from '@/lib/networks/endpoints/access';
import { openSendEndpoints, type SendEndpoints, type SendOptions } from '@/lib/networks/sending/endpoints';
import { openEvmNode, proveNode, readHead, type EvmNode } from '@/lib/networks/families/evm/node';

/** Opens the nodes. No request is sent before the first call. Throws an Error for an unusable URL. */
export function openEvmSendNodes(options: SendOptions): SendEndpoints<EvmNode> {
  const { spec } = options;
  return openSendEndpoints({
    ...options,
    clients: openRpcClients(options).map(openEvmNode),
    prove: (node) => proveNode(node, spec),
    readHead: (node) => readHead(node, spec),
  });
}
