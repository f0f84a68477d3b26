// The log: one JSON line per event on standard output. Fields that could hold a secret are removed by name before writing.
// The error of a line (`err`) is reduced to name, message, stack and code, and lines that repeat one are limited.

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
    serializers: { err: reduceError },
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

/** Other fields of an error may hold a secret: `input` of a URL that cannot be parsed holds its password. Causes are part of message and stack. */
function reduceError(error: unknown): unknown {
  if (typeof (error as { message?: unknown } | null | undefined)?.message !== 'string') return error;
  const { type, message, stack } = pino.stdSerializers.err(error as Error);
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  return {
    ...{ type, message, stack },
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(Array.isArray(errors) ? { aggregateErrors: errors.map(reduceError) } : {}),
  };
}
