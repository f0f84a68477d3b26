// One logged-in session with the HSM, and the calls that the signer makes in it: find a key, read its public half, sign, and for the `hsm` command
// make or import a key. Private keys never leave the HSM: only handles do. Throws HsmFault, or the error of the PKCS#11 call.

import { codeOf, HsmFault, PinRefused } from './faults';
import {
  isCurve,
  parametersOf,
  pointOf,
  privateTemplate,
  publicKeyOf,
  publicTemplate,
  typeTemplate,
  type Curve,
} from './key-format';
import { CKM_EC_EDWARDS_KEY_PAIR_GEN, CKM_EDDSA, type Handle, type Pkcs11 } from './pkcs11';
import type { HsmPlace } from './settings';

/** Both curves. */
const SIGNATURE_BYTES = 64;
/**
 * The HSM went away during the login, and the PIN is not to blame. After any other code it may have counted a wrong PIN, also after a code
 * that its maker defined.
 */
const LOST_AT_LOGIN = new Set([
  'CKR_CRYPTOKI_NOT_INITIALIZED',
  'CKR_DEVICE_ERROR',
  'CKR_DEVICE_MEMORY',
  'CKR_DEVICE_REMOVED',
  'CKR_FUNCTION_FAILED',
  'CKR_HOST_MEMORY',
  'CKR_SESSION_CLOSED',
  'CKR_SESSION_HANDLE_INVALID',
  'CKR_TOKEN_NOT_PRESENT',
  'CKR_TOKEN_NOT_RECOGNIZED',
]);

export type FoundKey = { readonly handle: Handle; readonly publicKey: Uint8Array };

type Given = {
  readonly js: Pkcs11;
  readonly place: HsmPlace;
  readonly pin: string;
  /** Whether it makes keys. */
  readonly isWriter: boolean;
};

export class HsmSession {
  readonly #js: Pkcs11;
  readonly #calls: InstanceType<Pkcs11['PKCS11']>;
  readonly #handle: Handle;
  readonly #label: string;

