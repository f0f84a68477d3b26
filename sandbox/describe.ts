// $DATA_DIR/sandbox.json: the addresses and keys that a developer or a test needs to use the sandbox from outside.

import path from 'node:path';
import { z } from 'zod';
import type { LocalNetwork } from './chains/local-network';
import type { LocalChains } from './chains/start';
import type { DemoAccounts } from './demo-accounts';
import { writePrivately } from './private-file';

/** A field that only one family has is named as that family names it. */
const networkDescription = z.object({
  rpc_url: z.string(),
  full_host: z.string().optional(),
  /** Null where the network has no such number (Solana). */
  chain_id: z.number().nullable(),
  tokens: z.record(z.string(), z.object({ address: z.string(), mint: z.string().optional(), decimals: z.number() })),
  payer: z.object({ address: z.string(), private_key: z.string(), secret_key: z.string().optional() }),
});

/** The chains' part, as the sandbox process prints it and `prepare.ts` receives it. */
export const networksDescription = z.record(z.string(), networkDescription);
export type NetworksDescription = z.output<typeof networksDescription>;

/** The chains by network. Contains the payers' keys, which have no value outside this machine. */
export function describeNetworks(chains: LocalChains): NetworksDescription {
  return Object.fromEntries([...chains.networks.values()].map((one) => [one.network, describeNetwork(one)]));
}

function describeNetwork({ rpcUrl, spec, payer }: LocalNetwork): z.output<typeof networkDescription> {
  const tokens = Object.entries(spec.tokens).map(([currency, { contract, decimals }]) => {
    const mint = spec.family === 'solana' ? { mint: contract } : {};
    return [currency, { address: contract, ...mint, decimals }] as const;
  });
  return {
    rpc_url: rpcUrl,
    ...(spec.family === 'tron' ? { full_host: rpcUrl } : {}),
    chain_id: spec.chainId,
    tokens: Object.fromEntries(tokens),
    payer: {
      address: payer.address,
      private_key: payer.privateKey,
      ...(spec.family === 'solana' ? { secret_key: payer.privateKey } : {}),
    },
  };
}

/** Writes sandbox.json, readable by its owner alone and never half written. */
export function writeDescription(
  dataDirectory: string,
  { publicUrl, accounts, networks }: { publicUrl: string; accounts: DemoAccounts; networks: NetworksDescription },
): void {
  const { operator, merchants, stores } = accounts;
  writePrivately(path.join(dataDirectory, 'sandbox.json'), {
    base_url: publicUrl,
    operator,
    merchants,
    stores,
    networks,
  });
}
