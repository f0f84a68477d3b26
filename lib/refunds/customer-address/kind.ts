// Asks a chain what is at an address that somebody typed. The web process asks the endpoints of its settings, which it opens
// when the first customer needs them.

import type { AddressKind, ChainSender } from '@/lib/networks/sending/send';
import { openSender } from '@/lib/networks/sending/senders';
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

/** What is at an address. Throws a ChainError when nobody answers. */
export type KindOf = (asked: RequestedAddress) => Promise<AddressKind>;

/** A context of a use-case that takes addresses; `kindOf` asks the chains of the settings unless it is given. */
export type AddressContext = Context & { readonly kindOf?: KindOf };

/** A person waits for the answer. */
const TIMEOUT_MILLISECONDS = 5000;

/** Settings never change while a process runs, and endpoints need not prove who they are for every customer anew. */
const opened = new WeakMap<Config, Map<string, Pick<ChainSender, 'kindOf'>>>();

/** Whether an address is a wallet. Throws SERVICE_UNAVAILABLE when the chain does not tell: it is not taken unchecked. */
export async function isWallet(context: AddressContext, asked: RequestedAddress): Promise<boolean> {
  try {
    const kind = await (context.kindOf ?? kindFrom(context))(asked);
    if (kind !== 'unknown') return kind === 'wallet';
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    context.log.warn({ network: asked.network, fault: error.fault }, `an address cannot be checked: ${error.message}`);
  }
  const message = 'The network cannot be asked about this address now. Try again shortly.';
  throw new ServiceError('SERVICE_UNAVAILABLE', { message });
}

const kindFrom =
  (context: Context): KindOf =>
  async (asked) => {
    const senders = opened.get(context.config) ?? new Map<string, Pick<ChainSender, 'kindOf'>>();
    opened.set(context.config, senders);
    const name = `${asked.environment} ${asked.network}`;
    const sender = senders.get(name) ?? openFor(context, asked);
    senders.set(name, sender);
    return sender.kindOf(asked.address);
  };

function openFor({ config, clock, log }: Context, asked: RequestedAddress): ChainSender {
  const endpoints = endpointsOf(config, { clock, log }, asked);
  if (!endpoints) throw new ChainError('unavailable', `${asked.network} has no endpoint in the settings`);
  const needed = config.AGREEMENT_ENDPOINTS;
  return openSender({ ...endpoints, needed, clock, log, timeoutMs: TIMEOUT_MILLISECONDS });
}
