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
 * A module can take seconds to find that its device is gone, and the signer answers no other call meanwhile. So after a failed attempt it
 * waits at least this long, and ten times as long as the attempt took.
 */
const PAUSE_MILLISECONDS = 2000;
const PAUSE_FACTOR = 10;
const pauseAfter = (took: number): number => Math.max(PAUSE_MILLISECONDS, took * PAUSE_FACTOR);

type Options = {
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** The milliseconds without an attempt after one that failed and took so long. */
  readonly pauseAfter?: (took: number) => number;
  /** Whether it makes keys. */
  readonly isWriter?: boolean;
};

type Signing = { readonly payload: Uint8Array; readonly check: (signature: Uint8Array) => Uint8Array };

export class Hsm {
  readonly #place: HsmPlace;
  readonly #now: () => number;
  readonly #pauseAfter: (took: number) => number;
  readonly #isWriter: boolean;
  #session: HsmSession | null = null;
  /** Handles of the session's keys, by label. */
  readonly #handles = new Map<string, Handle>();
  #lost: { readonly took: number; readonly until: number; readonly fault: HsmFault } | null = null;
  #isClosed = false;

  constructor(place: HsmPlace, options: Options = {}) {
    this.#place = place;
    this.#now = options.now ?? (() => performance.now());
    this.#pauseAfter = options.pauseAfter ?? pauseAfter;
    this.#isWriter = options.isWriter ?? false;
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
      // The session may have ended while the HSM was away, which a module reports at once. No signature of the failed call was given out.
      const wasSlow = this.#lost !== null && this.#lost.took >= PAUSE_MILLISECONDS;
      if (!hadSession || this.#isClosed || wasSlow) throw error;
      this.#lost = null;
      return this.use(ask);
    }
  }

  /** Runs `ask` in the open session, or in a new one. After any error the next call opens a new one. */
  use<T>(ask: (session: HsmSession) => T): T {
    if (this.#isClosed) throw new HsmFault('The signer has closed the HSM.');
    const begun = this.#now();
    if (this.#lost && begun < this.#lost.until) throw this.#lost.fault;
    try {
      this.#session ??= this.#open();
      const answer = ask(this.#session);
      this.#lost = null;
      return answer;
    } catch (error) {
      const fault = faultOf(error, this.#place.label);
      if (fault instanceof HsmFault) {
        const [now, took] = [this.#now(), this.#now() - begun];
        this.#lost = { took, until: now + this.#pauseAfter(took), fault };
      }
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
    if (version === this.#refusedPin()) {
      throw new PinRefused(
        `The HSM "${this.#place.label}" refused the PIN: write the right one into the file of SIGNER_HSM_PIN_FILE.`,
      );
    }
    try {
      return new HsmSession({ js: loadPkcs11(), place: this.#place, pin, isWriter: this.#isWriter });
    } catch (error) {
      // On the disk, because the next start of the signer must not offer it either.
      if (error instanceof PinRefused) fs.writeFileSync(this.#place.refusedPinFile, version);
      throw error;
    }
  }

  /** The version of the PIN file that was refused; null when none was. */
  #refusedPin(): string | null {
    const { refusedPinFile: file } = this.#place;
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
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
    throw new HsmFault(`${file} is not a file with a PIN: correct SIGNER_HSM_PIN_FILE.`);
  if ((found.mode & OTHERS) !== 0)
    throw new HsmFault(`Every user of this machine can read or write ${file}. Run: chmod 600 ${file}`);
  const pin = fs.readFileSync(file, 'utf8').trim();
  if (pin === '') throw new HsmFault(`${file} is empty: write the PIN of the HSM into it.`);
  return { pin, version: `${found.ino} ${found.mtimeMs} ${found.size}` };
}
