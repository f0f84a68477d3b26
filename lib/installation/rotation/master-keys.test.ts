// The rotation of MASTER_KEYS as a drill: two processes with different rings write and read every kind of sealed row side by side.

import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTotp, sealTotp } from '@/lib/merchants/accounts/second-factor/totp';
import { createApiKey } from '@/lib/merchants/api-keys/keys';
import { openKeyFinder } from '@/lib/merchants/api-keys/verify-key';
import { recordAudit } from '@/lib/merchants/audit/record';
import { verifyAudit } from '@/lib/merchants/audit/verify';
import { mailBody, queueCustomerMail } from '@/lib/merchants/mail/queue';
import { createStore } from '@/lib/merchants/stores/create';
import { rotateWebhookSecret, setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { keyFindings } from '@/lib/installation/doctor/keys';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { openSecret, sha256 } from '@/lib/platform/crypto';
import { transaction } from '@/lib/platform/database/db';
import { openClaim } from '@/lib/refunds/customer-address/claim-links';
import { claimPurpose } from '@/lib/refunds/view';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/destined-refund';
import { runRotate } from './command';
import { auditEntryOf, readKeyUse } from './master-keys';
import { countAudit, countSealed, reseal } from './reseal';
import { SEALED_COLUMNS } from './sealed-columns';

const [ONE, TWO] = [1, 2].map(() => randomBytes(32).toString('base64')) as [string, string];
const RINGS = {
  before: `1:${ONE}`,
  known: `1:${ONE},2:${TWO}:opens`,
  used: `1:${ONE},2:${TWO}`,
} as const;

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene(db);
  await db.pool.query('DELETE FROM api_keys');
});
afterAll(() => db.close());

/** A process with these keys. */
const processWith = (ring: string): Context => ({ ...scene.context, config: testConfig({ MASTER_KEYS: ring }) });
const lookup = async () => [{ address: '93.184.216.34', family: 4 as const }];

/** A reader of one sealed row: whether this process reads what was written. */
type Readable = (context: Context) => Promise<boolean>;

/** Writes one row of every kind, as the service does, and returns their readers. */
async function writeAll(context: Context): Promise<readonly Readable[]> {
  const user = await db.prisma.user.create({ data: { email: `${randomUUID()}@example.com`, role: 'merchant' } });
  const { id: storeId } = await createStore(context, { ownerId: user.id, name: 'Shop' });
  const of = { storeId, environment: 'test' } as const;
  const key = await createApiKey(context, { ...of, name: 'Server', scopes: ['sessions:read'] });
  const { secret: former } = await setWebhookEndpoint(
    { ...context, lookup },
    { ...of, url: 'https://shop.example.com/' },
  );
  const { secret } = (await rotateWebhookSecret(context, of)) ?? {};
  const totp = new Uint8Array(sealTotp(context, user.id, 'JBSWY3DPEHPK3PXP'));
  await db.prisma.user.update({ where: { id: user.id }, data: { totpCiphertext: totp } });
  const refund = await scene.refund(await scene.session());
  await openClaim(context, refund.id);
  const mail = { to: `${storeId}@example.com`, subject: 'Receipt', body: 'text', now: context.clock.now() };
  await queueCustomerMail(db.pool, context, mail);
  return [
    async (by) => (await openKeyFinder(by)(key.apiKey))?.secret === key.apiSecret,
    async ({ config: { MASTER_KEYS: keys } }) => {
      const row = await db.prisma.webhookEndpoint.findFirstOrThrow({ where: of });
      const open = (sealed: Uint8Array) => openSecret(keys, sealed, webhookSecretPurpose(storeId, 'test'));
      return open(row.secretCiphertext) === secret && open(row.previousSecretCiphertext!) === former;
    },
    async (by) => {
      const { totpCiphertext } = await db.prisma.user.findUniqueOrThrow({ where: { id: user.id } });
      return openTotp(by, user.id, totpCiphertext!) === 'JBSWY3DPEHPK3PXP';
    },
    async ({ config: { MASTER_KEYS: keys } }) => {
      const { claimHash, claimCiphertext } = await scene.row(refund.id);
      return sha256(openSecret(keys, claimCiphertext!, claimPurpose(refund.id))).equals(claimHash!);
    },
    async (by) => mailBody(by, await db.prisma.mail.findFirstOrThrow({ where: { recipient: mail.to } })) === 'text',
  ];
}

