// Whether an endpoint answers the requests of a refund. A provider's plan may allow everything that finding payments needs and
// refuse these. The installation would then accept money that it cannot refund.

import { openBalanceReader, openSender, openUsualFee } from '@/lib/networks/families/clients';
import { ChainError } from '@/lib/networks/chain';
import type { SendingOptions } from '@/lib/networks/registry';

/** Why no refund could be sent through the one endpoint in `options`; null when it works. Sends nothing. */
export async function refundTrouble(options: SendingOptions): Promise<string | null> {
  const { spec } = options;
  // Any address that surely exists: its balance does not matter.
  const address = Object.values(spec.tokens)[0]?.contract ?? '';
  const sender = openSender(options);
  const asks = [
    () => openUsualFee(options)(),
    () => openBalanceReader(options).feeCoin(address),
    () => sender.kindOf(address),
    ...(spec.family === 'evm' ? [() => sender.nextNonce(address)] : []),
  ];
  try {
    for (const ask of asks) await ask();
    return null;
  } catch (error) {
    if (error instanceof ChainError) return error.message;
    throw error;
  }
}
