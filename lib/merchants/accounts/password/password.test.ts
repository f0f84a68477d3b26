import { describe, expect, test } from 'vitest';
import { hashPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD, verifyPassword } from './password';

test('a password matches its own hash and no other', async () => {
  const hash = await hashPassword('correct horse battery');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(
    await Promise.all(
      ['correct horse battery', 'correct horse batterY', 'correct horse battery ', ''].map((one) =>
        verifyPassword(hash, one),
      ),
    ),
  ).toEqual([true, false, false, false]);
});

test('two hashes of the same password differ', async () => {
  expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'));
});

test('a password typed on different keyboards is the same password', async () => {
  const hash = await hashPassword('straße-e\u0301te\u0301-Å');
  expect(await verifyPassword(hash, 'straße-\u00e9t\u00e9-A\u030a')).toBe(true);
});

describe('length:', () => {
  test.each([SHORTEST_PASSWORD, LONGEST_PASSWORD])('D-19: %i characters are taken whole', async (length) => {
    const password = `${'x'.repeat(length - 1)}y`;
    const hash = await hashPassword(password);
    expect([await verifyPassword(hash, password), await verifyPassword(hash, `${'x'.repeat(length - 1)}z`)]).toEqual([
      true,
      false,
    ]);
  });
  test.each([0, SHORTEST_PASSWORD - 1, LONGEST_PASSWORD + 1, 1_000_000])(
    'D-19: %i characters are refused, not cut',
    async (length) => {
      await expect((async () => hashPassword('x'.repeat(length)))()).rejects.toThrow(RangeError);
    },
  );
  test('a password that is far too long is refused without work', async () => {
    expect(await verifyPassword(null, 'x'.repeat(10_000_000))).toBe(false);
  });
});

test('D-14: an unknown user is refused after as much work as an existing one', async () => {
  const hash = await hashPassword('correct horse battery');
  // Processor time, because it does not depend on how busy the machine is.
  const took = async (of: string | null) => {
    const began = process.cpuUsage();
    expect(await verifyPassword(of, 'wrong horse battery')).toBe(false);
    const { user, system } = process.cpuUsage(began);
    return user + system;
  };
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
  for (let turn = 0; turn < 8; turn++) {
    times.known.push(await took(hash));
    times.unknown.push(await took(null));
  }
  const ratio = Math.min(...times.unknown) / Math.min(...times.known);
  expect(ratio).toBeGreaterThan(0.4);
  expect(ratio).toBeLessThan(2.5);
});
