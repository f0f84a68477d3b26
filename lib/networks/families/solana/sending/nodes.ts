// Opens Solana nodes for payouts, balance reads and fee displays.

import { openRpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import { openSendEndpoints, type SendEndpoints, type SendOptions } from '@/lib/networks/sending/endpoints';
import { openNode, proveNode, readHead, type SolanaNode } from '@/lib/networks/families/solana/node';

/** Opens the nodes. No request is sent before the first call. Throws an Error for an unusable URL. */
export function openSolanaSendNodes(options: SendOptions): SendEndpoints<SolanaNode> {
  const { spec, urls, timeoutMs, budgets, heads } = options;
  return openSendEndpoints({
    ...options,
    clients: urls.map((url, index) => {
      const name = `endpoint ${index + 1}`;
      return openNode(name, openRpcClient(url, name, { timeoutMs, budget: budgets?.[index] }), heads?.[index]);
    }),
    prove: (node) => proveNode(node, spec),
    readHead,
  });
}
