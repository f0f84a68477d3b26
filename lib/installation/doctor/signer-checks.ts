// What the doctor says of the way to the signer's keys: the certificate of the worker, and the HSM of the signer.

import type { Config } from '@/lib/platform/config/config';
import { certificateEnd } from '@/lib/signer/client';
import type { Finding } from './findings';

/** Time to notice the warning and to copy the new certificates to both machines. */
const RENEW_BEFORE_DAYS = 30;

/** The worker's certificate for a signer on another machine, before it ends and every call fails. */
export function certificateFindings({ SIGNER_SOCKET: address = '' }: Config, now: Date): readonly Finding[] {
  const end = certificateEnd(address);
  if (!end || end.getTime() - now.getTime() > RENEW_BEFORE_DAYS * 86_400_000) return [];
  const message = `the worker’s certificate for the signer ends on ${end.toISOString().slice(0, 10)}`;
  const todo = 'Renew the certificates of both ends: docs/operate.md, “The signer on a machine of its own”.';
  return [{ check: 'signer', state: 'warn', message, todo }];
}

/** `trouble`: why the signer could not use its HSM at its last call; undefined without one. */
export const hsmFindings = (trouble: string | null | undefined): readonly Finding[] =>
  typeof trouble === 'string'
    ? [
        {
          check: 'signer',
          state: 'fail',
          message: `payments wait for the HSM of the signer: ${trouble}`,
          todo: 'Read docs/operate.md, “Keys in an HSM”.',
        },
      ]
    : [];
