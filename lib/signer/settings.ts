// The signer's own settings, read from its environment once. It shares none of the service's: it runs where the database's
// address and the master keys are not known. No other file of this folder reads the environment.

import { z } from 'zod';

/** The system's limit on the path of a Unix socket is 104 bytes on some systems and 108 on others, its end included. */
const SOCKET_PATH_BYTES = 103;

const flag = z
  .enum(['on', 'off'])
  .default('off')
  .transform((value) => value === 'on');

const settings = z.object({
  KEYSTORE_FILE: z.string({ error: 'is needed: the path of the keystore file' }),
  KEYSTORE_PASSPHRASE: z.string().optional(),
  SIGNER_SOCKET: z
    .string()
    .refine((path) => Buffer.byteLength(path) <= SOCKET_PATH_BYTES, `is longer than ${SOCKET_PATH_BYTES} bytes`)
    .optional(),
  /** Accepts a keystore of one of the mnemonics that everybody knows; for tests. */
  ALLOW_PUBLIC_MNEMONIC: flag,
  STOP_WITH_PARENT: flag,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export type SignerSettings = z.output<typeof settings>;

/** Checks an environment. Throws an Error that lists every setting at fault, with no value in it. */
export function readSignerSettings(environment: Record<string, string | undefined>): SignerSettings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const read = settings.safeParse(given);
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`The signer cannot use these settings:\n  ${faults.join('\n  ')}`);
}

/** The settings of this process. The passphrase is taken out of its environment. */
export function signerSettings(): SignerSettings {
  const read = readSignerSettings(process.env);
  delete process.env.KEYSTORE_PASSPHRASE;
  return read;
}
