// Going back to a mark restores exactly the former state, whatever has changed since.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Journal } from './journal';

type Change = { key: string; value: number | undefined };
const change = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  value: fc.option(fc.integer(), { nil: undefined }),
});
const changes = fc.array(change, { maxLength: 12 });

function opened() {
  const journal = new Journal();
  const map = journal.map<number>();
  return {
    journal,
    apply: (list: readonly Change[]) => list.forEach(({ key, value }) => map.set(key, value)),
    content: () => Object.fromEntries([...map.keys()].toSorted().map((key) => [key, map.get(key)])),
  };
}

test('rolling back restores exactly the state of the mark', () => {
  fc.assert(
    fc.property(changes, changes, changes, (before, between, after) => {
      const { journal, apply, content } = opened();
      apply(before);
      const [first, atFirst] = [journal.mark(), content()];
      apply(between);
      const [second, atSecond] = [journal.mark(), content()];
      apply(after);
      journal.rollBack(second);
      expect(content()).toEqual(atSecond);
      journal.rollBack(first);
      expect(content()).toEqual(atFirst);
    }),
  );
});

test('reading the state of a mark changes nothing, even when the reader reverts its own changes', async () => {
  await fc.assert(
    fc.asyncProperty(changes, changes, changes, async (before, after, tried) => {
      const { journal, apply, content } = opened();
      apply(before);
      const [mark, then] = [journal.mark(), content()];
      apply(after);
      const [now, end] = [content(), journal.mark()];
      const seen = await journal.rewound(mark, () => {
        const found = content();
        const own = journal.mark();
        apply(tried);
        journal.rollBack(own);
        return found;
      });
      expect([seen, content(), journal.mark()]).toEqual([then, now, end]);
      journal.rollBack(mark);
      expect(content()).toEqual(then);
    }),
  );
});

test('a discarded mark cannot be restored, and later marks can', () => {
  const { journal, apply, content } = opened();
  apply([{ key: 'a', value: 1 }]);
  const [old, mark] = [0, journal.mark()];
  apply([{ key: 'a', value: 2 }]);
  journal.forget(mark);
  expect(() => journal.rollBack(old)).toThrow('forgotten');
  journal.rollBack(mark);
  expect(content()).toEqual({ a: 1 });
});
