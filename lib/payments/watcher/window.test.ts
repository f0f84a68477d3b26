import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grow, LARGEST_WINDOW, nextWindow, rereadSpan, shrink, startSizing, type WindowSizing } from './window';

/** Simulates a provider that accepts at most `limit` blocks, for `calls` calls far behind the head. */
function play(limit: number, calls: number): { refused: number; read: number; sizing: WindowSizing } {
  let sizing = startSizing;
  let [refused, read] = [0, 0];
  for (let call = 0; call < calls; call++) {
    if (sizing.size > limit) {
      refused += 1;
      sizing = shrink(sizing, sizing.size);
    } else {
      read += sizing.size;
      sizing = grow(sizing, sizing.size);
    }
  }
  return { refused, read, sizing };
}

describe('window sizes', () => {
  it('stay within their bounds after any sequence of results', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 5000 })), { maxLength: 300 }), (events) => {
        let sizing = startSizing;
        for (const [refused, blocks] of events) {
          const requested = Math.min(blocks, sizing.size);
          const next = refused ? shrink(sizing, requested) : grow(sizing, requested);
          expect(next.size).toBeGreaterThanOrEqual(1);
          expect(next.size).toBeLessThanOrEqual(LARGEST_WINDOW);
          if (refused && requested > 1) expect(next.size).toBeLessThan(requested);
          if (!refused) expect(next.size).toBeGreaterThanOrEqual(sizing.size);
          sizing = next;
        }
      }),
    );
  });

  it('find any fixed limit in a few calls and lose almost nothing to it afterwards', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (limit) => {
        const { refused, read, sizing } = play(limit, 1000);
        expect(refused).toBeLessThan(60);
        expect(sizing.size).toBeGreaterThanOrEqual(Math.max(1, Math.floor(Math.min(limit, LARGEST_WINDOW) / 4)));
        expect(read).toBeGreaterThan(1000 * Math.min(limit, LARGEST_WINDOW) * 0.4);
      }),
    );
  });

  it('adapt to a raised limit', () => {
    let { sizing } = play(5, 200);
    for (let call = 0; call < 200; call++) sizing = grow(sizing, sizing.size);
    expect(sizing.size).toBe(LARGEST_WINDOW);
  });

  it('do not grow after windows smaller than the size', () => {
    expect(grow(startSizing, 1)).toBe(startSizing);
  });
});

describe('windows', () => {
  it('cover a span without gap or overlap, and end with it', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(3000), fc.integer({ min: 1, max: LARGEST_WINDOW }), (start, length, size) => {
        const last = start + length;
        let after = start;
        for (let turns = 0; ; turns++) {
          const window = nextWindow({ ...startSizing, size }, { after, last });
          if (!window) break;
          expect(window.from).toBe(after + 1);
          expect(window.to).toBeLessThanOrEqual(last);
          expect(window.to - window.from + 1).toBeLessThanOrEqual(size);
          after = window.to;
          expect(turns).toBeLessThan(length + 1);
        }
        expect(after).toBe(last);
      }),
    );
  });

  it('do not exist when the cursor is at the head or above a lagging one', () => {
    expect(nextWindow(startSizing, { after: 10, last: 10 })).toBeNull();
    expect(nextWindow(startSizing, { after: 10, last: 7 })).toBeNull();
  });
});

describe('the second reading', () => {
  it('covers every recent block once, at least 16 blocks later, in ranges that the provider accepts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 30, maxLength: 60 }),
        (size, steps) => {
          const sizing = { ...startSizing, size };
          const again: number[] = [];
          let after = 1000;
          for (const step of steps) {
            const window = { from: after + 1, to: after + Math.min(step, size) };
            after = window.to;
            const span = rereadSpan(sizing, window, window.to);
            if (!span) continue;
            expect(span.to).toBeLessThanOrEqual(window.to - 16);
            expect(span.to - span.from + 1).toBeLessThanOrEqual(size);
            for (let block = span.from; block <= span.to; block++) again.push(block);
          }
          // A window of more than a group may leave out blocks that were 16 blocks deep when they were first read.
          if (Math.max(...steps) <= Math.min(32, size)) {
            const [first = 0, last = 0] = [again[0], again.at(-1)];
            expect(again).toEqual(Array.from({ length: last - first + 1 }, (_, n) => first + n));
            expect(after - last).toBeLessThan(80);
          }
        },
      ),
    );
  });

  it('is skipped when all nodes already have the blocks', () => {
    expect(rereadSpan(startSizing, { from: 1000, to: 1015 }, 1031)).toBeNull();
    expect(rereadSpan(startSizing, { from: 1020, to: 1025 }, 1030)).toEqual({ from: 976, to: 1007 });
  });
});
