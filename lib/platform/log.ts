// The log: one JSON line per event on standard output. Fields that could hold a secret are removed by name before writing.
// Errors are reduced to name, message and stack.

import pino from 'pino';
import { config } from './config/config';

const SECRET_NAMES = [
  'secret',
  'password',
  'passphrase',
  'authorization',
  'cookie',
  'mnemonic',
  'seed',
  'privateKey',
  'signature',
  'signedBytes',
];

export type Log = pino.Logger;

/** Opens a log whose lines carry the name of the process. */
export function openLog(
  process: 'web' | 'worker' | 'signer' | 'sandbox' | 'test',
  level: string = config().LOG_LEVEL,
): Log {
  return pino({
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[removed]' },
  });
}