  /** Loads the module, finds the HSM by its label and logs in. The module belongs to this process alone. */
  constructor({ js, place, pin, isWriter }: Given) {
    this.#js = js;
    this.#label = place.label;
    this.#calls = new js.PKCS11();
    try {
      this.#calls.load(place.module);
    } catch (error) {
      const message = `The PKCS#11 module ${place.module} cannot be loaded: SIGNER_HSM_MODULE names the library of the HSM’s maker.`;
      throw new HsmFault(message, { cause: error });
    }
    this.#initialize();
    try {
      this.#handle = this.#logIn(this.#slot(), pin, isWriter);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The key of a label. Throws an HsmFault unless it is one key of this curve that can never leave the HSM. */
  find(label: string, curve: Curve): FoundKey {
    const js = this.#js;
    const handle = this.#only(js.CKO_PRIVATE_KEY, label, 'private');
    const [extractable, sensitive] = this.#read(handle, js.CKA_EXTRACTABLE, js.CKA_SENSITIVE).map(([flag]) => flag);
    if (extractable !== 0 || sensitive !== 1)
      throw new HsmFault(`The key "${label}" can leave the HSM. Make one that is sensitive and not extractable.`);
    const open = this.#only(js.CKO_PUBLIC_KEY, label, 'public');
    const [parameters, point] = this.#read(open, js.CKA_EC_PARAMS, js.CKA_EC_POINT) as [Buffer, Buffer];
    const publicKey = publicKeyOf(point, curve);
    if (!publicKey || !isCurve(parameters, curve))
      throw new HsmFault(`The key "${label}" of the HSM is not on the curve ${curve}.`);
    return { handle, publicKey };
  }

  /** Whether a key or a part of one has the label. */
  has(label: string): boolean {
    const { CKO_PRIVATE_KEY, CKO_PUBLIC_KEY } = this.#js;
    return [CKO_PRIVATE_KEY, CKO_PUBLIC_KEY].some((kind) => this.#all(kind, label).length > 0);
  }

  /** r and s of a digest (secp256k1), or the signature of a message (ed25519): 64 bytes. */
  sign(key: Handle, curve: Curve, payload: Uint8Array): Uint8Array {
    const mechanism = curve === 'secp256k1' ? this.#js.CKM_ECDSA : CKM_EDDSA;
    this.#calls.C_SignInit(this.#handle, { mechanism }, key);
    return this.#calls.C_Sign(this.#handle, Buffer.from(payload), Buffer.alloc(SIGNATURE_BYTES));
  }

  /** Makes a key pair whose private half never leaves the HSM. */
  generate(label: string, curve: Curve): void {
    const mechanism = curve === 'secp256k1' ? this.#js.CKM_EC_KEY_PAIR_GEN : CKM_EC_EDWARDS_KEY_PAIR_GEN;
    this.#calls.C_GenerateKeyPair(
      this.#handle,
      { mechanism },
      [...parametersOf(this.#js, curve), ...publicTemplate(this.#js, label)],
      privateTemplate(this.#js, label),
    );
  }

  /** Stores a key that was made elsewhere; from then on it does not leave the HSM. The caller wipes `privateKey`. */
  import(
    label: string,
    curve: Curve,
    { privateKey, publicKey }: { privateKey: Uint8Array; publicKey: Uint8Array },
  ): void {
    const js = this.#js;
    const type = typeTemplate(js, curve);
    const secret = Buffer.from(privateKey);
    try {
      this.#calls.C_CreateObject(this.#handle, [
        { type: js.CKA_CLASS, value: js.CKO_PRIVATE_KEY },
        ...type,
        { type: js.CKA_VALUE, value: secret },
        ...privateTemplate(js, label),
      ]);
    } finally {
      secret.fill(0);
    }
    this.#calls.C_CreateObject(this.#handle, [
      { type: js.CKA_CLASS, value: js.CKO_PUBLIC_KEY },
      ...type,
      { type: js.CKA_EC_POINT, value: pointOf(publicKey) },
      ...publicTemplate(js, label),
    ]);
  }

  /** Ends the session and unloads the module's state: the next session looks for the HSM anew. */
  close(): void {
    try {
      this.#calls.C_Finalize();
    } catch (error) {
      // The module is not initialized any more, or its device is gone: nothing is left to end.
      if (codeOf(error) === '') throw error;
    }
  }

  #initialize(): void {
    try {
      this.#calls.C_Initialize();
    } catch (error) {
      if (codeOf(error) !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') throw error;
      // A former session could not be ended. Its list of HSMs is out of date.
      this.close();
      this.#calls.C_Initialize();
    }
  }

  #slot(): Handle {
    const { CKF_TOKEN_INITIALIZED, CKF_USER_PIN_FINAL_TRY, CKF_USER_PIN_LOCKED } = this.#js;
    const present = this.#calls.C_GetSlotList(true).map((slot) => {
      const { label, flags } = this.#calls.C_GetTokenInfo(slot);
      return { slot, label: label.trimEnd(), flags };
    });
    const ready = present.filter(({ flags }) => (flags & CKF_TOKEN_INITIALIZED) !== 0);
    const [found, ...others] = ready.filter(({ label }) => label === this.#label);
    if (!found) {
      const labels = ready.map(({ label }) => `"${label}"`).join(', ') || 'none';
      throw new HsmFault(
        `There is no HSM with the label "${this.#label}" (present: ${labels}): connect it, or correct SIGNER_HSM_LABEL.`,
      );
    }
    if (others.length > 0)
      throw new HsmFault(`Two HSMs have the label "${this.#label}": rename or remove one of them.`);
    // Checked before the login, so that the signer offers no PIN to a locked HSM and sees when the operator has unlocked it.
    if ((found.flags & CKF_USER_PIN_LOCKED) !== 0) throw this.#locked();
    if ((found.flags & CKF_USER_PIN_FINAL_TRY) !== 0) {
      throw new HsmFault(
        `One more wrong PIN locks the HSM "${this.#label}", so the signer does not log in: log in once with the HSM’s own tool and the ` +
          'right PIN, which ends the count, and see that the file of SIGNER_HSM_PIN_FILE has this PIN.',
      );
    }
    return found.slot;
  }

  #logIn(slot: Handle, pin: string, isWriter: boolean): Handle {
    const js = this.#js;
    const handle = this.#calls.C_OpenSession(slot, js.CKF_SERIAL_SESSION | (isWriter ? js.CKF_RW_SESSION : 0));
    try {
      this.#calls.C_Login(handle, js.CKU_USER, pin);
      return handle;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'CKR_PIN_LOCKED') throw this.#locked();
      if (code === '' || LOST_AT_LOGIN.has(code)) throw error;
      throw new PinRefused(
        `The HSM "${this.#label}" refuses the PIN (${code}): write the right one into the file of SIGNER_HSM_PIN_FILE. ` +
          'The signer does not offer this one again, because HSMs lock after a few wrong ones.',
      );
    }
  }

  #locked(): HsmFault {
    return new HsmFault(
      `The PIN of the HSM "${this.#label}" is locked: unlock it with the PIN of its security officer.`,
    );
  }

  #only(kind: number, label: string, half: 'private' | 'public'): Handle {
    const [found, ...others] = this.#all(kind, label);
    if (!found) {
      throw new HsmFault(
        `The HSM "${this.#label}" has no ${half} key with the label "${label}": make it with "npm run hsm -- generate", or ` +
          'correct SIGNER_HSM_KEYS.',
      );
    }
    if (others.length > 0)
      throw new HsmFault(`The HSM "${this.#label}" has two ${half} keys with the label "${label}".`);
    return found;
  }

  #all(kind: number, label: string): readonly Handle[] {
    const template = [
      { type: this.#js.CKA_CLASS, value: kind },
      { type: this.#js.CKA_LABEL, value: label },
    ];
    this.#calls.C_FindObjectsInit(this.#handle, template);
    try {
      // Two are enough to know that there is more than one.
      return this.#calls.C_FindObjects(this.#handle, 2);
    } finally {
      this.#calls.C_FindObjectsFinal(this.#handle);
    }
  }

  #read(key: Handle, ...types: number[]): readonly Buffer[] {
    const read = this.#calls.C_GetAttributeValue(
      this.#handle,
      key,
      types.map((type) => ({ type })),
    );
    return read.map(({ value }) => value);
  }
}
