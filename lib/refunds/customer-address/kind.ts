// Determines on the chain whether an address that a customer typed is a wallet or a contract. The web process opens the endpoints of its settings on first
// use.

import type { AddressKind, ChainSender } from '@/lib/networks/sending/send';
import { openSender } from '@/lib/networks/families/clients';
import { endpointsOf } from '@/lib/networks/registry';
import { ChainError } from '@/lib/networks/chain';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';

export type RequestedAddress = {
  readonly environment: Environment;
  readonly network: string;
  readonly address: string;
};

/** The kind of an address. Throws a ChainError when no endpoint responds. */
type KindOf = (requested: RequestedAddress) => Promise<AddressKind>;

/** The context of a use case that takes addresses; without `kindOf` it uses the chains of the settings. */
export type AddressContext = Context & { readonly kindOf?: KindOf };

/** Short, because a person waits for the response. */
const TIMEOUT_MILLISECONDS = 5000;

/** Settings never change while a process runs. Sharing the senders saves checking each endpoint's chain again for every customer. */
const opened = new WeakMap<Config, Map<string, Pick<ChainSender, 'kindOf'>>>();

/** Whether an address is a wallet. Throws SERVICE_UNAVAILABLE when that is unknown: an unchecked address is never accepted. */
export async function isWallet(context: AddressContext, requested: RequestedAddress): Promise<boolean> {
  try {
    const kind = await (context.kindOf ?? kindFrom(context))(requested);
    if (kind !== 'unknown') return kind === 'wallet';
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    context.log.warn(
      { network: requested.network, fault: error.fault },
      `an address cannot be checked: ${error.message}`,
    );
  }
  const message = 'The network cannot check this address now. Try again shortly.';
  throw new ServiceError('SERVICE_UNAVAILABLE', { message });
}

const kindFrom =
  (context: Context): KindOf =>
  async (requested) => {
    const senders = opened.get(context.config) ?? new Map<string, Pick<ChainSender, 'kindOf'>>();
    opened.set(context.config, senders);
    const name = `${requested.environment} ${requested.network}`;
    const sender = senders.get(name) ?? openFor(context, requested);
    senders.set(name, sender);
    return sender.kindOf(requested.address);
  };

function openFor({ config, clock, log }: Context, requested: RequestedAddress): ChainSender {
  const endpoints = endpointsOf(config, { clock, log }, requested);
  if (!endpoints) throw new ChainError('unavailable', `${requested.network} has no endpoint in the settings`);
  const needed = config.AGREEMENT_ENDPOINTS;
  return openSender({ ...endpoints, needed, clock, log, timeoutMs: TIMEOUT_MILLISECONDS });
}
