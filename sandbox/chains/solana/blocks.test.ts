import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOCKHASH_LIFETIME, Blocks, FINALITY_LAG } from './blocks';

const FIRST = 447_552_000;
const make = (count: number, blocks = new Blocks(FIRST, 1000)): Blocks => {
  for (let made = 0; made < count; made++) blocks.produce(1000 + made);
  return blocks;
};

test('finality never goes back and no slot is used twice, whatever is produced, held or dropped', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ produce: fc.integer({ min: 1, max: 40 }) }) },
    fc.record({ drop: fc.integer({ min: 1, max: FINALITY_LAG }) }),
    fc.record({ hold: fc.constant(true) }),
    fc.record({ release: fc.constant(true) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const blocks = new Blocks(FIRST, 1000);
      const used = new Set([FIRST]);
      let [final, newest] = [blocks.at('finalized'), blocks.newest.slot];
      const held: (() => void)[] = [];
      for (const one of steps) {
        if ('hold' in one) held.push(blocks.hold(blocks.newest.slot));
        if ('release' in one) held.shift()?.();
        if ('drop' in one && one.drop <= blocks.droppable) {
          for (const { slot } of blocks.drop(one.drop)) expect(blocks.bySlot(slot)).toBeNull();
          blocks.produce(1000);
        }
        const count = 'produce' in one ? one.produce : 0;
        for (let made = 0; made < count; made++) {
          const { slot, parentSlot, height, previousBlockhash } = blocks.produce(1000);
          const parent = blocks.bySlot(parentSlot)!;
          expect([height, previousBlockhash]).toEqual([parent.height + 1, parent.blockhash]);
          expect(used.has(slot)).toBe(false);
          used.add(slot);
        }
        expect(blocks.newest.slot).toBeGreaterThanOrEqual(newest);
        expect(blocks.at('finalized').slot).toBeGreaterThanOrEqual(final.slot);
        expect(blocks.bySlot(final.slot)).toBe(final);
        [final, newest] = [blocks.at('finalized'), blocks.newest.slot];
      }
    }),
    { numRuns: 200 },
  );
});

test('a block is final with 32 blocks on top, and not with 31', () => {
  const blocks = make(5);
  const { slot } = blocks.newest;
  make(FINALITY_LAG - 1, blocks);
  expect(blocks.commitmentOf(slot)).toBe('confirmed');
  make(1, blocks);
  expect([blocks.commitmentOf(slot), blocks.at('finalized').slot]).toEqual(['finalized', slot]);
});

test('a held slot becomes final only when it is released', () => {
  const blocks = make(5);
  const { slot } = blocks.newest;
  const release = blocks.hold(slot);
  make(3 * FINALITY_LAG, blocks);
  expect(blocks.at('finalized').slot).toBeLessThan(slot);
  expect(blocks.drop(blocks.depthOf(slot))[0]?.slot).toBe(slot);
  release();
  make(FINALITY_LAG + 1, blocks);
  expect(blocks.at('finalized').slot).toBeGreaterThan(slot);
});

test('accepts a blockhash for 150 blocks, and not before its block has the commitment', () => {
  const blocks = make(40);
  const { blockhash } = blocks.newest;
  expect([blocks.takesBlockhash(blockhash, 'processed'), blocks.takesBlockhash(blockhash, 'finalized')]).toEqual([
    true,
    false,
  ]);
  make(BLOCKHASH_LIFETIME, blocks);
  expect(blocks.takesBlockhash(blockhash, 'finalized')).toBe(true);
  make(1, blocks);
  expect(blocks.takesBlockhash(blockhash, 'processed')).toBe(false);
});

test('one slot in sixteen is skipped, and heights count blocks', () => {
  const blocks = make(150);
  const { slot, height } = blocks.newest;
  const slots = [...blocks.slots(FIRST, slot)];
  expect([slots.length, height]).toEqual([152, 151]);
  expect(slot - FIRST - height).toBe(Math.floor((slot - FIRST) / 16));
});

test('time never goes back', () => {
  const blocks = make(1);
  blocks.produce(5000);
  expect(blocks.produce(4000).time).toBe(5000);
});
