// Recovery codes: ten, shown once, each valid once in place of an authenticator. They carry 119 bits each, so a plain digest
// protects them (ASVS 6.5.2 requires 112). Attempts are throttled as well. Ten-character codes of former versions still work.

import { sha256 } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { randomText } from '@/lib/platform/ids';

const COUNT = 10;
/** Four groups of five letters and digits, written with dashes. */
const [GROUPS, GROUP_LENGTH] = [4, 5];

/** Replaces a user's codes. Returns the new ones, which cannot be read again. */
export async function makeRecoveryCodes(db: Db, userId: string): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode);
  const { recoveryCode } = await prismaOn(db);
  await recoveryCode.deleteMany({ where: { userId } });
  const data = codes.map((code) => ({ userId, codeHash: new Uint8Array(hashOf(userId, code)) }));
  await recoveryCode.createMany({ data });
  return codes;
}

const newCode = (): string => Array.from({ length: GROUPS }, () => randomText(GROUP_LENGTH)).join('-');

/** Uses up a code. Of two requests with the same code, the database lets one pass. */
export async function spendRecoveryCode(db: Db, of: { userId: string; code: string; now: Date }): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL',
    [of.userId, hashOf(of.userId, of.code), of.now],
  );
  return rowCount === 1;
}

/** How many are left. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  return (await prismaOn(db)).recoveryCode.count({ where: { userId, usedAt: null } });
}

/** Bound to the user; dashes and spaces do not matter. */
const hashOf = (userId: string, code: string): Buffer => sha256(`${userId} ${code.replaceAll(/[\s-]/g, '')}`);
