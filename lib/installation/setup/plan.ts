// A set-up plan, from a file or from the pages, and the settings that result from it. Pure. Every fault names its field and
// repeats no value, because passwords and provider keys are among the values.

import { z } from 'zod';
import { STANDARD_NETWORKS } from '@/lib/networks/networks';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { NAMES } from './names';
import { LIVE_NETWORKS } from './live-networks';
import { isRefundWallet, treasury, treasurySettings } from './treasury';

/** More endpoints of one network are a mistake. */
const MAX_ENDPOINTS = 8;
const LONGEST = 500;

/** The settings file has one line for each setting, in single quotes. */
const plain = (longest = LONGEST) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(longest, `must have at most ${longest} characters`)
    .regex(/^[^\p{Cc}']*$/u, 'must be one line without an apostrophe');

/** The setting is a list that is split at spaces and commas. */
const endpoint = plain()
  .regex(/^[^\s,]+$/, 'must not contain spaces or commas')
  .refine(
    (text) => text === 'default' || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)),
    'must be an http or https address',
  );

const network = z.strictObject({
  endpoints: z
    .array(endpoint)
    .min(1, 'needs at least one endpoint')
    .max(MAX_ENDPOINTS, `takes at most ${MAX_ENDPOINTS} endpoints`)
    .refine(
      (all) => new Set(all.map((one) => (URL.canParse(one) ? new URL(one).href : one))).size === all.length,
      'names an endpoint twice: it would confirm itself',
    ),
  /** As in LIVE_…_BUDGETS, one entry for each endpoint. */
  budgets: z.array(plain(200).regex(/^[^\s,]+$/, 'must not contain spaces or commas')).optional(),
  /** TronGrid's. */
  api_key: plain(200).optional(),
});

const mail = z.strictObject({
  host: z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/i, 'must be the name of a mail server'),
  port: z.int('must be a port number').min(1, 'must be a port number').max(65_535, 'must be a port number'),
  /** `tls`: from the first byte (port 465). `starttls`: after a greeting (port 587). `none`: only inside a private network. */
  encryption: z.enum(['tls', 'starttls', 'none'], 'must be tls, starttls or none'),
  user: plain().optional(),
  password: z.string().min(1, 'must not be empty').max(LONGEST, `must have at most ${LONGEST} characters`).optional(),
  /** `Shop <no-reply@pay.example>`. */
  from: plain(200).regex(/^([^<>]*<)?[^\s<>@]+@[^\s<>@]+>?$/, 'must be an address like Shop <no-reply@pay.example>'),
});

/** An amount in dollars, as text so that it is not rounded. */
const amount = z
  .string('must be an amount as text, like "10000.00"')
  .regex(/^\d{1,12}(\.\d{1,2})?$/, 'must be an amount like 10000.00')
  .transform((text) => {
    const [whole = '', part = ''] = text.split('.');
    return BigInt(`${whole}${part.padEnd(2, '0')}`);
  });

/** The signer's rules, reported here before the signer would refuse to start. */
const limits = z
  .strictObject({ per_refund: amount, per_hour: amount, per_day: amount, approval_above: amount })
  .check(({ value, issues }) => {
    const fault = (field: keyof typeof value, message: string) =>
      issues.push({ code: 'custom', path: [field], message, input: undefined });
    if (value.per_refund > value.per_hour) fault('per_refund', 'must not be above per_hour');
    if (value.per_hour > value.per_day) fault('per_hour', 'must not be above per_day');
    if (value.per_refund > 0n && value.approval_above >= value.per_refund)
      fault('approval_above', 'must be below per_refund, or the signer refuses what two operators approve');
  });

const address = z.strictObject({
  public_url: plain().refine(
    (text) => URL.canParse(text) && new URL(text).origin === text && text.startsWith('https:'),
    'must be an https origin without a path or last slash, like https://pay.example',
  ),
  /** Address ranges of the TLS proxy in front. */
  trusted_proxies: z.array(plain(50).regex(/^[0-9a-f.:]+\/\d{1,3}$/i, 'must be a range like 10.0.0.0/8')).optional(),
  direct_clients: z.boolean('must be true or false').optional(),
});

/** lib/merchants/accounts validates it like any account when it is created. */
const operator = z.strictObject({
  email: z.string().max(LONGEST),
  password: z.string().max(1024),
  name: z.string().max(LONGEST).optional(),
});

const plan = z
  .strictObject({
    address: address.optional(),
    operator: operator.optional(),
    networks: z.partialRecord(z.enum(LIVE_NETWORKS), network, 'must name networks of this version').optional(),
    /** The public test networks, for test payments. */
    test_networks: z.partialRecord(z.enum(LIVE_NETWORKS), network, 'must name networks of this version').optional(),
    mail: mail.optional(),
    limits: limits.optional(),
    treasury: treasury.optional(),
    /** The treasury wallets are those of the installation's only merchant. */
    direct_settlement: z.boolean('must be true or false').optional(),
    security_contact: plain(200)
      .regex(/^(?:https:\/\/|mailto:|tel:)\S+$/, 'must be a mailto:, tel: or https:// address')
      .optional(),
  })
  .refine(
    ({ direct_settlement: isDirect, treasury: wallets = [] }) =>
      !isDirect || (wallets.length > 0 && !wallets.some(isRefundWallet)),
    {
      path: ['direct_settlement'],
      message: 'needs wallets of the merchant in treasury, none of which is refund-wallet',
    },
  );
