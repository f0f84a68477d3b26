// $DATA_DIR/sandbox.json: what a developer or a test needs to use the sandbox from outside (sandbox.md, Starting).

import path from 'node:path';
import { z } from 'zod';
import type { LocalChains } from './chains/start';
import type { DemoAccounts } from './demo-accounts';
import { writePrivately } from './private-file';

const networkDescription = z.object({
  rpc_url: z.string(),
  /** Null where the network has no such number (Solana). */
  chain_id: z.number().nullable(),
  tokens: z.record(z.string(), z.object({ address: z.string(), decimals: z.number() })),
  payer: z.object({ address: z.string(), private_key: z.string() }),
});

/** The part about the chains as the sandbox process prints it and `prepare.ts` is given it. */
export const networksDescription = z.record(z.string(), networkDescription);
export type NetworksDescription = z.output<typeof networksDescription>;

/** The chains by network. Holds the payers' keys, which are worth nothing outside this machine. */
export function describeNetworks(chains: LocalChains): NetworksDescription {
  return Object.fromEntries(
    [...chains.networks.values()].map(({ network, rpcUrl, spec, payer }) => [
      network,
      {
        rpc_url: rpcUrl,
        chain_id: spec.chainId,
        tokens: Object.fromEntries(
          Object.entries(spec.tokens).map(([currency, { contract, decimals }]) => [
            currency,
            { address: contract, decimals },
          ]),
        ),
        payer: { address: payer.address, private_key: payer.privateKey },
      },
    ]),
  );
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
