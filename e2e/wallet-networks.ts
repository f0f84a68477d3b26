// The sandbox's local chains from its description: their endpoints, their tokens, and a funded wallet on each.

import { readFileSync } from 'node:fs';

export type SandboxNetwork = {
  readonly rpc_url: string;
  readonly chain_id: number | null;
  readonly tokens: Readonly<Record<string, { readonly address: string; readonly decimals: number }>>;
  readonly payer: { readonly address: string; readonly private_key: string };
};

/** The network of this name. Throws when the sandbox has none. */
export function network(name: string): SandboxNetwork {
  const text = readFileSync(process.env.SANDBOX_JSON ?? '.data/sandbox.json', 'utf8');
  const found = (JSON.parse(text) as { networks: Record<string, SandboxNetwork> }).networks[name];
  if (!found) throw new Error(`sandbox.json has no network ${name}`);
  return found;
}
