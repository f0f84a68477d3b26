// All RPC methods by name, and the handling of one call from its JSON to its response.

import { internalError, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from '../rpc-error';
import { accountMethods } from './accounts';
import { blockMethods } from './blocks';
import type { Chain, Methods } from './method';
import { sendingMethods } from './sending';
import { transactionMethods } from './transactions';

const METHODS: Methods = Object.assign(
  // Without a prototype, so that no method is called `constructor`.
  Object.create(null) as Methods,
  accountMethods,
  blockMethods,
  sendingMethods,
  transactionMethods,
);

export type Call = { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown };

/** Handles one call. An unexpected error becomes an internal error with its message, because the caller is a developer. */
export async function answer(chain: Chain, call: Call): Promise<object> {
  const head = { jsonrpc: '2.0', id: call?.id ?? null };
  try {
    return { ...head, result: await run(chain, call) };
  } catch (error) {
    const { code, message, data } = error instanceof RpcError ? error : internalError(error as Error);
    return { ...head, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

function run(chain: Chain, call: Call): unknown {
  if (typeof call?.method !== 'string') throw new RpcError(INVALID_REQUEST, 'Invalid request');
  const method = METHODS[call.method];
  if (!method) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
  if (call.params !== undefined && !Array.isArray(call.params)) throw new RpcError(-32602, 'Invalid params');
  return method(chain, call.params ?? []);
}
