// Opens TRON nodes for payments, balance reads and fee displays.

import { setTimeout as pause } from 'node:timers/promises';
import { openSendEndpoints, type SendEndpoints, type SendOptions } from '@/lib/networks/sending/endpoints';
import { openTronClient } from '@/lib/networks/families/tron/http';
import { proveNode, readHead, type TronNode } from '@/lib/networks/families/tron/node';

export type TronSendOptions = SendOptions & {
  /** A TronGrid key. */
  readonly apiKey?: string | undefined;
};

const wait = (milliseconds: number) => pause(milliseconds);

/** Opens the nodes. No request is sent before the first call. Throws an Error for an unusable URL. */
export function openTronSendNodes(options: TronSendOptions): SendEndpoints<TronNode> {
  const { spec, urls } = options;
  return openSendEndpoints({
    ...options,
    clients: urls.map((url, index) => openTronSendNode(options, url, index)),
    prove: (node) => proveNode(node, spec),
    readHead: (node) => readHead(node, spec),
  });
}

function openTronSendNode(
  { apiKey, timeoutMs, budgets, heads }: TronSendOptions,
  url: string,
  index: number,
): TronNode {
  const name = `endpoint ${index + 1}`;
  const client = openTronClient({ url, name, apiKey, timeoutMs, budget: budgets?.[index] });
  const shared = heads?.[index];
  return { name, client, wait, largestWindow: 1, headersOffered: true, rangesOffered: false, shared };
}
