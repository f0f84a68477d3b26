// A transaction that the chain rejects, with java-tron's code for the reason.

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

/** The contract cannot be executed; `reason` has java-tron's wording where it is known. */
export const invalid = (reason: string): Rejected =>
  new Rejected('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${reason}`);
