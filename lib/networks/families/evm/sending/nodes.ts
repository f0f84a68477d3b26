// Opens EVM nodes for payouts, balance reads and fee displays.

import { openRpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import { openSendEndpoints, type SendEndpoints, type SendOptions } from '@/lib/networks/sending/endpoints';
import { proveNode, readHead, type EvmNode } from '@/lib/networks/families/evm/node';

/** Opens the nodes. No request is sent before the first call. Throws an Error for an unusable URL. */
export function openEvmSendNodes(options: SendOptions): SendEndpoints<EvmNode> {
  const { spec, urls, timeoutMs, budgets, heads } = options;
  const clients = urls.map((url, index): EvmNode => {
    const name = `endpoint ${index + 1}`;
    const rpc = openRpcClient(url, name, { timeoutMs, budget: budgets?.[index] });
    return { name, rpc, logsRefused: false, shared: heads?.[index] };
  });
  return openSendEndpoints({
    ...options,
    clients,
    prove: (node) => proveNode(node, spec),
    readHead: (node) => readHead(node, spec),
  });
}
