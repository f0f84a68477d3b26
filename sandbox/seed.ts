// The demo accounts: an operator and two merchants, each with an approved store, a test key and a webhook endpoint that leads to
// the sandbox's receiver. Existing ones are used again; a lost secret is replaced by a new one.

import { createUser, normalEmail } from '@/lib/merchants/accounts/users';
import { hashPassword, verifyPassword } from '@/lib/merchants/accounts/password/password';
import { openPrisma } from '@/lib/platform/database/prisma';
import { randomText } from '@/lib/platform/ids';
import type { UserRole } from '@/prisma/generated/enums';
import type { PrismaClient } from '@/prisma/generated/client';
import { seedBranding } from './demo-branding';
import { demoFile, readDemoAccounts, type DemoAccounts, type Login } from './demo-accounts';
import { writePrivately } from './private-file';
import { seedStore, type SeedContext } from './seed-store';

const OPERATOR = 'operator@stabletill.example';
const MERCHANTS = [
  { email: 'mira@bluemug.example', store: 'Blue Mug Shop', hasBranding: false },
  { email: 'noor@teahouse.example', store: 'Noor Tea House', hasBranding: true },
] as const;
/** 20 letters and digits carry 119 bits; short enough to copy from a terminal. */
const PASSWORD_LENGTH = 20;

/**
 * Creates or completes the demo accounts and stores their credentials in the data directory for the next start. A repeat changes
 * nothing; after a crash it finishes the interrupted work.
 */
export async function seedDemo(context: SeedContext, dataDirectory: string): Promise<DemoAccounts> {
  const kept = readDemoAccounts(dataDirectory);
  const prisma = await openPrisma(context.pool);
  const people = { context, prisma, kept };
  const operator = await seedUser(people, OPERATOR, 'operator');
  const merchants: Login[] = [];
  const stores: DemoAccounts['stores'] = [];
  for (const { email, store: name, hasBranding } of MERCHANTS) {
    const { id: ownerId, ...login } = await seedUser(people, email, 'merchant');
    merchants.push(login);
    const before = kept?.stores.find(({ merchant_email }) => merchant_email === login.email) ?? null;
    const store = await seedStore({ context, prisma, kept: before }, { ownerId, email: login.email, name });
    if (hasBranding) await seedBranding(context, store.id);
    stores.push(store);
  }
  const accounts = { operator: { email: operator.email, password: operator.password }, merchants, stores };
  writePrivately(demoFile(dataDirectory), accounts);
  return accounts;
}

type People = { context: SeedContext; prisma: PrismaClient; kept: DemoAccounts | null };

async function seedUser(
  { context, prisma, kept }: People,
  address: string,
  role: UserRole,
): Promise<Login & { id: string }> {
  const email = normalEmail(address);
  if (email === null) throw new Error(`${address} is no e-mail address`);
  const known = [kept?.operator, ...(kept?.merchants ?? [])].find((login) => login?.email === email)?.password;
  const password = known ?? randomText(PASSWORD_LENGTH);
  const user = await prisma.user.findUnique({ where: { email } });
  if (!user) return { id: (await createUser(context, { email, password, role })).id, email, password };
  if (!(await verifyPassword(user.passwordHash, password))) {
    await prisma.user.update({ where: { id: user.id }, data: { passwordHash: await hashPassword(password) } });
  }
  return { id: user.id, email, password };
}
