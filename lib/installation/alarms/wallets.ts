// What needs an operator about the wallets of the installation: one that an issuer blocks, and one on TRON whose permissions changed. The
// subject names the token or the permission, and what the wallet is for.

import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { readWalletWarnings } from '@/lib/treasury/own-wallets/report';

type WalletFact = {
  readonly kind: 'wallet_blocked' | 'wallet_permissions';
  readonly environment: 'live' | 'test';
  readonly subject: string;
  readonly count: number;
};

export async function readWalletFacts({
  pool,
  config,
}: Pick<Context, 'pool' | 'config'>): Promise<readonly WalletFact[]> {
  const specs = offers(config).map(({ spec }) => spec);
  const facts = (await readWalletWarnings(pool, specs)).flatMap(({ environment, network, role, blocked, change }) => {
    const about = (kind: WalletFact['kind'], what: string) => ({
      ...{ kind, environment },
      subject: `${environment} ${network} ${what} ${role}`,
    });
    return [
      ...blocked.map((currency) => about('wallet_blocked', currency)),
      ...(change === null ? [] : [about('wallet_permissions', change)]),
    ];
  });
  // Two former treasuries may be blocked by one issuer: one alarm.
  const isSame = (one: (typeof facts)[number], other: (typeof facts)[number]): boolean =>
    one.kind === other.kind && one.subject === other.subject;
  return facts
    .filter((one, at) => facts.findIndex((other) => isSame(one, other)) === at)
    .map((one) => ({ ...one, count: facts.filter((other) => isSame(one, other)).length }));
}
