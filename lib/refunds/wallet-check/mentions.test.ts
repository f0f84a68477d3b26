// Transactions of others that mention the refund wallet are remembered for each endpoint, until no comparison lists them any more.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testContext } from '@/testing/fixtures';
import { BEHIND_SECONDS } from './known';
import { clearMentions, storedMentions } from './mentions';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

test('a mention is known to its endpoint alone, once however often it is added, and is deleted with its time', async () => {
  const clock = new TestClock();
  const time = Math.floor(clock.now().getTime() / 1000);
  const chain = { context: testContext(db, clock), chainId: await makeChain(db, 'solana', time) };
  const mentions = storedMentions(chain);
  const found = [
    { hash: 'old', time: time - 10 },
    { hash: 'new', time },
  ];
  await mentions.add('one', found);
  await mentions.add('one', found);
  expect(await mentions.among('one', ['old', 'new', 'other'])).toEqual(new Set(['old', 'new']));
  expect(await mentions.among('two', ['old', 'new'])).toEqual(new Set());
  await clearMentions(chain, new Date((time + BEHIND_SECONDS) * 1000));
  expect(await mentions.among('one', ['old', 'new'])).toEqual(new Set(['new']));
});