/** The number of readers that failed. */
async function unreadable(context: Context, rows: readonly Readable[]): Promise<number> {
  const read = await Promise.all(rows.map((one) => one(context).catch(() => false)));
  return read.filter((isRead) => !isRead).length;
}

async function rotate(ring: string, ...words: string[]) {
  const printed: string[] = [];
  const environment = { DATABASE_URL: db.url, MASTER_KEYS: ring };
  const code = await runRotate(words, { environment, print: (line) => void printed.push(line) });
  return { code, printed: printed.join('\n') };
}

const truncate = () =>
  db.pool
    .query(`UPDATE users SET totp_ciphertext = NULL; DELETE FROM mails; DELETE FROM webhook_endpoints; DELETE FROM api_keys;
    UPDATE refunds SET claim_hash = NULL, claim_ciphertext = NULL, claim_expires_at = NULL`);

test('every process reads every row at each step of a rotation, and the former key may go at its end', async () => {
  const written: Readable[] = [];
  const steps: [former: string, next: string][] = [
    [RINGS.before, RINGS.known],
    [RINGS.known, RINGS.known],
    [RINGS.known, RINGS.used],
    [RINGS.used, RINGS.used],
  ];
  for (const [former, next] of steps) {
    const processes = [processWith(former), processWith(next)] as const;
    for (const one of processes) written.push(...(await writeAll(one)));
    for (const one of processes) expect(await unreadable(one, written)).toBe(0);
  }
  expect(await rotate(RINGS.used, 'master-keys', '--check')).toMatchObject({ code: 1 });

  // Two runs side by side, while processes of both steps write and read.
  const [slow, fast] = [processWith(RINGS.known), processWith(RINGS.used)];
  const [runs, more, ...unread] = await Promise.all([
    Promise.all([rotate(RINGS.used, 'master-keys'), rotate(RINGS.used, 'master-keys')]),
    Promise.all([writeAll(slow), writeAll(fast), writeAll(slow)]),
    unreadable(slow, written),
    unreadable(fast, written),
  ]);
  written.push(...more.flat());
  expect(unread).toEqual([0, 0]);
  for (const { printed } of runs) expect(printed).not.toContain('FAILED');
  expect(await unreadable(slow, written)).toBe(0);

  expect(await rotate(RINGS.used, 'master-keys')).toMatchObject({ code: 0 });
  expect(await rotate(RINGS.used, 'master-keys', '--check')).toMatchObject({ code: 0 });
  const after = processWith(`2:${TWO}`);
  expect(await unreadable(after, written)).toBe(0);
  await truncate();
});

test('a process that does not know the new key cannot read what it seals, which is why it is known first', async () => {
  const rows = await writeAll(processWith(RINGS.used));
  expect(await unreadable(processWith(RINGS.before), rows)).toBe(rows.length);
  expect(await unreadable(processWith(RINGS.known), rows)).toBe(0);
  await truncate();
});

test('going back puts every row under the former key again', async () => {
  const rows = await writeAll(processWith(RINGS.used));
  expect(await rotate(RINGS.known, 'master-keys')).toMatchObject({ code: 0 });
  expect(await unreadable(processWith(RINGS.before), rows)).toBe(0);
  await truncate();
});

