// How a network's endpoints are reached, for following its chain and for sending; and a JSON-RPC client for each of them.

import type { Clock } from '@/lib/platform/clock';
import type { Log } from '@/lib/platform/log';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Trust } from './agreement';
import { openRpcClient, type RpcClient } from './json-rpc/client';
import type { RequestBudget } from './request-budget';
import type { SharedHead } from './shared-head';

export type EndpointAccess = {
  readonly spec: NetworkSpec;
  /** Endpoints in the operator's order of preference. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Timeout of one request, in milliseconds. */
  readonly timeoutMs?: number;
  /** Budgets of the endpoints, in the order of `urls`, shared with every other client of them. Absent: each client has its own. */
  readonly budgets?: readonly RequestBudget[] | undefined;
  /** Shared heads of the endpoints, in the same order. */
  readonly heads?: readonly SharedHead[] | undefined;
};

/** What opens the adapter that follows a chain. */
export type AdapterOptions = EndpointAccess & {
  /** Absent: one endpoint's report is enough for any amount. */
  readonly trust?: Trust | undefined;
};

type Rpc = { readonly name: string; readonly rpc: RpcClient; readonly shared: SharedHead | undefined };

/** A JSON-RPC client of every endpoint, with the endpoint's name and shared head. No request is sent. */
export const openRpcClients = ({
  urls,
  timeoutMs,
  budgets,
  heads,
}: Pick<EndpointAccess, 'urls' | 'timeoutMs' | 'budgets' | 'heads'>): Rpc[] =>
  urls.map((url, index) => {
    const name = `endpoint ${index + 1}`;
    return { name, rpc: openRpcClient(url, name, { timeoutMs, budget: budgets?.[index] }), shared: heads?.[index] };
  });
