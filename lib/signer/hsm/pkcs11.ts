// Loads pkcs11js, an optional package with native code. Only a signer whose settings name an HSM loads it, so no other
// installation has to compile it.

import { createRequire } from 'node:module';
import type Pkcs11Js from 'pkcs11js';
import { HsmFault } from './faults';

export type Pkcs11 = typeof Pkcs11Js;
export type Handle = Pkcs11Js.Handle;
export type Template = Pkcs11Js.Template;

// pkcs11js lacks these constants of PKCS#11 3.0.
export const CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055;
export const CKM_EDDSA = 0x1057;
export const CKK_EC_EDWARDS = 0x40;

/** Throws an HsmFault if the package was not compiled. */
export function loadPkcs11(): Pkcs11 {
  try {
    // Neither an import nor a `require` that a bundler could follow.
    return createRequire(import.meta.url)('pkcs11js') as Pkcs11;
  } catch (error) {
    throw new HsmFault(
      'The settings name an HSM, and pkcs11js was not compiled: run "npm run hsm -- build", or build the image with HSM=on.',
      { cause: error },
    );
  }
}
