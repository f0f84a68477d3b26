// The fuzzer's memory: texts of former responses and accepted requests, by field name. It lets later requests name
// sessions, orders and pages that exist.

import type { Random } from './random';

/** Per name; the oldest are dropped first, so that most remembered texts are still useful. */
const MAX = 300;
const LONGEST = 120;
/** Paid sessions: there are few, and only they can be refunded. */
const PAID = '(paid)';

export class Memory {
  private readonly known = new Map<string, string[]>();
  private readonly related = new Map<string, readonly string[]>();

  /** Stores every short text of a value, lists and objects included. */
  learn(value: unknown, name = ''): void {
    if (typeof value === 'string') this.keep(name, value);
    else if (Array.isArray(value)) for (const one of value) this.learn(one, name);
    else if (value !== null && typeof value === 'object') {
      const { id, payment_status } = value as { id?: unknown; payment_status?: unknown };
      if (payment_status === 'paid' && typeof id === 'string') this.keep(PAID, id);
      for (const [key, one] of Object.entries(value)) this.learn(one, key);
    }
  }

  private keep(name: string, text: string): void {
    if (text === '' || text.length > LONGEST) return;
    const list = this.known.get(name) ?? [];
    if (list.includes(text)) return;
    if (list.length === 0) this.related.clear();
    if (list.length >= MAX) list.shift();
    list.push(text);
    this.known.set(name, list);
  }

  /** A remembered text of this name or a similar one: `id` for `session_id`, `next_cursor` for `cursor`. */
  recall(random: Random, name: string): string | null {
    const paid = this.known.get(PAID);
    if (name === 'session_id' && paid && random.once(3)) return random.pick(paid);
    const own = this.known.get(name);
    if (own && !random.once(4)) return random.pick(own);
    const names = this.namesLike(name);
    return names.length === 0 ? null : random.pick(this.known.get(random.pick(names)) as string[]);
  }

  private namesLike(name: string): readonly string[] {
    const found =
      this.related.get(name) ??
      [...this.known.keys()].filter((one) => one !== '' && (name.includes(one) || one.includes(name)));
    this.related.set(name, found);
    return found;
  }
}
