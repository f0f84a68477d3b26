// The type of the handler behind every signed path.

import type { Caller } from '@/lib/merchants/api-keys/nonces';
import type { ApiRequest, ApiResponse } from '@/lib/platform/http';
import type { Services } from './services';

/** Handles a signed request. `params` holds the path's parameters, decoded. */
export type Handler = (call: {
  readonly services: Services;
  readonly request: ApiRequest;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
}) => Promise<ApiResponse>;
