// Why a key in the HSM cannot be used now, as a sentence for the operator that names the setting to correct. No message contains the PIN.

import { SignerUnavailable } from '@/lib/signer/refusal';

/** Nothing was signed or journaled. The caller may repeat the call: the signer looks for the HSM again. */
export class HsmFault extends SignerUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HsmFault';
  }
}

/** The HSM does not accept the PIN. The signer must not offer the same one again: HSMs lock after a few wrong ones. */
export class PinRefused extends HsmFault {}

/** A return value of PKCS#11, such as CKR_PIN_INCORRECT; an empty text for any other error. */
export const codeOf = (error: unknown): string => {
  const { message } = error as Error;
  return /^CKR_[A-Z0-9_]+$/.test(message) ? message : '';
};

/** The fault for an error of a PKCS#11 call. Any other error is a fault of the signer and stays as it is. */
export function faultOf(error: unknown, label: string): unknown {
  const code = codeOf(error);
  if (code === '') return error;
  return new HsmFault(`The HSM "${label}" does not answer (${code}): see that it is connected and unlocked.`, {
    cause: error,
  });
}
