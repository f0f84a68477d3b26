// Why the signer does not sign: a refusal has a code for the caller and a sentence for the operator who reads the log. Neither contains
// key material.

import type { RefusalCode } from './protocol';

export class Refusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}

/** What the signer needs is away for now, such as its HSM. Nothing was signed, and the same call may succeed later. */
export class SignerUnavailable extends Error {}