test('one bad row is named, fails the command and does not stop the others', async () => {
  const rows = await writeAll(processWith(RINGS.before));
  await db.prisma.mail.create({
    data: { recipient: 'bad@example.com', subject: 's', body: 'AAEBAQ==', createdAt: new Date(), nextAt: new Date() },
  });
  await db.prisma.mail.create({
    data: { recipient: 'short@example.com', subject: 's', body: '?', createdAt: new Date(), nextAt: new Date() },
  });
  const { code, printed } = await rotate(RINGS.used, 'master-keys', '--json');
  const report = JSON.parse(printed);
  const ids = (await db.prisma.mail.findMany({ where: { subject: 's' }, orderBy: { id: 'asc' } })).map(({ id }) => id);
  expect(code).toBe(1);
  expect(report).toMatchObject({
    seals: 2,
    resealed: 6,
    remaining: 2,
    missing_versions: [0],
    unused_versions: [],
    failed: [
      { table: 'mails', column: 'body', id: String(ids[0]), reason: expect.stringContaining('does not open') },
      { table: 'mails', column: 'body', id: String(ids[1]), reason: expect.stringContaining('damaged') },
    ],
  });
  expect(await unreadable(processWith(`2:${TWO}`), rows)).toBe(0);
  await truncate();
});

test('a row under a version that the ring lacks is reported, and kept', async () => {
  const rows = await writeAll(processWith(RINGS.before));
  const { code, printed } = await rotate(`2:${TWO}`, 'master-keys');
  expect(code).toBe(1);
  expect(printed).toContain('MISSING  Version 1 is needed and MASTER_KEYS lacks it: put its entry back.');
  expect(printed).toContain('MASTER_KEYS lacks version 1, which it is sealed under');
  for (const key of [ONE, TWO]) expect(printed).not.toContain(key);
  expect(await unreadable(processWith(RINGS.used), rows)).toBe(0);
  await truncate();
});

test('mails under a lost key are named and given up on only by the option, and the run then ends with 0', async () => {
  const mailTo = (ring: string, to: string) =>
    queueCustomerMail(db.pool, processWith(ring), { to, subject: 'Receipt', body: 'text', now: new Date() });
  const lost = await mailTo(RINGS.before, 'lost@example.com').then(() => db.prisma.mail.findFirstOrThrow());
  await mailTo(`2:${TWO}`, 'kept@example.com');
  const refused = await rotate(`2:${TWO}`, 'master-keys');
  expect(refused.code).toBe(1);
  expect(refused.printed).toContain(`FAILED  mails.body of ${lost.id}: MASTER_KEYS lacks version 1`);
  expect(refused.printed).toContain(
    'Mails under version 1 that are not sent: 1. If the key is lost, "--give-up-mails 1" removes them.',
  );

  await expect(rotate(RINGS.used, 'master-keys', '--give-up-mails', '1')).rejects.toThrow('MASTER_KEYS has version 1');
  expect((await rotate(`2:${TWO}`, 'master-keys', '--check', '--give-up-mails', '1')).code).toBe(2);
  expect((await rotate(`2:${TWO}`, 'master-keys', '--give-up-mails')).code).toBe(2);
  expect(await db.prisma.mail.count()).toBe(2);

  const done = await rotate(`2:${TWO}`, 'master-keys', '--give-up-mails', '1');
  expect(done.printed).toContain(`GIVEN UP  mail ${lost.id} to lost@example.com, "Receipt"`);
  expect(done.code).toBe(0);
  expect((await db.prisma.mail.findMany()).map(({ recipient }) => recipient)).toEqual(['kept@example.com']);
  const { action, target, details } = await db.prisma.auditEntry.findFirstOrThrow({ orderBy: { number: 'desc' } });
  expect({ action, target, details }).toEqual({
    action: 'mail.give_up',
    target: 'master_key/1',
    details: { mails: 1 },
  });
  await truncate();
});

test('a row that changes while it is re-sealed keeps the change', async () => {
  const mail = { to: 'a@example.com', subject: 's', body: 'text', now: new Date() };
  await queueCustomerMail(db.pool, processWith(RINGS.before), mail);
  const racing = Object.create(db.pool) as typeof db.pool;
  const query = db.pool.query.bind(db.pool) as (text: string, values?: unknown[]) => Promise<unknown>;
  // The worker sends the mail between the read and the write.
  racing.query = (async (text: string, values?: unknown[]) => {
    if (text.startsWith('UPDATE mails')) await query(`UPDATE mails SET body = ''`);
    return query(text, values);
  }) as typeof db.pool.query;
  expect(await reseal(racing, processWith(RINGS.used).config.MASTER_KEYS)).toEqual({ resealed: 0, failed: [] });
  expect((await db.prisma.mail.findFirstOrThrow()).body).toBe('');
  await truncate();
});

