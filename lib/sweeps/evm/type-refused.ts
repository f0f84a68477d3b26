// Endpoints that refuse transactions with authorizations (EIP-7702): then each address is swept by itself for a while.

import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { EvmRun } from './run';

/** Nodes before EIP-7702, and chains that turned it off, refuse the type of the transaction. */
const TYPE_REFUSED =
  /\btype\b.*(?:not supported|unsupported|not allowed|invalid|disabled)|(?:unsupported|invalid|unknown).*type\b|\beip-?7702\b/i;
/** How long sweeps go one by one before a batch is tried again. */
const FALLBACK_MILLISECONDS = 3_600_000;

export const isTypeRefused = (error: unknown): boolean => error instanceof RpcError && error.matches(TYPE_REFUSED);

export function fallBack({ context, evm }: EvmRun): void {
  evm.fallback.until = context.clock.now().getTime() + FALLBACK_MILLISECONDS;
  const { environment, network } = evm.spec;
  const message = 'no endpoint takes EIP-7702 transactions: addresses are swept one by one';
  context.log.warn({ network, environment }, message);
}
