// A TRON account as the cold wallet when several keys sign for it: under one of its permissions, each key has a weight, and the signatures
// count from the weight of the permission's threshold on. Pure.

import { z } from 'zod';
import { permittedFee, readPermittedTransfer, signedPermitted } from '@/lib/networks/families/tron/sending/read-draft';
import type { NetworkSpec } from '@/lib/networks/networks';
import { BadDraft } from '@/lib/networks/sending/send';
import { NOT_IN_BYTES, type ColdAccount, type Facts, type Signatures, type Unsigned } from './item';
import { recoveredAddress } from './recover';

/** The network's limit of keys in a permission. */
const MAX_KEYS = 5;
/** Sums of five stay exact. */
const MAX_WEIGHT = 2 ** 50;
/** An account has at most eight active permissions, from 2 on. */
const MAX_ID = 9;

const weight = z.number().int().positive().max(MAX_WEIGHT);
const address = z.string().regex(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);

export const tronPermissionShape = z.strictObject({
  kind: z.literal('tron-permission'),
  /** 0 is the owner permission. The bytes of each transfer name the same one. */
  id: z.number().int().nonnegative().max(MAX_ID),
  threshold: weight,
  keys: z.array(z.strictObject({ address, weight })).min(1).max(MAX_KEYS),
});
export type TronPermissionTerms = z.output<typeof tronPermissionShape>;

const payload = ({ unsigned }: Unsigned): Uint8Array => signedPermitted(unsigned).payload;

export function tronPermissionAccount({ family, network }: NetworkSpec, terms: TronPermissionTerms): ColdAccount {
  if (family !== 'tron') throw new BadDraft(`accounts on ${network} have no permissions`);
  return {
    signers: new Map(terms.keys.map((key) => [key.address, key.weight])),
    threshold: terms.threshold,
    signerName: `a key of permission ${terms.id}`,
    read: (item) => readPermitted(item, terms),
    payload,
    isSignedBy: (item, signer, signature) => recoveredAddress('tron', payload(item), signature) === signer,
    completion: {
      kind: 'signatures',
      finish: ({ unsigned }, signatures) => signedPermitted(unsigned).finish(enoughOf(terms, signatures)),
    },
    shown: () => shownTerms(terms),
    differences: () => differencesOf(terms),
  };
}

function readPermitted({ unsigned }: Unsigned, { id, keys }: TronPermissionTerms): Facts {
  const { owner: from, to, contract, amount, expiration, permissionId } = readPermittedTransfer(unsigned);
  if (permissionId !== id)
    throw new BadDraft(`Permission_id: the file says that permission ${id} signs, the bytes say ${permissionId}`);
  // All keys may sign: each signature takes bandwidth.
  const feeCap = permittedFee(unsigned, keys.length);
  // A block before this second may still hold it, so the second is rounded up.
  const validity = { until: Math.ceil(expiration / 1000) };
  return { ...NOT_IN_BYTES, from, to, contract, amount, feeCap, validity };
}

/** The fewest signatures that reach the threshold: each takes bandwidth, and a second one the fee of one TRX. */
function enoughOf({ threshold, keys }: TronPermissionTerms, signatures: Signatures): Uint8Array[] {
  const enough: Uint8Array[] = [];
  let sum = 0;
  for (const key of keys.toSorted((one, other) => other.weight - one.weight)) {
    const signature = signatures.get(key.address);
    if (!signature || sum >= threshold) continue;
    enough.push(signature);
    sum += key.weight;
  }
  return enough;
}

function shownTerms({ id, threshold, keys }: TronPermissionTerms): [string, string][] {
  const name = id === 0 ? 'permission 0, the owner permission' : `permission ${id}`;
  return [
    ['signers', `keys of ${name}, until their weights reach ${threshold}`],
    ...keys.map((key): [string, string] => ['key', `${key.address}, weight ${key.weight}`]),
    ...(keys.length > 1
      ? [['multisig', 'more than one signature costs 1 TRX, which the fee has'] as [string, string]]
      : []),
  ];
}

function differencesOf({ id, threshold, keys }: TronPermissionTerms): string[] {
  const sum = keys.reduce((total, key) => total + key.weight, 0);
  return [
    ...(id === 1 ? ['account: permission 1 is that of a witness and moves no tokens'] : []),
    ...(new Set(keys.map((key) => key.address)).size === keys.length ? [] : ['account: a key is named twice']),
    ...(threshold <= sum ? [] : ['account: all keys together have less weight than is needed']),
  ];
}
