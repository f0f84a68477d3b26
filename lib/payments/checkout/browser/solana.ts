// Pays with a Solana browser wallet (Wallet Standard). It connects, gets the transfer for that account from our server, and has the
// wallet sign and send it. The server's response also reports when the account cannot pay.

import { PaymentFailed, refusal, type PayByWallet, type PayFault } from './payment';

export type SolanaAccount = { readonly address: string; readonly chains?: readonly string[] };

/** The parts of the Wallet Standard that a payment uses. */
export type SolanaWallet = {
  readonly name: string;
  readonly icon?: string;
  readonly chains: readonly string[];
  readonly accounts: readonly SolanaAccount[];
  readonly features: Readonly<Record<string, unknown>>;
};

const CONNECT = 'standard:connect';
const SEND = 'solana:signAndSendTransaction';

type Connect = { connect(): Promise<{ readonly accounts: readonly SolanaAccount[] }> };
type Send = {
  signAndSendTransaction(input: {
    account: SolanaAccount;
    chain: string;
    transaction: Uint8Array;
  }): Promise<readonly { readonly signature: Uint8Array }[]>;
};

/** The response of our server: the unsigned transaction, or why the account cannot pay. */
export type SolanaDraftAnswer = { readonly transaction: string } | { readonly fault: PayFault };
export type RequestDraft = (account: string) => Promise<SolanaDraftAnswer>;

/** A payment function for this wallet. `requestDraft` calls our server; `encode` formats a signature. */
export const payBySolana =
  (wallet: SolanaWallet, requestDraft: RequestDraft, encode: (signature: Uint8Array) => string): PayByWallet =>
  async (payment, onStep) => {
    onStep('connect');
    const [account] = await solanaAccounts(wallet);
    if (!(account.chains ?? wallet.chains).includes(payment.chain)) throw new PaymentFailed({ why: 'wrong_network' });
    onStep('preparing');
    const draft = await requestDraft(account.address);
    if ('fault' in draft) throw new PaymentFailed(draft.fault);
    const transaction = Uint8Array.from(atob(draft.transaction), (character) => character.codePointAt(0) ?? 0);
    onStep('confirm');
    try {
      const feature = wallet.features[SEND] as Send;
      const [sent] = await feature.signAndSendTransaction({ account, chain: payment.chain, transaction });
      if (sent) return encode(sent.signature);
    } catch (error) {
      throw refusal(error, 'unclear');
    }
    throw new PaymentFailed({ why: 'unclear' });
  };

/** Connects: the accounts that the page may see, the current one first. */
export async function solanaAccounts(wallet: SolanaWallet): Promise<readonly [SolanaAccount, ...SolanaAccount[]]> {
  try {
    const { accounts } = await (wallet.features[CONNECT] as Connect).connect();
    const [account, ...others] = accounts.length > 0 ? accounts : wallet.accounts;
    if (account) return [account, ...others];
  } catch (error) {
    throw refusal(error, 'locked');
  }
  throw new PaymentFailed({ why: 'locked' });
}
