// Why a payment cannot be sent, in the same sentences on every network. Operators and merchants read them.

import { SendHold, SendRefused, type PaymentOrder } from './send';

/** The transfer of a payment, with addresses as its network compares them. */
export type Payment = Pick<PaymentOrder, 'currency' | 'contract' | 'to' | 'amount'> & { readonly from: string };

export const unknownToken = (network: string, currency: string): SendRefused =>
  new SendRefused('wrong_token', `${network} has no such ${currency}`);
export const badRecipient = (): SendRefused =>
  new SendRefused('bad_recipient', 'the recipient is not an address that can be paid');
export const refusedByContract = (currency: string): SendRefused =>
  new SendRefused('reverts', `the contract of ${currency} refuses this transfer`);
export const recipientBlocked = (currency: string): SendRefused =>
  new SendRefused('recipient_blocked', `the issuer of ${currency} has blocked the recipient`);

export const walletBlocked = (currency: string): SendHold =>
  new SendHold('wallet_blocked', `the issuer of ${currency} has blocked the refund wallet`);
export const tokenPaused = (currency: string): SendHold =>
  new SendHold('token_paused', `the issuer of ${currency} has stopped all its transfers`);
export const tokenFee = (currency: string): SendHold =>
  new SendHold('token_fee', `the issuer of ${currency} takes a fee of every transfer, so less would arrive`);
export const noFeeCoin = (network: string): SendHold =>
  new SendHold(
    'no_fee_coin',
    `the refund wallet has too little coin for fees on ${network}; the payment waits for more`,
  );
export const tooFewTokens = (currency: string): SendHold =>
  new SendHold('no_tokens', `the refund wallet holds too little ${currency}; the payment waits until it has more`);
