// A small seeded random generator for fuzzing: the same seed gives the same draws on every machine. Never for secrets.

/** Draws from one seed. Each is uniform unless it says otherwise. */
export class Random {
  private state: number;
  constructor(seed: number) {
    // The first draws of similar seeds would be similar; mixing separates them.
    this.state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    this.bits();
    this.bits();
  }

  /** 32 random bits as a number from 0 to 2^32 - 1 (mulberry32). */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor((this.bits() / 2 ** 32) * below);
  }

  /** True about once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  /** One element; the list must not be empty. */
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** Letters and digits. */
  text(length: number): string {
    let made = '';
    while (made.length < length) made += this.bits().toString(36);
    return made.slice(0, length);
  }
}