export type Plan = z.output<typeof plan>;
export type NetworkPlan = z.output<typeof network>;
export const parts = { network, mail, limits, treasury };
export type NetworkGiven = z.input<typeof network>;
/** The page sends its choice as text. */
export type MailGiven = Omit<z.input<typeof mail>, 'encryption'> & { readonly encryption: string };
export type LimitsGiven = z.input<typeof limits>;

export type Settings = Readonly<Record<string, string>>;
/** `field` as a path in the file: `networks.ethereum.endpoints.0`. */
export type Fault = { readonly field: string; readonly message: string };

/** A part of the plan as typed in the page. Throws INVALID_PARAMETER with the page's name of the field. */
export function readPart<T>(schema: z.ZodType<T>, given: unknown): T {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const [param = '', entry] = issue?.path ?? [];
  const which = typeof entry === 'number' ? `${entry + 1}: ` : '';
  throw new ServiceError('INVALID_PARAMETER', { param: String(param), message: `${which}${issue?.message ?? ''}` });
}

/** The plan in a file's text, or all of its faults. */
export function readPlan(text: string): { readonly plan: Plan } | { readonly faults: readonly Fault[] } {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    // The parser's message repeats the text at fault.
    return { faults: [{ field: 'the file', message: 'is not JSON' }] };
  }
  const read = plan.safeParse(given);
  return read.success ? { plan: read.data } : { faults: read.error.issues.flatMap(faultsOf) };
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  const at = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const message = /^(?:test_)?networks$/.test(at)
      ? `must be one of ${STANDARD_NETWORKS.join(', ')}`
      : 'is not a field of this file';
    return issue.keys.map((key) => ({ field: at ? `${at}.${key}` : key, message }));
  }
  return [{ field: at || 'the file', message: plainMessage(issue) }];
}

const plainMessage = ({ code, message }: z.core.$ZodIssue): string =>
  code === 'invalid_type' && message.startsWith('Invalid input') ? message.replace('Invalid input: ', '') : message;

/** The plan's settings, by the names of lib/platform/config/config.ts and lib/signer/settings.ts. */
export function settingsOf({
  address: at,
  networks = {},
  test_networks: tests = {},
  mail: by,
  limits: most,
  treasury: wallets,
  direct_settlement: isDirect = false,
  security_contact: contact,
}: Plan): Settings {
  return {
    ...(at && addressSettings(at)),
    ...endpointSettings(networks, 'live'),
    ...endpointSettings(tests, 'test'),
    ...signerSettings({ live: Object.keys(networks), test: Object.keys(tests) }),
    ...(by && mailSettings(by)),
    ...(most && limitSettings(most)),
    ...(wallets && treasurySettings(wallets, isDirect)),
    ...(contact !== undefined && { SECURITY_CONTACT: contact }),
  };
}

const addressSettings = ({
  public_url: url,
  trusted_proxies: proxies,
  direct_clients: direct,
}: z.output<typeof address>): Settings => ({
  PUBLIC_URL: url,
  ...(proxies && { TRUSTED_PROXIES: proxies.join(' ') }),
  ...(direct && { DIRECT_CLIENTS: 'on' }),
});

export const networkSettings = (
  name: string,
  environment: Environment,
  { endpoints, budgets, api_key: key }: NetworkPlan,
): Settings => ({
  [NAMES.urls(name, environment)]: endpoints.join(' '),
  ...(budgets && { [NAMES.budgets(name, environment)]: budgets.join(' ') }),
  ...(key !== undefined && name === 'tron' && { [NAMES.tronKey(environment)]: key }),
});

const endpointSettings = (
  networks: Readonly<Partial<Record<string, NetworkPlan>>>,
  environment: Environment,
): Settings =>
  Object.assign({}, ...Object.entries(networks).map(([name, one]) => one && networkSettings(name, environment, one)));

/** Refunds are paid on the networks that receive payments. Empty without any. */
export function signerSettings({ live, test }: Readonly<Record<Environment, readonly string[]>>): Settings {
  const names = [...live.map((name) => `${name}@mainnet`), ...test.map((name) => `${name}@testnet`)];
  return names.length === 0 ? {} : { SIGNER_NETWORKS: names.join(',') };
}

const escaped = (text: string): string => encodeURIComponent(text).replaceAll("'", '%27');

export function mailSettings({ host, port, encryption, user, password, from }: z.output<typeof mail>): Settings {
  const who = user === undefined ? '' : `${escaped(user)}${password === undefined ? '' : `:${escaped(password)}`}@`;
  const scheme = encryption === 'tls' ? 'smtps' : 'smtp';
  const how = encryption === 'starttls' ? '?requireTLS=true' : encryption === 'none' ? '?requireTLS=false' : '';
  return { SMTP_URL: `${scheme}://${who}${host}:${port}${how}`, MAIL_FROM: from };
}

export const limitSettings = (given: z.output<typeof limits>): Settings => ({
  SIGNER_CENTS_PER_REFUND: String(given.per_refund),
  SIGNER_CENTS_PER_HOUR: String(given.per_hour),
  SIGNER_CENTS_PER_DAY: String(given.per_day),
  SIGNER_APPROVAL_ABOVE: String(given.approval_above),
  REFUND_APPROVAL_ABOVE: String(given.approval_above),
});
