// The log: one JSON line per event on standard output. Fields that could hold a secret are removed by name before writing.
// Errors are reduced to name, message and stack, and lines that repeat one are limited.

import pino from 'pino';
import { config } from './config/config';
import { hasError, openRepeatLimit } from './repeated-lines';

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
  to?: pino.DestinationStream,
): Log {
  const isShown = openRepeatLimit();
  const options: pino.LoggerOptions = {
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[removed]' },
    hooks: {
      logMethod(given, method) {
        const [fields, message] = given as unknown[];
        const write = (some: object): void => method.apply(this, [some, String(message)] as Parameters<typeof method>);
        if (!hasError(fields) || isShown(String(message), fields, this.bindings(), write)) method.apply(this, given);
      },
    },
  };
  return to ? pino(options, to) : pino(options);
}
