// The settings of the sandbox's two programs, read from their environment and checked before anything starts.

import path from 'node:path';
import { z } from 'zod';

const settings = z.object({
  SANDBOX_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  DATA_DIR: z.string().min(1).default('.data'),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3000'),
  STOP_WITH_PARENT: z.enum(['on', 'off']).default('off'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export type SandboxEnvironment = {
  /** 0 for any free one. */
  readonly port: number;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Without a last slash. */
  readonly publicUrl: string;
  readonly stopWithParent: boolean;
  readonly logLevel: string;
};

/** Throws an Error that names the settings at fault. */
export function readEnvironment(environment: Record<string, string | undefined>): SandboxEnvironment {
  const read = settings.safeParse(environment);
  if (!read.success) {
    const faults = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The sandbox cannot use these settings:\n  ${faults.join('\n  ')}`);
  }
  const given = read.data;
  return {
    port: given.SANDBOX_PORT,
    dataDirectory: path.resolve(given.DATA_DIR),
    publicUrl: new URL(given.PUBLIC_URL).origin,
    stopWithParent: given.STOP_WITH_PARENT === 'on',
    logLevel: given.LOG_LEVEL,
  };
}
