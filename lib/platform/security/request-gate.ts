// Hands the rules for requests to pages from the code that accepts connections to proxy.ts and to route handlers, which Next loads
// as separate copies. Behind server.ts there is no gate, because server.ts has applied the rules already.

import type { ApiResponse } from '@/lib/platform/http';

export type Gated = {
  /** The response to a request that must not reach a page or a handler; null if it may. */
  readonly refusal: ApiResponse | null;
  /** False for an operation of the API, which sets its own headers. */
  readonly isPage: boolean;
};

export type RequestGate = (request: { readonly method: string; readonly headers: Headers }) => Promise<Gated>;

const shared = globalThis as unknown as { stabletillRequestGate?: RequestGate };

export function setRequestGate(gate: RequestGate): void {
  shared.stabletillRequestGate = gate;
}

export const passGate: RequestGate = async (request) =>
  (await shared.stabletillRequestGate?.(request)) ?? { refusal: null, isPage: true };
