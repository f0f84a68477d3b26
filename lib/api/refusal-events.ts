// Which refusals of the signed API are security events.

import type { MerchantKey } from '@/lib/merchants/api-keys/verify-key';
import type { Context } from '@/lib/platform/context';
import type { ErrorCode, ServiceError } from '@/lib/platform/errors/errors';
import { noteSecurity } from '@/lib/platform/security/events';
import type { SecurityKind } from '@/lib/platform/security/kinds';
import { RateLimited } from './limits/limits';

const KINDS: Partial<Record<ErrorCode, SecurityKind>> = {
  invalid_api_key: 'api_key_refused',
  invalid_signature: 'signature_refused',
  signature_version_required: 'signature_version_refused',
  nonce_reused: 'nonce_replayed',
};

/** `key`: the key that the request named, if it exists. Its holder need not be the sender. */
export function noteRefusal(
  context: Context,
  refusal: ServiceError,
  { address, key }: { readonly address: string; readonly key: MerchantKey | null },
): void {
  // A signed request above its key's rate is no attack. Before authentication, only an address that fails too often is limited.
  const isLockout = refusal instanceof RateLimited && key === null;
  const kind = isLockout ? 'locked_out' : KINDS[refusal.code];
  if (kind !== undefined) noteSecurity(context, { kind, address, key: key?.id, store: key?.storeId });
}
