// Maps whose changes can be reverted. All state of the local TRON chain is in such maps, so a failed call, a dry run and a reorg
// are the same operation: a rollback to a mark. A mark costs nothing; a rollback costs as much as the changes.

type Change = {
  readonly map: Map<string, unknown>;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
};

/** A position in the history of changes. */
export type Mark = number;

export class Journal {
  #changes: Change[] = [];
  /** The number of discarded changes before the first one kept. */
  #forgotten = 0;

  /** A new map of this journal. Its values must not be changed in place; setting `undefined` removes a key. */
  map<V>(): JournaledMap<V> {
    const values = new Map<string, unknown>();
    return {
      get: (key) => values.get(key) as V | undefined,
      set: (key, after) => {
        this.#changes.push({ map: values, key, before: values.get(key), after });
        put(values, key, after);
      },
      keys: () => values.keys(),
    };
  }

  mark(): Mark {
    return this.#forgotten + this.#changes.length;
  }

  /** Reverts every change since the mark. Throws when the mark was discarded. */
  rollBack(mark: Mark): void {
    for (const { map, key, before } of this.#cut(mark).toReversed()) put(map, key, before);
  }

  /** Runs work in the state of the mark and restores the current one. The work must revert its own changes. */
  async rewound<T>(mark: Mark, work: () => T | Promise<T>): Promise<T> {
    const later = this.#cut(mark);
    for (const { map, key, before } of later.toReversed()) put(map, key, before);
    try {
      return await work();
    } finally {
      this.rollBack(mark);
      for (const change of later) put(change.map, change.key, change.after);
      this.#changes.push(...later);
    }
  }

  /** Discards the ability to roll back beyond the mark. */
  forget(mark: Mark): void {
    const count = mark - this.#forgotten;
    if (count <= 0) return;
    this.#changes = this.#changes.slice(count);
    this.#forgotten = mark;
  }

  #cut(mark: Mark): Change[] {
    const from = mark - this.#forgotten;
    if (from < 0) throw new Error('the state of this mark was forgotten');
    return this.#changes.splice(from);
  }
}

export type JournaledMap<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V | undefined): void;
  keys(): IterableIterator<string>;
};

function put(map: Map<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
