// What two operators agree to when they release a hit: this address, as these sources reported it at this time. A list that names the
// address later is another hit.

import { sha256 } from '@/lib/platform/crypto';
import { canonicalJson } from '@/lib/platform/json/json-text';

/** `approvals.kind`; its target is the id of the screening. */
export const RELEASE = 'screening_release';

export const hitDigest = (hit: {
  readonly id: string;
  readonly address: string;
  readonly source: string;
  readonly entity: string;
  readonly foundAt: Date;
}): Buffer => {
  const { id, address, source, entity, foundAt } = hit;
  return sha256(canonicalJson({ screening: id, address, source, entity, foundAt: foundAt.toISOString() }));
};