test('an audit key verifies the entries of its former version, and no entry is lost', async () => {
  const keys = (ring: string) => processWith(ring).config.MASTER_KEYS;
  const entry = { actor: 'system', storeId: null, action: 'a.b', target: 't', address: '', now: new Date() };
  // The process records under its own MASTER_KEYS.
  const own = readConfig({ ...process.env }).MASTER_KEYS;
  await transaction(db.pool, (tx) => recordAudit(tx, entry));
  const ring = `1:${own.get(1)!.toString('base64')}`;
  const { unused, auditEntries } = await readKeyUse(db.pool, keys(`${ring},2:${TWO}`));
  expect(unused).toEqual([{ version: 1, isInAudit: true, isNext: false }]);
  expect(auditEntries.get(1)).toBeGreaterThan(0);

  const { code, printed: retired } = await rotate(`${ring},2:${TWO}`, 'audit-key', '1');
  expect([code, retired]).toEqual([0, auditEntryOf(own, 1)]);
  expect(retired).not.toContain(ring.slice(2));
  expect((await verifyAudit(db.pool, [], keys(`2:${TWO}`))).broken).not.toBeNull();
  expect((await verifyAudit(db.pool, [], keys(`2:${TWO},${retired}`))).broken).toBeNull();
  expect((await verifyAudit(db.pool, [], keys(`2:${TWO},1:${ONE}:audit`))).broken).not.toBeNull();
  expect(await readKeyUse(db.pool, keys(`2:${TWO}`))).toMatchObject({ missing: [], missingInAudit: [1] });
  expect(await readKeyUse(db.pool, keys(`2:${TWO},${retired}`))).toMatchObject({ missing: [], missingInAudit: [] });
  // Where the former key is lost for ever.
  const lost = await rotate(`2:${TWO}`, 'master-keys', '--check');
  expect(lost.code).toBe(0);
  expect(lost.printed).toContain('WARNING  The audit log has entries under version 1');
  await expect(rotate(`2:${TWO}`, 'audit-key', '1')).rejects.toThrow('no version 1');
});

test('after going back, the version that was not taken up is named as unused', async () => {
  const { printed } = await rotate(RINGS.known, 'master-keys', '--check');
  expect(printed).toContain(
    'Version 2 does not seal, and seals no row: use it next, or after going back remove its entry.',
  );
});

test('counts the entries of the audit log page by page, and the doctor warns where it cannot', async () => {
  const { rows } = await db.pool.query('SELECT count(*)::int AS entries FROM audit_entries WHERE key_version = 1');
  expect(await countAudit(db.pool, 1)).toEqual(new Map([[1, rows[0].entries]]));
  const slow = Object.create(db.pool) as typeof db.pool;
  const query = db.pool.query.bind(db.pool) as (text: string, values?: unknown[]) => Promise<unknown>;
  slow.query = (async (text: string, values?: unknown[]) => {
    if (text.includes('audit_entries')) throw new Error('canceling statement due to statement timeout');
    return query(text, values);
  }) as typeof db.pool.query;
  expect(await keyFindings(slow, processWith(RINGS.before).config.MASTER_KEYS)).toMatchObject([
    { state: 'warn', message: expect.stringContaining('statement timeout') },
  ]);
});

