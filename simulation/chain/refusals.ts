// The transfers that issuers of tokens refuse on a simulated chain: a token with a recipient, or with `*` for all.

import type { SimulatedChain } from './chain';

type Refusals = Pick<SimulatedChain, 'refuse' | 'refusals' | 'allowAll'>;

export const refusalsIn = (refused: Set<string>): Refusals => ({
  refuse: (token, recipient) => {
    const { size } = refused;
    return refused.add(`${token} ${recipient}`).size > size;
  },
  refusals: () => refused.size,
  allowAll: () => refused.clear(),
});

export const isPaused = (refused: ReadonlySet<string>, token: string): boolean => refused.has(`${token} *`);
export const isBlocked = (refused: ReadonlySet<string>, token: string, address: string): boolean =>
  refused.has(`${token} ${address}`);

/** Whether a token's issuer refuses this transfer now. */
export const isRefused = (
  refused: ReadonlySet<string>,
  { token, recipient }: { readonly token: string; readonly recipient: string },
): boolean => isPaused(refused, token) || isBlocked(refused, token, recipient);
