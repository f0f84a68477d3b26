// A refusal of the signer: a code that the caller can act on and a sentence for the person who reads its log. Neither holds
// anything of a key.

import type { RefusalCode } from './protocol';

export class Refusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}
