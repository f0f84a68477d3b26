// The freeze switch beside the journal. A file `….freeze` freezes the signer at once. Only a ticket unfreezes it: the
// file `….unfreeze`, which the `unfreeze` command writes after a person enters the passphrase. A ticket is bound to the
// head of the journal, so it works once and never undoes a later freeze. The `take-over` command writes a ticket of its own kind.

import fs from 'node:fs';
import { macOf, sameBytes } from '@/lib/platform/crypto';
import type { Head } from './journal/record';

export type Ticket = 'unfreeze' | 'take-over';

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

  /** The kind of the ticket for this head of the journal; null without one. */
  ticketFor(head: Head): Ticket | null {
    const file = `${this.#journal}.unfreeze`;
    if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return null;
    const bytes = fs.readFileSync(file).subarray(0, 65);
    const kinds = ['unfreeze', 'take-over'] as const;
    return kinds.find((kind) => sameBytes(bytes, Buffer.from(this.#ticket(head, kind)))) ?? null;
  }

  /** Writes a ticket for a signer whose journal ends at `head`. */
  writeTicket(head: Head, kind: Ticket = 'unfreeze'): void {
    fs.writeFileSync(`${this.#journal}.unfreeze`, this.#ticket(head, kind), { mode: 0o600 });
  }

  removeTicket(): void {
    fs.rmSync(`${this.#journal}.unfreeze`, { force: true });
  }

  #ticket(head: Head, kind: Ticket): string {
    return `${macOf(this.#key, [`stabletill ${kind} 1`, head.hash]).toString('hex')}\n`;
  }
}
