// What a seed decides about payouts: what the signer pays out, and how long a new address waits.

import type { Random } from '@/simulation/random';

/** `perHour`: cents of one currency that the signer pays out in an hour. `delaySeconds`: before a new address is paid. */
export type PayoutSettings = { readonly perHour: bigint; readonly delaySeconds: number };

export const drawPayouts = (random: Random): PayoutSettings => ({
  perHour: random.pick([10n ** 12n, 10n ** 12n, 90_000n]),
  delaySeconds: random.pick([0, 60, 300]),
});

/** In cents. The limit of an hour is the one that a history reaches. */
export const payoutLimits = ({ perHour }: PayoutSettings) => ({ perRefund: 10n ** 9n, perHour, perDay: 10n ** 12n });
