// A refusal of the signer: a code for the caller and a sentence for the operator who reads the log. Neither contains
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
