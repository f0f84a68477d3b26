// Opens Solana nodes for payments, balance reads and fee displays.

import { openRpcClients } from '@/lib/networks/endpoints/access';
import { openSendEndpoints, type SendEndpoints, type SendOptions } from '@/lib/networks/sending/endpoints';
import { openNode, proveNode, readHead, type SolanaNode } from '@/lib/networks/families/solana/node';

/** Opens the nodes. No request is sent before the first call. Throws an Error for an unusable URL. */
export function openSolanaSendNodes(options: SendOptions): SendEndpoints<SolanaNode> {
  const { spec } = options;
  return openSendEndpoints({
    ...options,
    clients: openRpcClients(options).map(({ name, rpc, shared }) => openNode(name, rpc, shared)),
    prove: (node) => proveNode(node, spec),
    readHead,
  });
}
