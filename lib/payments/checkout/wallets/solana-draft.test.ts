// Who may request a Solana transfer, and how often. The transfer itself is tested in solana-transfer.test.ts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import { openSolanaDrafts } from './solana-draft';

const ACCOUNT = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const question = { sessionId: 'cs_test_11111111111111111111111111111111', account: ACCOUNT, currency: 'USDC' };
let db: TestDatabase;

beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

describe('a draft is rejected', () => {
  test.each([
    ['text that is no address', 'no-address'],
    ['nothing', ''],
    ['an address without a private key', associatedAccount(ACCOUNT, MINT)],
  ])('for %s', async (_name, account) => {
    const draft = openSolanaDrafts(testContext(db, new TestClock()));
    await expect(draft({ ...question, account, from: null })).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  test('for a session that does not exist', async () => {
    const draft = openSolanaDrafts(testContext(db, new TestClock()));
    await expect(draft({ ...question, from: null })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('for a client that sends too many requests, until its retry time, and for no other client', async () => {
    const clock = new TestClock();
    const draft = openSolanaDrafts(testContext(db, clock));
    const codes: unknown[] = [];
    const codeOf = async (from: string): Promise<unknown> =>
      draft({ ...question, from }).catch((error: unknown) => (error as { code: unknown }).code);
    for (let time = 0; time < 11; time++) codes.push(await codeOf('one'));
    expect(codes.slice(0, 10)).not.toContain('RATE_LIMITED');
    expect(codes[10]).toBe('RATE_LIMITED');
    expect(await codeOf('two')).toBe('SESSION_NOT_FOUND');
    clock.advance(1);
    expect(await codeOf('one')).toBe('SESSION_NOT_FOUND');
    // A request without a session does not use the shared limit.
    for (let caller = 0; caller < 100; caller++) expect(await codeOf(`another ${caller}`)).toBe('SESSION_NOT_FOUND');
  });
});
