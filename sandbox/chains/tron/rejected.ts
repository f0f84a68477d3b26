// A transaction that the chain does not take, with the code that java-tron answers for the reason.

export type RejectionCode =
  | 'SIGERROR'
  | 'CONTRACT_VALIDATE_ERROR'
  | 'BANDWITH_ERROR'
  | 'DUP_TRANSACTION_ERROR'
  | 'TAPOS_ERROR'
  | 'TRANSACTION_EXPIRATION_ERROR'
  | 'OTHER_ERROR';

export class Rejected extends Error {
  readonly code: RejectionCode;
  constructor(code: RejectionCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The contract itself cannot be done; `reason` is in java-tron's words where they are known. */
export const invalid = (reason: string): Rejected =>
  new Rejected('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${reason}`);
