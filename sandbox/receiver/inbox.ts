// The deliveries of the webhook receiver, newest kept: at least the last 5,000, more while they are small.

export type Received = {
  /** Order of arrival. */
  readonly seq: number;
  readonly storeId: string;
  /** Unix milliseconds at which the request had arrived completely. */
  readonly receivedAt: number;
  readonly method: string;
  readonly path: string;
  /** Lower-case names; a repeated header's values are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The status sent back; null while there is none. */
  answered: number | null;
};

/** The documented minimum. */
const ALWAYS_KEPT = 5000;
const MAX_KEPT = 20_000;
/** Above this size only the documented number is kept. */
const COMFORTABLE_BYTES = 64 * 1024 * 1024;

export class Inbox {
  #entries: Received[] = [];
  #bytes = 0;
  #last = 0;

  add(delivery: Omit<Received, 'seq' | 'answered'>): Received {
    const entry: Received = { ...delivery, seq: ++this.#last, answered: null };
    this.#entries.push(entry);
    this.#bytes += entry.body.length;
    while (this.#entries.length > MAX_KEPT || (this.#entries.length > ALWAYS_KEPT && this.#bytes > COMFORTABLE_BYTES)) {
      this.#bytes -= this.#entries.shift()?.body.length ?? 0;
    }
    return entry;
  }

  /** Deliveries whose raw body contains the text and that arrived at the store's address (null for any), oldest first. */
  find(wanted: { contains: string | null; storeId: string | null }): readonly Received[] {
    const text = wanted.contains === null ? null : Buffer.from(wanted.contains, 'utf8');
    return this.#entries.filter(
      ({ storeId, body }) =>
        (wanted.storeId === null || wanted.storeId === storeId) && (text === null || body.includes(text)),
    );
  }
}
