// Pays with a discovered browser wallet. Loads the code of its family here.

import type { BrowserWallet } from './discover';
import type { PayByWallet } from './payment';
import type { SolanaDraftAnswer } from './solana';

/** The payment function for this wallet. */
export async function payWith({ family, provider }: BrowserWallet): Promise<PayByWallet> {
  switch (family) {
    case 'evm':
      return (await import('./evm')).payByEvm(provider);
    case 'tron': {
      const { payByTron, legacyTronWeb } = await import('./tron');
      return payByTron(provider, legacyTronWeb);
    }
    case 'solana': {
      const [{ payBySolana }, { base58 }] = await Promise.all([import('./solana'), import('@scure/base')]);
      return (payment, onStep) =>
        payBySolana(provider, (account) => requestDraft(payment, account), base58.encode)(payment, onStep);
    }
  }
}

async function requestDraft(
  { sessionId, currency }: Parameters<PayByWallet>[0],
  account: string,
): Promise<SolanaDraftAnswer> {
  const query = new URLSearchParams({ account, currency });
  const answer = await fetch(`/pay/${sessionId}/solana-payment?${query}`, { cache: 'no-store' });
  return answer.ok ? ((await answer.json()) as SolanaDraftAnswer) : { fault: { why: 'unavailable' } };
}
