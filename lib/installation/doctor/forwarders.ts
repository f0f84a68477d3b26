// The doctor's findings about forwarders on TRON: whether the service and the signer name the same contracts. Pure. The worker reads the
// contract's code from the chain.

import { forwarderFactories } from '@/lib/networks/families/tron/sweeping/factories';
import type { Config } from '@/lib/platform/config/config';
import type { SignerState } from '@/lib/signer/client';
import type { Finding } from './findings';

const check = 'forwarders';
const SAME =
  'Give the signer the text of TRON_FORWARDERS in SIGNER_TRON_FORWARDERS, and restart the signer and the worker.';

/** Nothing where neither names a contract. */
export function forwarderFindings(
  { TRON_FORWARDERS }: Pick<Config, 'TRON_FORWARDERS'>,
  { sweeps = [] }: Pick<SignerState, 'sweeps'>,
): readonly Finding[] {
  const named = forwarderFactories(TRON_FORWARDERS).flatMap(({ spec, factory }) =>
    factory === null ? [] : [{ name: `${spec.network}@${spec.chain}`, factory }],
  );
  const signers = sweeps.flatMap(({ network: name, forwarders = [] }) =>
    forwarders.map((factory) => ({ name, factory })),
  );
  const networks = [...new Set([...named, ...signers].map(({ name }) => name))];
  const listOf = (all: typeof named, wanted: string) =>
    all
      .filter(({ name }) => name === wanted)
      .map(({ factory }) => factory)
      .join();
  return networks.map((name): Finding => {
    if (listOf(named, name) === listOf(signers, name))
      return { check, state: 'ok', message: `${name}: the service and the signer name the same contracts` };
    const message = `${name}: TRON_FORWARDERS and the signer name different contracts: new addresses are those of keys, and some are not swept`;
    return { check, state: 'fail', message, todo: SAME };
  });
}
