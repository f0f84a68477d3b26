// Why a refund is on hold: one row per code, with the sentence that merchants, operators and pages read. A hold ends when its cause ends,
// unless the sentence names who has to act.

const SENTENCES = {
  destination_needed:
    'No single address is certain to be the customer’s. Send the customer the claim link so that they can enter one.',
  address_unconfirmed:
    'The customer named an address that the payment did not come from. Confirm it in the dashboard, or ask for one by the claim link.',
  address_delay:
    'The customer gave the address that this refund goes to. It is sent after a delay, in which you can cancel it if the address is wrong.',
  no_tokens:
    'The refund wallet has too little of this token. It is sent when the next sweep or the operator has filled the wallet.',
  insufficient_balance:
    'The store’s balance is too small for this refund and its network cost. The refund is sent when payments have raised the balance.',
  account_limit:
    'Refunds have opened this customer’s token account three times in 30 days, and it was closed each time. The refund is sent when the account exists, or to another address that the customer names by the claim link.',
  no_float:
    'The customer is paid in another token or network than the payment came in, and the operator has too little of it. It is sent when the operator has more.',
  peg_unknown:
    'The refund changes one token into the other, and their prices are not known at this moment. It is sent when they are.',
  peg_broken:
    'The refund changes one token into the other, and one of them is not worth a dollar now. It is sent when both are. Until then, a refund in the token that was paid can take its place.',
  not_offered:
    'The refund changes a token into another, and the operator does not offer one of them on its network. Cancel it and refund the token that was paid.',
  token_paused: 'The issuer of the token has stopped all its transfers. It is sent when the issuer allows them again.',
  wallet_blocked:
    'The issuer of the token has blocked the refund wallet. The operator has to act; it is sent once the wallet can pay again.',
  no_fee_coin:
    'The refund wallet has too little of the network’s own coin for the fee. The operator has to put more in.',
  fee_too_high: 'The network’s fee is above the operator’s limit now. It is sent when the fee has come down.',
  fee_too_low: 'The network asks a higher fee than the transaction offers. It is offered again with a higher one.',
  reverts:
    'The token refuses this transfer now. It is tried again, and the payment fails if that goes on for ten minutes.',
  token_fee:
    'The token takes a part of every transfer now, so the full amount would not arrive. The operator has to decide.',
  signer_unavailable: 'The signer does not answer. It is asked again until it does.',
  frozen: 'The operator has stopped all refunds for now.',
  paused: 'The operator has paused these payments on this network. This one is sent when the operator resumes them.',
  limit: 'The signer’s limit for refunds is reached. It is sent when the limit allows it again.',
  not_allowed: 'The signer’s rules do not allow this refund. The operator has to look at it.',
  evidence: 'The proof of where the refund goes did not hold. The operator has to look at it.',
  chain_unavailable: 'The network cannot be reached or trusted at this moment. It is tried again until it can.',
  screened: 'The operator checks this payment before it can be sent.',
  screening_unknown: 'The check of an address is not complete. The payment is sent when it is.',
  approval_needed: 'A refund of this size waits for the operator’s approval.',
  unclear: 'What became of the transaction is not certain. Nothing more is sent before the operator has looked at it.',
} as const satisfies Record<string, string>;

export type HoldCode = keyof typeof SENTENCES;

export const HOLD_CODES = Object.keys(SENTENCES) as readonly HoldCode[];

/** The sentence for a hold's code, in English. */
export const holdSentence = (code: HoldCode): string => SENTENCES[code];

/** Whether text from the database is such a code. */
export const isHoldCode = (text: string): text is HoldCode => Object.hasOwn(SENTENCES, text);