test('counts sealed rows in pages that PostgreSQL groups by version, without reading a secret', async () => {
  await db.pool.query(`INSERT INTO mails (recipient, subject, body, created_at, next_at)
    SELECT 'a@example.com', 's', body, now(), now() FROM unnest('{AAEBAQ==,AAIBAQ==,AAI=,AAI,"",?,AA==,????}'::text[]) body`);
  const counting = Object.create(db.pool) as typeof db.pool;
  const read: Record<string, unknown>[] = [];
  const query = db.pool.query.bind(db.pool) as (text: string, values?: unknown[]) => Promise<{ rows: [] }>;
  counting.query = (async (text: string, values?: unknown[]) => {
    const result = await query(text, values);
    read.push(...result.rows);
    return result;
  }) as typeof db.pool.query;
  const mails = async (page?: number) =>
    (await countSealed(counting, page)).find(({ table }) => table === 'mails')?.rows;
  const expected = new Map([
    [0, 3],
    [1, 1],
    [2, 3],
  ]);
  expect(await mails()).toEqual(expected);
  expect(await mails(2)).toEqual(expected);
  expect(new Set(read.flatMap((row) => Object.keys(row)))).toEqual(new Set(['version', 'rows', 'last']));
  await truncate();
});

test('a webhook secret is replaced once a day, with an entry in the audit log', async () => {
  const context = processWith(RINGS.before);
  const of = { storeId: scene.storeId, environment: 'test' } as const;
  const { secret: former } = await setWebhookEndpoint(
    { ...context, lookup },
    { ...of, url: 'https://shop.example.com/' },
  );
  const { code, printed } = await rotate(RINGS.before, 'webhook-secret', scene.storeId, 'test');
  const row = await db.prisma.webhookEndpoint.findFirstOrThrow({ where: of });
  const open = (sealed: Uint8Array) =>
    openSecret(context.config.MASTER_KEYS, sealed, webhookSecretPurpose(scene.storeId, 'test'));
  expect([code, printed, former]).toEqual([0, open(row.secretCiphertext), open(row.previousSecretCiphertext!)]);
  const { action, storeId, actor } = await db.prisma.auditEntry.findFirstOrThrow({ orderBy: { number: 'desc' } });
  expect({ action, storeId, actor }).toEqual({ action: 'webhook.rotate', storeId: scene.storeId, actor: 'system' });
  await expect(rotate(RINGS.before, 'webhook-secret', scene.storeId, 'test')).rejects.toThrow(
    'The former secret signs until',
  );
  await expect(rotate(RINGS.before, 'webhook-secret', scene.storeId, 'live')).rejects.toThrow(
    'has no webhook endpoint',
  );
  await truncate();
});

test('wrong words are wrong usage', async () => {
  for (const words of [
    [],
    ['master-keys', '--force'],
    ['audit-key'],
    ['audit-key', '0'],
    ['seed'],
    ['webhook-secret', 'st_1'],
  ])
    expect((await rotate(RINGS.before, ...words)).code).toBe(2);
});

/** Files that seal for a browser, whose cookies and forms are in no table. */
const SEALED_FOR_BROWSERS = [
  'lib/merchants/accounts/sign-in/known-device.ts',
  'lib/payments/links/page.ts',
  'lib/refunds/customer-address/page.ts',
];

test('every column with a ciphertext and every file that seals is on the list', () => {
  const schema = fs.readFileSync('prisma/schema.prisma', 'utf8');
  const ciphertexts = [...schema.matchAll(/^model [^}]*^\}/gms)].flatMap(([model]) => {
    const [, table] = /@@map\("(\w+)"\)/.exec(model) ?? [];
    return [...model.matchAll(/@map\("(\w*ciphertext\w*)"\)/g)].map(([, column]) => `${table}.${column}`);
  });
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(listed.filter((one) => one !== 'mails.body').toSorted()).toEqual(ciphertexts.toSorted());

  const sources = fs.readdirSync('lib', { recursive: true, encoding: 'utf8' }).map((file) => path.join('lib', file));
  const sealing = [
    ...sources,
    ...fs.readdirSync('app', { recursive: true, encoding: 'utf8' }).map((file) => `app/${file}`),
  ]
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|lib\/platform\/crypto|rotation\/reseal/.test(file))
    .filter((file) => /\bsealSecret\b/.test(fs.readFileSync(file, 'utf8')));
  const known = [...new Set(SEALED_COLUMNS.map(({ sealedBy }) => sealedBy)), ...SEALED_FOR_BROWSERS];
  expect(sealing.toSorted()).toEqual(known.toSorted());
});
