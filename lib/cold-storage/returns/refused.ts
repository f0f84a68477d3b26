// Why a command about returns was refused.

/** A refusal as a sentence for the operator. */
export class ReturnRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReturnRefused';
  }
}
