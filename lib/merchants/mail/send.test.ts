// Mails: in every language, sealed until they are sent, sent at least once, with a limited number of retries.

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAccounts, type Accounts } from '@/testing/accounts';
import { mailBody, queueMail } from './queue';
import { areMailsShown, listMails, newestMailTo, readMail } from './read';
import { sendMails, withTls, type Transport } from './send';
import { mailText, type MailKind, type MailValues } from './texts';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());

const LINK = 'https://pay.example/reset?token=secret';
const queue = (to: string) =>
  queueMail(accounts.database.pool, accounts.context, {
    to,
    kind: 'Reset',
    values: { link: LINK },
    locale: 'zh',
    now: accounts.clock.now(),
  });
const rowOf = async (to: string) =>
  (await accounts.database.pool.query('SELECT * FROM mails WHERE recipient = $1', [to])).rows[0];
const run = (transport: Transport) => sendMails(transport)(accounts.context);
const refusing =
  (error: object): Transport =>
  async () => {
    throw Object.assign(new Error('secret'), error);
  };

/** These values select a sentence of the mail. */
const CHOOSING = new Set(['reason', 'environment', 'offer', 'proof', 'by', 'of', 'is']);
const VALUES: MailValues = {
  Confirm: { link: LINK },
  Exists: { link: LINK },
  Reset: { link: LINK },
  PasswordChanged: { link: LINK },
  ChangeEmail: { link: LINK },
  EmailChangeAsked: { link: LINK, email: 'a@shop.example' },
  EmailChanged: { email: 'a@shop.example' },
  FactorsChanged: { link: LINK },
  NewSignIn: { link: LINK, address: '203.0.113.9', device: 'Firefox' },
  KeyCreated: { link: LINK, store: 'Shop', key: 'Till', creator: 'a@shop.example' },
  KeyRequiresV2: { link: LINK, store: 'Shop', key: 'Till', creator: 'a@shop.example' },
  KeyAllowsV1: { link: LINK, store: 'Shop', key: 'Till', creator: 'a@shop.example' },
  KeysKept: { link: LINK, store: 'Shop', keys: '“Till”', member: 'a@shop.example' },
  OwnersChanged: { link: LINK, store: 'Shop', is: 'no_owner', member: 'a@shop.example', actor: 'b@shop.example' },
  OperatorMade: { link: LINK, email: 'new@shop.example', actor: 'old@shop.example' },
  OperatorGone: { link: LINK, email: 'new@shop.example', actor: 'old@shop.example' },
  OperatorReset: { email: 'a@shop.example' },
  Invite: { link: LINK, store: 'Shop', inviter: 'a@shop.example' },
  SetupTest: { link: LINK },
  InviteUnnamed: { link: LINK, inviter: 'a@shop.example' },
  StoreApproved: { link: LINK, store: 'Shop' },
  StoreRejected: { link: LINK, store: 'Shop', reason: 'because' },
  StoreSuspended: { store: 'Shop', reason: 'because' },
  StoreResumed: { link: LINK, store: 'Shop' },
  PaymentException: {
    ...{ link: LINK, store: 'Shop', settings: `${LINK}#mails`, more: '14' },
    ...{ reason: 'late', amount: '12.50 USDT', network: 'tron', order: 'order-7' },
  },
  EventUndelivered: {
    ...{
      link: LINK,
      store: 'Shop',
      settings: `${LINK}#mails`,
      more: '14',
      environment: 'test',
      event: 'payment.completed',
    },
    ...{ host: 'shop.example', answer: '503', offer: 'yes', offerLink: `${LINK}#endpoint` },
    ...{ minutes: '5, 10', hours: '1:20, 2:40', total: '69' },
  },
  RefundAddress: {
    ...{ link: LINK, store: 'Shop', refund: 'refund-17', amount: '12.50 USDT', network: 'tron' },
    ...{ address: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK', time: '2026-11-22 13:20:00 UTC' },
  },
  RefundAddressSigned: {
    ...{ link: LINK, store: 'Shop', refund: 'refund-17', amount: '12.50 USDT', network: 'tron' },
    ...{ address: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK', time: '2026-11-22 13:20:00 UTC' },
  },
  PayoutAddress: {
    ...{ link: LINK, page: `${LINK}#page`, store: 'Shop', environment: 'live', network: 'tron', proof: 'yes' },
    ...{ address: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK', time: '2026-11-22 13:20:00 UTC', creator: 'a@shop.example' },
  },
  PayoutAddressStopped: {
    ...{ page: `${LINK}#page`, store: 'Shop', environment: 'live', network: 'tron', by: 'person' },
    ...{ address: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK', actor: 'a@shop.example' },
  },
  PayoutRate: {
    ...{ link: LINK, of: 'store', store: 'Shop', before: '0.50 per payout', after: '1.5% of the amount' },
    time: 'Nov 30, 2026, 13:20 UTC',
  },
  Alarms: { link: LINK, severity: 'Critical', title: 'Signing is stopped', more: '2', list: 'a list' },
  WebhookFailing: { link: LINK, store: 'Shop' },
  WebhookGone: { link: LINK, store: 'Shop' },
};

describe.each(['en', 'zh', 'es'])('in %s', (locale) => {
  test.each(Object.keys(VALUES) as MailKind[])('the mail %s contains all its values', (kind) => {
    const { subject, body } = mailText(kind, VALUES[kind], locale);
    expect(subject).toMatch(/^[^\r\n]{5,100}$/);
    const isShown = (name: string): boolean => !CHOOSING.has(name) || kind.startsWith('Store');
    for (const [name, value] of Object.entries(VALUES[kind]))
      if (isShown(name)) expect(`${subject}\n${body}`).toContain(value);
    // A link has its own line, so that every mail reader finds its end.
    if ('link' in VALUES[kind]) expect(body.split('\n')).toContain(LINK);
  });
});

test('a name that looks like message syntax is shown as it is', () => {
  const store = "{link} '{x}' <b>";
  expect(mailText('Invite', { link: LINK, store, inviter: 'a' }, 'en').body).toContain(`“${store}”`);
});

test.each(['en', 'zh', 'es'])(
  'in %s no subject holds what a merchant chose, and bodies quote the name of a store',
  (locale) => {
    const name = 'You won, call now';
    for (const kind of Object.keys(VALUES) as MailKind[]) {
      const values = { ...VALUES[kind], ...('store' in VALUES[kind] ? { store: name } : {}) };
      const { subject, body } = mailText(kind, values, locale);
      expect(subject).not.toContain(name);
      expect(body.replaceAll(/“You won, call now”|«You won, call now»/g, '')).not.toContain(name);
    }
  },
);

describe('a mail', () => {
  test('is sealed at rest, sent once, and its text is deleted afterwards', async () => {
    const to = 'one@shop.example';
    await queue(to);
    const waiting = await rowOf(to);
    expect(JSON.stringify(waiting)).not.toContain('secret');
    expect(mailBody(accounts.context, waiting)).toContain(LINK);
    const sent: { to: string; text: string }[] = [];
    await run(async (mail) => void sent.push(mail));
    await run(async (mail) => void sent.push(mail));
    expect(sent.filter((mail) => mail.to === to)).toEqual([
      expect.objectContaining({ text: expect.stringContaining(LINK) }),
    ]);
    expect(await rowOf(to)).toMatchObject({ body: '', sent_at: accounts.clock.now() });
  });

  test('is sent once when two workers compete for it', async () => {
    const to = 'two@shop.example';
    await queue(to);
    let times = 0;
    const count: Transport = async () => void times++;
    await Promise.all([run(count), run(count), run(count)]);
    expect(times).toBe(1);
  });

  test('of an account is sent before older invitations', async () => {
    const { database, context, clock } = accounts;
    const invitation = { kind: 'Invite', values: VALUES.Invite, locale: null } as const;
    for (let n = 0; n < 30; n++)
      await queueMail(database.pool, context, { ...invitation, to: `invited${n}@shop.example`, now: clock.now() });
    clock.advance(60);
    await queue('waiting@shop.example');
    const sent: string[] = [];
    await run(async (mail) => void sent.push(mail.to));
    expect(sent).toHaveLength(20);
    expect(sent[0]).toBe('waiting@shop.example');
    await run(async (mail) => void sent.push(mail.to));
    expect(sent).toHaveLength(31);
  });

  test('that was refused is retried with growing pauses', async () => {
    const to = 'three@shop.example';
    await queue(to);
    let tries = 0;
    for (let hour = 0; hour < 48; hour++) {
      await run(() => {
        tries++;
        return refusing({ code: 'ECONNECTION' })({} as never);
      });
      accounts.clock.advance(3600);
    }
    expect(tries).toBe(7);
    const row = await rowOf(to);
    expect(row.failed_at).not.toBeNull();
    expect(row.trouble).toBe('the mail server could not be used (ECONNECTION)');
  });

  test('that its server refuses permanently is not retried', async () => {
    const to = 'four@shop.example';
    await queue(to);
    await run(refusing({ responseCode: 550 }));
    expect(await rowOf(to)).toMatchObject({
      attempts: 1,
      trouble: 'the mail server answered 550',
      failed_at: accounts.clock.now(),
    });
  });

  test('whose worker died is sent by another worker', async () => {
    const to = 'five@shop.example';
    await queue(to);
    await accounts.database.pool.query('UPDATE mails SET attempts = 1, epoch = 1, next_at = $2 WHERE recipient = $1', [
      to,
      accounts.clock.now(),
    ]);
    const sent: string[] = [];
    await run(async (mail) => void sent.push(mail.to));
    expect(sent).toContain(to);
  });

  test('stays queued without a mail server, and is shown only in a sandbox on this machine', async () => {
    const to = 'six@shop.example';
    await queue(to);
    expect(await sendMails()(accounts.context)).toEqual({ more: false });
    const [latest] = await listMails(accounts.context, 1);
    expect(latest?.recipient).toBe(to);
    expect((await readMail(accounts.context, latest?.id ?? ''))?.text).toContain(LINK);
    expect(await readMail(accounts.context, "1'; --")).toBeNull();
    await queue('seven@shop.example');
    expect(await newestMailTo(accounts.context, 'Six@shop.example')).toBe(latest?.id);
    for (const recipient of ['nobody@shop.example', 'six%', 'six@shop.example\0'])
      expect(await newestMailTo(accounts.context, recipient)).toBeNull();
    const { config } = accounts;
    const SANDBOX_ORIGIN = 'http://127.0.0.1:5';
    expect(areMailsShown({ config })).toBe(false);
    expect(areMailsShown({ config: { ...config, SANDBOX_ORIGIN } })).toBe(true);
    expect(areMailsShown({ config: { ...config, SANDBOX_ORIGIN, PUBLIC_URL: 'https://pay.example' } })).toBe(false);
  });
});

test.each([
  ['smtp://mail.example:587', 'smtp://mail.example:587?requireTLS=true'],
  ['smtp://user:p%40ss@mail.example', 'smtp://user:p%40ss@mail.example?requireTLS=true'],
  ['smtp://relay.internal?requireTLS=false', 'smtp://relay.internal?requireTLS=false'],
  ['smtp://127.0.0.1:1025', 'smtp://127.0.0.1:1025'],
  ['smtp://localhost', 'smtp://localhost'],
  ['smtps://mail.example', 'smtps://mail.example'],
])('a mail server must offer TLS unless it is on this machine or the setting says otherwise: %s', (given, used) => {
  expect(withTls(given)).toBe(used);
});

test('sends no mail through a server that offers no TLS', async () => {
  const received: string[] = [];
  const server = net.createServer((socket) => {
    socket.write('220 mail.example ESMTP\r\n');
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const line = data.toString();
      received.push(line.split(/\s/)[0] ?? '');
      socket.write(line.startsWith('EHLO') ? '250-mail.example\r\n250 8BITMIME\r\n' : '502 no\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const to = 'tls@shop.example';
  await queue(to);
  const config = { ...accounts.config, SMTP_URL: `smtp://127.0.0.1:${port}?requireTLS=true` };
  await sendMails()({ ...accounts.context, config });
  server.close();
  expect(received).not.toContain('MAIL');
  expect(received).toContain('STARTTLS');
  expect(await rowOf(to)).toMatchObject({ sent_at: null });
});
