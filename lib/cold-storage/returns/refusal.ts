// Why a command about returns was refused.

/** The message is a sentence for the operator. */
export class ReturnRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReturnRefused';
  }
}
