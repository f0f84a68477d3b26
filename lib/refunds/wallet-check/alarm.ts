// The alarm for a refund wallet that could not be compared for an hour, for any reason: the network goes into quarantine, and the operators
// get a mail. The worker ends the quarantine once a comparison succeeds (lib/worker/quarantine.ts).

import type { Context } from '@/lib/platform/context';
import { quarantine } from '@/lib/platform/database/quarantine';
import type { SendingContext } from '@/lib/refunds/sending/sending-context';
import { recordTrouble, type WalletChain } from './known';

/** Endpoint outages, a database start and a recovery all end sooner. */
const ALARM_AFTER_MILLISECONDS = 3_600_000;

type Failing = WalletChain & {
  readonly context: Pick<Context, 'pool' | 'clock' | 'log'>;
  readonly sending: Pick<SendingContext, 'environment' | 'network'>;
};

export async function recordFailedComparison(
  { context, sending, chainId }: Failing,
  { error, lastComparison }: { readonly error: unknown; readonly lastComparison: Date | null },
): Promise<void> {
  const now = context.clock.now();
  const since = await recordTrouble({ context, chainId }, { now, lastComparison });
  if (now.getTime() - since.getTime() < ALARM_AFTER_MILLISECONDS) return;
  const { environment, network } = sending;
  const subject = { kind: 'wallet', id: String(chainId), environment, network } as const;
  const deps = { db: context.pool, clock: context.clock, log: context.log };
  await quarantine(deps, `refunds ${environment} ${network}`, subject, error);
}
