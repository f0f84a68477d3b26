// The settings of the sandbox's two programs, read from the environment and checked before anything starts. No other file of the
// sandbox reads the environment.

import path from 'node:path';
import { z } from 'zod';
import { readConfig, type Config } from '@/lib/platform/config/config';
import { networksDescription, type NetworksDescription } from './describe';

const settings = z.object({
  SANDBOX_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  DATA_DIR: z.string().min(1).default('.data'),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3000'),
  STOP_WITH_PARENT: z.enum(['on', 'off']).default('off'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  SANDBOX_NETWORKS: z.string().optional(),
  SIGNER_SOCKET: z.string().optional(),
});

export type SandboxSettings = {
  /** 0 for any free one. */
  readonly port: number;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly stopWithParent: boolean;
  readonly logLevel: string;
  /** Socket of the signer, whose refund wallet is funded; null without a signer. */
  readonly signerSocket: string | null;
};

/** The settings of the sandbox process. Throws an Error that names the invalid settings. */
export function sandboxSettings(): SandboxSettings {
  const given = read();
  return {
    port: given.SANDBOX_PORT,
    dataDirectory: path.resolve(given.DATA_DIR),
    publicUrl: new URL(given.PUBLIC_URL).origin,
    stopWithParent: given.STOP_WITH_PARENT === 'on',
    logLevel: given.LOG_LEVEL,
    signerSocket: given.SIGNER_SOCKET ?? null,
  };
}

export type PrepareSettings = {
  readonly config: Config;
  readonly dataDirectory: string;
  readonly networks: NetworksDescription;
};

/**
 * The settings for preparing the demo accounts: the product's own settings, and the chains as the sandbox process printed them.
 */
export function prepareSettings(): PrepareSettings {
  const given = read();
  return {
    // The demo stores' webhooks go to the sandbox's own receiver on this machine.
    config: readConfig({ ...process.env, WEBHOOKS_TO_LOOPBACK: 'on' }),
    dataDirectory: path.resolve(given.DATA_DIR),
    networks: networksDescription.parse(JSON.parse(given.SANDBOX_NETWORKS ?? '{}')),
  };
}

function read(): z.output<typeof settings> {
  const result = settings.safeParse(process.env);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The sandbox cannot use these settings:\n  ${faults.join('\n  ')}`);
}
