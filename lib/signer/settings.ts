// The signer's own settings, read once from its environment. It shares none with the service, because it runs where the
// database URL and the master keys are unknown. No other file of this folder reads the environment.

import { z } from 'zod';
import { forwarderFactories } from '@/lib/networks/families/tron/sweeping/factories';
import { SPONSORS } from '@/lib/treasury/wallets/derivation-sweep';
import { evidenceKeys } from '@/lib/platform/config/key-rings';
import { readSecretFiles } from '@/lib/platform/config/secret-files.mjs';
import { readEndpoint } from './transport/endpoint';
import { hsmKeysOf, type HsmPlace } from './hsm/settings';
import { batchTokensOf } from './batches/policy';
import { chainsOf, type Policy } from './policy';
import { coldWalletsOf, feeBudgetsOf, treasuriesOf, withBudgets, type SweepPolicy } from './sweeps/policy';

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

/** A setting that `parse` reads. Its Error must not contain the value. */
const parsed = <T>(parse: (text: string) => T) =>
  z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return parse(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    });

const settings = z.object({
  KEYSTORE_FILE: z.string({ error: 'is needed: the path of the keystore file' }),
  KEYSTORE_PASSPHRASE: z.string().optional(),
  /** A path, or `tls://HOST:PORT?certificates=DIRECTORY`. */
  SIGNER_SOCKET: parsed((text) => {
    readEndpoint(text);
    return text;
  }),
  /** Accepts a keystore with a publicly known mnemonic; for tests. */
  ALLOW_PUBLIC_MNEMONIC: flag,
  /** The signer's journal; beside the keystore by default. */
  JOURNAL_FILE: z.string().optional(),
  /** Identifies this machine, so that a copied signer neither hands out addresses nor signs on another one. */
  MACHINE_ID_FILE: z.string().default('/etc/machine-id'),
  /** Shared with the worker only. Without it nothing is signed. */
  EVIDENCE_KEY: evidenceKeys.optional().transform((keys) => keys ?? null),
  /** Chains to pay refunds on, such as `ethereum@mainnet,tron@mainnet`. Without any, nothing is signed. */
  SIGNER_NETWORKS: parsed((text) => chainsOf(text)),
  /** In cents per currency, separately for live and test. The hour and the day are rolling windows. */
  SIGNER_CENTS_PER_REFUND: cents(1_000_000),
  SIGNER_CENTS_PER_HOUR: cents(2_000_000),
  SIGNER_CENTS_PER_DAY: cents(5_000_000),
  /** The same for payments to addresses that customers gave. They bound what a thief of claim links can get. */
  SIGNER_CLAIM_CENTS_PER_REFUND: cents(50_000),
  SIGNER_CLAIM_CENTS_PER_HOUR: cents(100_000),
  SIGNER_CLAIM_CENTS_PER_DAY: cents(500_000),
  /** The same for payouts of stores' balances to the stores' own addresses. Off without them. */
  SIGNER_PAYOUT_CENTS_PER_PAYOUT: cents(0),
  SIGNER_PAYOUT_CENTS_PER_HOUR: cents(0),
  SIGNER_PAYOUT_CENTS_PER_DAY: cents(0),
  /** Where payouts are paid in batches, and how many whole tokens the contract may move: `ethereum@mainnet/USDT=50000`. Off without it. */
  SIGNER_PAYOUT_BATCHES: parsed((text) => batchTokensOf(text)),
  /** The operator's cold wallets, such as `ethereum@mainnet=0x…`. The refund wallet's excess goes there. Without any, none does. */
  SIGNER_COLD_WALLETS: parsed((text) => coldWalletsOf(text)),
  /** The same for these transfers. They bound how much a stolen worker can take from refunds and payouts, never to a thief. */
  SIGNER_COLD_CENTS_PER_TRANSFER: cents(100_000_000),
  SIGNER_COLD_CENTS_PER_HOUR: cents(200_000_000),
  SIGNER_COLD_CENTS_PER_DAY: cents(500_000_000),
  /** The most coin that refunds, payouts and cold transfers of an hour may cost, such as `ethereum@mainnet=0.5` in whole coins. */
  SIGNER_PAYMENT_FEES: parsed((text) => feeBudgetsOf(text)),
  /** Above this many cents of refunds in a session, two operators sign each further one with their passkeys. */
  SIGNER_APPROVAL_ABOVE: cents(500_000),
  /** Above this many cents, two operators sign a payout with their passkeys. */
  SIGNER_PAYOUT_APPROVAL_ABOVE: cents(500_000),
  /**
   * The list of approvers, written by the `approvers` command. Without it no live payment above the threshold is
   * signed.
   */
  SIGNER_APPROVERS_FILE: z.string().optional(),
  /** The operator's own wallets, such as `ethereum@mainnet=0x…`. Without any, no deposit address is swept. */
  SIGNER_TREASURY_WALLETS: parsed((text) => treasuriesOf(text)),
  /**
   * The contracts whose forwarders are deposit addresses, such as `tron@mainnet=T…`, on networks with a treasury wallet. The first of a
   * network gives new addresses.
   */
  SIGNER_TRON_FORWARDERS: parsed((text) => forwarderFactories(text.split(/[\s,]+/).filter((entry) => entry !== ''))),
  /** The account that sends sweeps and pays their fees. The spare one takes over if the first one is stuck. */
  SIGNER_SPONSOR: z.enum(SPONSORS).default('first'),
  /** The most that the sweeps of an hour may cost, such as `ethereum@mainnet=0.05` in whole coins. */
  SIGNER_SWEEP_FEES: parsed((text) => feeBudgetsOf(text)),
  /** Wallets whose keys are in an HSM, such as `refund/live/evm=LABEL:0x…`. The others are in the keystore. */
  SIGNER_HSM_KEYS: parsed((text) => hsmKeysOf(text)),
  /** The PKCS#11 library of the HSM's maker. */
  SIGNER_HSM_MODULE: z.string().optional(),
  /** The label of the HSM (CK_TOKEN_INFO). */
  SIGNER_HSM_LABEL: z.string().max(32, 'has at most 32 characters').optional(),
  /** A file with the PIN of the HSM's user. */
  SIGNER_HSM_PIN_FILE: z.string().optional(),
  /** The origin of the pages on which operators use their passkeys; the same as for the web process. */
  PUBLIC_URL: z
    .string()
    .refine((text) => URL.canParse(text) && new URL(text).origin === text, 'is an origin such as https://pay.example')
    .optional(),
  /**
   * The point at which this process exits, for crash tests (lib/platform/crash-point). Only honored when all chains are
   * local.
   */
  CRASH_POINT: z.string().optional(),
  STOP_WITH_PARENT: flag,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export type SignerSettings = z.output<typeof settings>;

/** Validates an environment. Throws an Error that lists every invalid setting and contains no value. */
export function readSignerSettings(environment: Record<string, string | undefined>): SignerSettings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const read = settings.safeParse(given);
  const faults = read.success
    ? contradictions(read.data)
    : read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (read.success && faults.length === 0) return read.data;
  throw new Error(`The signer cannot use these settings:\n  ${faults.join('\n  ')}`);
}

/** Limits that make another one unreachable. A limit of 0 turns signing off and contradicts nothing. */
function contradictions(read: SignerSettings): string[] {
  const all = ['SIGNER_CENTS_PER_REFUND', 'SIGNER_CENTS_PER_HOUR', 'SIGNER_CENTS_PER_DAY'] as const;
  const claims = [
    'SIGNER_CLAIM_CENTS_PER_REFUND',
    'SIGNER_CLAIM_CENTS_PER_HOUR',
    'SIGNER_CLAIM_CENTS_PER_DAY',
  ] as const;
  const payouts = [
    'SIGNER_PAYOUT_CENTS_PER_PAYOUT',
    'SIGNER_PAYOUT_CENTS_PER_HOUR',
    'SIGNER_PAYOUT_CENTS_PER_DAY',
  ] as const;
  const cold = ['SIGNER_COLD_CENTS_PER_TRANSFER', 'SIGNER_COLD_CENTS_PER_HOUR', 'SIGNER_COLD_CENTS_PER_DAY'] as const;
  const faults = [all, claims, payouts, cold].flatMap((limits) =>
    limits.flatMap((wider, at) => {
      const narrower = limits[at - 1];
      if (narrower === undefined || read[wider] === 0n || read[narrower] <= read[wider]) return [];
      return [`${narrower}: is above ${wider}, so it is never reached; lower it or raise ${wider}`];
    }),
  );
  const place = ['SIGNER_HSM_MODULE', 'SIGNER_HSM_LABEL', 'SIGNER_HSM_PIN_FILE'] as const;
  if (read.SIGNER_HSM_KEYS.length > 0) {
    faults.push(...place.filter((name) => !read[name]).map((name) => `${name}: is needed with SIGNER_HSM_KEYS`));
  }
  if (!read.SIGNER_APPROVERS_FILE || read.PUBLIC_URL) return faults;
  return [
    ...faults,
    'PUBLIC_URL: is needed with SIGNER_APPROVERS_FILE: passkeys are bound to the address of the pages',
  ];
}

/** The settings of this process. Removes the passphrase and the evidence key from its environment. */
export function signerSettings(): SignerSettings {
  const read = readSignerSettings(readSecretFiles(process.env));
  delete process.env.KEYSTORE_PASSPHRASE;
  delete process.env.EVIDENCE_KEY;
  return read;
}

/** The journal's path: beside the keystore unless a setting overrides it. */
export const journalFileOf = ({ JOURNAL_FILE, KEYSTORE_FILE }: SignerSettings): string =>
  JOURNAL_FILE ?? `${KEYSTORE_FILE}.journal`;

/** Where the HSM is. Throws an Error that names the missing setting. */
export function hsmPlaceOf(from: SignerSettings): HsmPlace {
  const { SIGNER_HSM_MODULE: module, SIGNER_HSM_LABEL: label, SIGNER_HSM_PIN_FILE: pinFile } = from;
  if (!module) throw new Error('SIGNER_HSM_MODULE is needed: the PKCS#11 library of the HSM’s maker.');
  if (!label) throw new Error('SIGNER_HSM_LABEL is needed: the label that the HSM was initialized with.');
  if (!pinFile) throw new Error('SIGNER_HSM_PIN_FILE is needed: a file with the PIN of the HSM’s user.');
  return { module, label, pinFile, refusedPinFile: `${journalFileOf(from)}.refused-pin` };
}

/** The payment policy from the settings. */
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
  payoutLimits: {
    perRefund: from.SIGNER_PAYOUT_CENTS_PER_PAYOUT,
    perHour: from.SIGNER_PAYOUT_CENTS_PER_HOUR,
    perDay: from.SIGNER_PAYOUT_CENTS_PER_DAY,
  },
  cold: {
    wallets: from.SIGNER_COLD_WALLETS,
    limits: {
      perRefund: from.SIGNER_COLD_CENTS_PER_TRANSFER,
      perHour: from.SIGNER_COLD_CENTS_PER_HOUR,
      perDay: from.SIGNER_COLD_CENTS_PER_DAY,
    },
  },
  fees: from.SIGNER_PAYMENT_FEES,
  batches: from.SIGNER_PAYOUT_BATCHES,
  approvalAbove: from.SIGNER_APPROVAL_ABOVE,
  payoutApprovalAbove: from.SIGNER_PAYOUT_APPROVAL_ABOVE,
  approvals:
    from.SIGNER_APPROVERS_FILE && from.PUBLIC_URL
      ? { file: from.SIGNER_APPROVERS_FILE, publicUrl: from.PUBLIC_URL }
      : null,
  evidenceKey: from.EVIDENCE_KEY,
});

/** The sweep policy from the settings; null without a treasury wallet. */
export const sweepPolicyOf = (from: SignerSettings): SweepPolicy | null =>
  from.SIGNER_TREASURY_WALLETS.length === 0
    ? null
    : {
        chains: withBudgets(from.SIGNER_TREASURY_WALLETS, from.SIGNER_SWEEP_FEES),
        sponsor: from.SIGNER_SPONSOR,
      };
