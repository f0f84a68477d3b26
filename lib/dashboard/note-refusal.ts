// Selects the refusals of the dashboard that are security events. Each is counted by hour and subject
// (lib/platform/security/events).

import type { Context } from '@/lib/platform/context';
import type { ErrorCode, ServiceError } from '@/lib/platform/errors/errors';
import { noteSecurity } from '@/lib/platform/security/events';
import type { SecurityKind } from '@/lib/platform/security/kinds';

const KINDS: Readonly<Partial<Record<ErrorCode, SecurityKind>>> = {
  origin_refused: 'csrf_refused',
  permission_denied: 'permission_refused',
  SECOND_FACTOR_REQUIRED: 'permission_refused',
  MAILBOX_PROOF_REQUIRED: 'permission_refused',
  // A store that the account is not a member of. Its name comes from the request, so it is not counted as a subject.
  STORE_NOT_FOUND: 'permission_refused',
};

/** Notes a refusal that could belong to an attack. `account`: the signed-in user. */
export function noteRefusal(
  context: Context,
  { code }: Pick<ServiceError, 'code'>,
  by: { address: string; account?: string | null | undefined },
): void {
  const kind = KINDS[code];
  if (kind) noteSecurity(context, { kind, ...by });
}
