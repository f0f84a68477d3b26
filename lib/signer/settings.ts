// The signer's own settings, read from its environment once. It shares none of the service's: it runs where the database's
// address and the master keys are not known. No other file of this folder reads the environment.

import { z } from 'zod';
import { chainsOf, type Policy } from './policy';

/** The system's limit on the path of a Unix socket is 104 bytes on some systems and 108 on others, its end included. */
const SOCKET_PATH_BYTES = 103;

const flag = z
  .enum(['on', 'off'])
  .default('off')
  .transform((value) => value === 'on');

const cents = (preset: number) =>
  z
    .string()
    .default(String(preset))
    .refine((text) => /^[0-9]{1,16}$/.test(text), 'is a number of cents')
    .transform((text) => BigInt(/^[0-9]{1,16}$/.test(text) ? text : 0));

const settings = z.object({
  KEYSTORE_FILE: z.string({ error: 'is needed: the path of the keystore file' }),
  KEYSTORE_PASSPHRASE: z.string().optional(),
  SIGNER_SOCKET: z
    .string()
    .refine((path) => Buffer.byteLength(path) <= SOCKET_PATH_BYTES, `is longer than ${SOCKET_PATH_BYTES} bytes`)
    .optional(),
  /** Accepts a keystore of one of the mnemonics that everybody knows; for tests. */
  ALLOW_PUBLIC_MNEMONIC: flag,
  /** The journal of what was signed; beside the keystore when it is not given. */
  JOURNAL_FILE: z.string().optional(),
  /** Tells this machine from others, so that a signer that was copied to another one gives and signs nothing there. */
  MACHINE_ID_FILE: z.string().default('/etc/machine-id'),
  /** Base64 of 32 bytes, the same as the worker's and nobody else's. Without it nothing is signed. */
  EVIDENCE_KEY: z
    .base64()
    .refine((text) => Buffer.from(text, 'base64').length === 32, 'is base64 of 32 bytes')
    .optional()
    .transform((text) => (text ? Buffer.from(text, 'base64') : null)),
  /** Chains that refunds may be paid on, such as `ethereum@mainnet,tron@mainnet`. Without any nothing is signed. */
  SIGNER_NETWORKS: z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return chainsOf(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    }),
  /** In cents, of each currency, live and test apart. An hour and a day are rolling, not the calendar's. */
  SIGNER_CENTS_PER_REFUND: cents(1_000_000),
  SIGNER_CENTS_PER_HOUR: cents(2_000_000),
  SIGNER_CENTS_PER_DAY: cents(5_000_000),
  /** The same for payments to addresses that customers gave: the most that a person who steals claim links can get. */
  SIGNER_CLAIM_CENTS_PER_REFUND: cents(50_000),
  SIGNER_CLAIM_CENTS_PER_HOUR: cents(100_000),
  SIGNER_CLAIM_CENTS_PER_DAY: cents(500_000),
  /** Cents of a session's refunds above which two operators sign each further one with their passkeys. */
  SIGNER_APPROVAL_ABOVE: cents(500_000),
  /** The list of approvers, which the command `approvers` writes. Without it no live payment above the threshold is signed. */
  SIGNER_APPROVERS_FILE: z.string().optional(),
  /** The address on whose pages operators show their passkeys; as the web process has it. */
  PUBLIC_URL: z
    .string()
    .refine((text) => URL.canParse(text) && new URL(text).origin === text, 'is an origin such as https://pay.example')
    .optional(),
  /** Where this process ends itself, for tests of crashes (lib/platform/crash-point). Only when it may pay on local chains alone. */
  CRASH_POINT: z.string().optional(),
  STOP_WITH_PARENT: flag,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export type SignerSettings = z.output<typeof settings>;

/** Checks an environment. Throws an Error that lists every setting at fault, with no value in it. */
export function readSignerSettings(environment: Record<string, string | undefined>): SignerSettings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const read = settings.safeParse(given);
  const faults = read.success
    ? contradictions(read.data)
    : read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (read.success && faults.length === 0) return read.data;
  throw new Error(`The signer cannot use these settings:\n  ${faults.join('\n  ')}`);
}

/** Limits of which one makes another one pointless. A limit of 0 says that nothing is signed, and contradicts nothing. */
function contradictions(read: SignerSettings): string[] {
  const all = ['SIGNER_CENTS_PER_REFUND', 'SIGNER_CENTS_PER_HOUR', 'SIGNER_CENTS_PER_DAY'] as const;
  const claims = [
    'SIGNER_CLAIM_CENTS_PER_REFUND',
    'SIGNER_CLAIM_CENTS_PER_HOUR',
    'SIGNER_CLAIM_CENTS_PER_DAY',
  ] as const;
  const faults = [all, claims].flatMap((limits) =>
    limits.flatMap((wider, at) => {
      const narrower = limits[at - 1];
      if (narrower === undefined || read[wider] === 0n || read[narrower] <= read[wider]) return [];
      return [`${narrower}: is above ${wider}, so it is never reached; lower it or raise ${wider}`];
    }),
  );
  if (!read.SIGNER_APPROVERS_FILE || read.PUBLIC_URL) return faults;
  return [
    ...faults,
    'PUBLIC_URL: is needed with SIGNER_APPROVERS_FILE: passkeys are bound to the address of the pages',
  ];
}

/** The settings of this process. The passphrase and the evidence key are taken out of its environment. */
export function signerSettings(): SignerSettings {
  const read = readSignerSettings(process.env);
  delete process.env.KEYSTORE_PASSPHRASE;
  delete process.env.EVIDENCE_KEY;
  return read;
}

/** Where the journal is: beside the keystore unless a setting says otherwise. */
export const journalFileOf = ({ JOURNAL_FILE, KEYSTORE_FILE }: SignerSettings): string =>
  JOURNAL_FILE ?? `${KEYSTORE_FILE}.journal`;

/** What the settings allow to be paid. */
export const policyOf = (from: SignerSettings): Policy => ({
  chains: from.SIGNER_NETWORKS,
  limits: {
    perRefund: from.SIGNER_CENTS_PER_REFUND,
    perHour: from.SIGNER_CENTS_PER_HOUR,
    perDay: from.SIGNER_CENTS_PER_DAY,
  },
  claimLimits: {
    perRefund: from.SIGNER_CLAIM_CENTS_PER_REFUND,
    perHour: from.SIGNER_CLAIM_CENTS_PER_HOUR,
    perDay: from.SIGNER_CLAIM_CENTS_PER_DAY,
  },
  approvalAbove: from.SIGNER_APPROVAL_ABOVE,
  approvals:
    from.SIGNER_APPROVERS_FILE && from.PUBLIC_URL
      ? { file: from.SIGNER_APPROVERS_FILE, publicUrl: from.PUBLIC_URL }
      : null,
  evidenceKey: from.EVIDENCE_KEY,
});
