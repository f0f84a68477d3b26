// From a draft to a payload: what the signer itself makes of an order, which must be what the worker drafted, byte for byte.
// Nothing of a draft is signed unread: each family's file takes it apart, compares every part with the order and gives back
// the bytes to sign.

import type { Draft } from './orders';
import { evmPayload } from './payload-evm';
import type { Expected, Payload } from './payload-shape';
import { solanaPayload } from './payload-solana';
import { tronPayload } from './payload-tron';
import { Refusal } from './refusal';

/** Throws a Refusal of code `draft` when the draft is anything but the order's own transfer. */
export function payloadOf(draft: Draft, expected: Expected): Payload {
  const { family } = expected.spec;
  if (draft.family !== family) throw new Refusal('draft', `the draft is for another family than ${family}`);
  switch (draft.family) {
    case 'evm':
      return evmPayload(draft, expected);
    case 'tron':
      return tronPayload(draft, expected);
    case 'solana':
      return solanaPayload(draft, expected);
  }
}
