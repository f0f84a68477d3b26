// The nodes of TRON as what pays, reads balances and tells fees asks them: with a share of what a metered one allows.

import { setTimeout as pause } from 'node:timers/promises';
import { openSendEndpoints, type SendEndpoints, type SendOptions } from '../send-endpoints';
import { isTronGrid, openTronClient } from './http';
import { proveNode, readHead, type TronNode } from './node';
import { openPacing } from './pacing';

export type TronSendOptions = SendOptions & {
  /** A TronGrid key. */
  readonly apiKey?: string | undefined;
};

/** A share of what TronGrid allows a key; the rest is for watching. */
const METERED_PER_SECOND = 3;
const wait = (milliseconds: number) => pause(milliseconds);

/** Opens them. Nothing is asked before the first call. Throws an Error for an address that cannot be used. */
export function openTronSendNodes(options: TronSendOptions): SendEndpoints<TronNode> {
  const { spec, urls } = options;
  return openSendEndpoints({
    ...options,
    clients: urls.map((url, index) => openTronSendNode(options, url, `endpoint ${index + 1}`)),
    prove: (node) => proveNode(node, spec),
    readHead: (node) => readHead(node, spec),
  });
}

function openTronSendNode({ apiKey, timeoutMs, clock }: TronSendOptions, url: string, name: string): TronNode {
  const metered = isTronGrid(new URL(url));
  const turn = metered ? { turn: openPacing({ perSecond: METERED_PER_SECOND, clock, wait }) } : {};
  const client = openTronClient({ url, name, apiKey, timeoutMs, ...turn });
  return { name, client, wait, largestWindow: 1, headersOffered: true, rangesOffered: false };
}
