// What left the refund wallet on the simulated chains, each transfer with the payment that it belongs to.

import { currencyOf, fineAmount } from '@/simulation/chain/units';
import { WALLET } from '@/simulation/parties';
import type { Checked } from './check';

/**
 * What left the refund wallet, with the refund or payout that it belongs to. A batch has several payouts: each transfer belongs to one of
 * this payee and amount, as the signer was asked for it.
 */
export const sentFromWallet = ({ world, after }: Pick<Checked, 'world' | 'after'>) =>
  world.chains.flatMap((chain) => {
    const taken = new Set<string>();
    return chain
      .transfers(chain.height())
      .filter(({ payer }) => payer === WALLET[chain.spec.family])
      .map((one) => {
        const currency = currencyOf(chain, one.token);
        const known = after.attempts.filter(({ hash }) => hash === one.hash).map(({ refund_id: id }) => id);
        const ids = new Set([...known, ...(world.lost.payouts.get(one.hash) ?? [])]);
        const own = [...ids].find(
          (id) =>
            ids.size > 1 &&
            !taken.has(`${one.hash} ${id}`) &&
            world.harness.signer.payouts.some(
              (call) => call.id === id && call.to === one.recipient && call.amount === one.amount,
            ),
        );
        const id = own ?? known[0] ?? world.lost.sentRefunds.get(one.hash) ?? null;
        taken.add(`${one.hash} ${id}`);
        return { ...one, chain, currency, id, fine: fineAmount(chain, currency, one.amount) };
      });
  });
