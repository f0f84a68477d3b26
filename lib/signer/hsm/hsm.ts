// The HSM as the signer uses it. It keeps one session, and opens another one when that has ended: the HSM was unplugged, restarted or
// locked. A call that cannot be answered throws an HsmFault and signs nothing, so a payment waits until the HSM is back.

import fs from 'node:fs';
import { faultOf, HsmFault, PinRefused } from './faults';
import { loadPkcs11, type Handle } from './pkcs11';
import type { Curve } from './key-format';
import { HsmSession } from './session';
import type { HsmPlace } from './settings';

/** A PIN is short. A larger file is another one. */
const MAX_PIN_BYTES = 256;
/** The permissions of other users. */
const OTHERS = 0o007;
/**
 * A module can take seconds to find that its device is gone, and no other call is answered meanwhile. So the signer looks for a lost HSM
 * only this often.
 */
const LOOK_EVERY_MILLISECONDS = 2000;

type Options = {
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Whether it makes keys. */
  readonly isWriter?: boolean;
};

type Signing = { readonly payload: Uint8Array; readonly check: (signature: Uint8Array) => Uint8Array };

export class Hsm {
  readonly #place: HsmPlace;
  readonly #now: () => number;
  readonly #isWriter: boolean;
  #session: HsmSession | null = null;
  /** Handles of the session's keys, by label. */
  readonly #handles = new Map<string, Handle>();
  /** The PIN file that was refused, as it was then. */
  #refusedPin: string | null = null;
  #lost: { readonly at: number; readonly fault: HsmFault } | null = null;
  #isClosed = false;

  constructor(place: HsmPlace, { now = () => performance.now(), isWriter = false }: Options = {}) {
    this.#place = place;
    this.#now = now;
    this.#isWriter = isWriter;
  }

  /** The public key of a label. Throws an HsmFault. */
  publicKey(label: string, curve: Curve): Uint8Array {
    return this.use((session) => session.find(label, curve).publicKey);
  }

  /**
   * The signature after `check`, which throws an HsmFault for one of another key: another HSM may have taken the place of the former one.
   */
  sign(label: string, curve: Curve, { payload, check }: Signing): Uint8Array {
    const hadSession = this.#session !== null;
    const ask = (session: HsmSession) => check(session.sign(this.#handleOf(session, label, curve), curve, payload));
    try {
      return this.use(ask);
    } catch (error) {
      // The session may have ended while the HSM was away. No signature of the failed call was given out.
      if (!hadSession || this.#isClosed) throw error;
      this.#lost = null;
      return this.use(ask);
    }
  }

  /** Runs `ask` in the open session, or in a new one. After any error the next call opens a new one. */
  use<T>(ask: (session: HsmSession) => T): T {
    if (this.#isClosed) throw new HsmFault('The signer has closed the HSM.');
    if (this.#lost && this.#now() - this.#lost.at < LOOK_EVERY_MILLISECONDS) throw this.#lost.fault;
    try {
      this.#session ??= this.#open();
      const answer = ask(this.#session);
      this.#lost = null;
      return answer;
    } catch (error) {
      const fault = faultOf(error, this.#place.label);
      if (fault instanceof HsmFault) this.#lost = { at: this.#now(), fault };
      this.#end();
      throw fault;
    }
  }

  /** Why the last call was not answered; null when it was. */
  get trouble(): string | null {
    return this.#lost?.fault.message ?? null;
  }

  /** Ends the session; every later call throws. */
  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  #open(): HsmSession {
    const { pin, version } = readPin(this.#place.pinFile);
    if (version === this.#refusedPin) {
      throw new PinRefused(
        `The HSM "${this.#place.label}" refused the PIN: write the right one into the file of SIGNER_HSM_PIN_FILE.`,
      );
    }
    try {
      return new HsmSession({ js: loadPkcs11(), place: this.#place, pin, isWriter: this.#isWriter });
    } catch (error) {
      if (error instanceof PinRefused) this.#refusedPin = version;
      throw error;
    }
  }

  #handleOf(session: HsmSession, label: string, curve: Curve): Handle {
    const handle = this.#handles.get(label) ?? session.find(label, curve).handle;
    this.#handles.set(label, handle);
    return handle;
  }

  #end(): void {
    this.#handles.clear();
    const session = this.#session;
    this.#session = null;
    session?.close();
  }
}

/** `version` differs after the file was written again, also with the same PIN. */
function readPin(file: string): { readonly pin: string; readonly version: string } {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_PIN_BYTES)
    throw new HsmFault(`${file} is no file with a PIN: SIGNER_HSM_PIN_FILE names it.`);
  if ((found.mode & OTHERS) !== 0)
    throw new HsmFault(`Every user of this machine can read or write ${file}. Run: chmod 600 ${file}`);
  const pin = fs.readFileSync(file, 'utf8').trim();
  if (pin === '') throw new HsmFault(`${file} is empty: write the PIN of the HSM into it.`);
  return { pin, version: `${found.ino} ${found.mtimeMs} ${found.size}` };
}
