// The freeze switch beside the journal. A file `….freeze` freezes the signer at once. Only a ticket unfreezes it: the
// file `….unfreeze`, which the `unfreeze` command writes after a person enters the passphrase. A ticket is bound to the
// head of the journal, so it works once and never undoes a later freeze.

import fs from 'node:fs';
import { macOf, sameBytes } from '@/lib/platform/crypto';
import type { Head } from './journal/record';

export class FreezeFiles {
  readonly #journal: string;
  readonly #key: Uint8Array;

  constructor(journalFile: string, key: Uint8Array) {
    this.#journal = journalFile;
    this.#key = key;
  }

  /** Whether the switch file exists. Throws when that cannot be determined. */
  isSwitched(): boolean {
    return fs.statSync(`${this.#journal}.freeze`, { throwIfNoEntry: false }) !== undefined;
  }

  /** Whether there is a ticket for this head of the journal. */
  hasTicket(head: Head): boolean {
    const file = `${this.#journal}.unfreeze`;
    if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    return sameBytes(fs.readFileSync(file).subarray(0, 65), Buffer.from(this.#ticket(head)));
  }

  /** Writes a ticket for a signer whose journal ends at `head`. */
  writeTicket(head: Head): void {
    fs.writeFileSync(`${this.#journal}.unfreeze`, this.#ticket(head), { mode: 0o600 });
  }

  removeTicket(): void {
    fs.rmSync(`${this.#journal}.unfreeze`, { force: true });
  }

  #ticket(head: Head): string {
    return `${macOf(this.#key, ['stabletill unfreeze 1', head.hash]).toString('hex')}\n`;
  }
}
