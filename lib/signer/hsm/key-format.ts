// How PKCS#11 writes the keys of both curves: the attributes of new keys, and the formats of public ones. Pure.

import { CKK_EC_EDWARDS, type Pkcs11, type Template } from './pkcs11';

export type Curve = 'secp256k1' | 'ed25519';

/** `parameters`: CKA_EC_PARAMS in hex, first as keys are made; HSMs also name Ed25519 by its text. `size`: bytes of a public key. */
const CURVES = {
  secp256k1: { parameters: ['06052b8104000a'], size: 65 },
  ed25519: { parameters: ['06032b6570', '130c656477617264733235353139'], size: 32 },
} as const;
const DER_OCTET_STRING = 0x04;

export const isCurve = (parameters: Buffer, curve: Curve): boolean =>
  (CURVES[curve].parameters as readonly string[]).includes(parameters.toString('hex'));

export const parametersOf = (js: Pkcs11, curve: Curve): Template => [
  { type: js.CKA_EC_PARAMS, value: Buffer.from(CURVES[curve].parameters[0], 'hex') },
];

/** What an imported key says of its kind; a generated one gets it from its mechanism. */
export const typeTemplate = (js: Pkcs11, curve: Curve): Template => [
  { type: js.CKA_KEY_TYPE, value: curve === 'secp256k1' ? js.CKK_EC : CKK_EC_EDWARDS },
  ...parametersOf(js, curve),
];

/** A key that stays in the HSM, signs, and is never shown. */
export const privateTemplate = (js: Pkcs11, label: string): Template => [
  { type: js.CKA_TOKEN, value: true },
  { type: js.CKA_PRIVATE, value: true },
  { type: js.CKA_SENSITIVE, value: true },
  { type: js.CKA_EXTRACTABLE, value: false },
  { type: js.CKA_SIGN, value: true },
  ...names(js, label),
];

export const publicTemplate = (js: Pkcs11, label: string): Template => [
  { type: js.CKA_TOKEN, value: true },
  { type: js.CKA_PRIVATE, value: false },
  { type: js.CKA_VERIFY, value: true },
  ...names(js, label),
];

const names = (js: Pkcs11, label: string): Template => [
  { type: js.CKA_LABEL, value: label },
  { type: js.CKA_ID, value: Buffer.from(label) },
];

/** CKA_EC_POINT: a DER octet string. */
export const pointOf = (publicKey: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([DER_OCTET_STRING, publicKey.length]), publicKey]);

/** The public key in CKA_EC_POINT, in which some HSMs leave out the head; null if it has another size than those of the curve. */
export function publicKeyOf(point: Uint8Array, curve: Curve): Uint8Array | null {
  const { size } = CURVES[curve];
  if (point.length === size) return Uint8Array.from(point);
  const hasHead = point.length === size + 2 && point[0] === DER_OCTET_STRING && point[1] === size;
  return hasHead ? Uint8Array.from(point.subarray(2)) : null;
}
