// A payment as it is asked of a wallet in the browser, what comes of asking, and the steps on the way. Shared by the three
// families of wallets and by the part of the page that shows them. Runs in browsers: no node, no library.

import type { NetworkFamily } from '@/lib/networks/chain';

export type BrowserPayment = {
  readonly family: NetworkFamily;
  readonly sessionId: string;
  readonly network: string;
  readonly currency: string;
  /** Hexadecimal chain id; on Solana the name of the cluster. */
  readonly chain: string;
  /** The token's contract or mint. */
  readonly token: string;
  readonly decimals: number;
  readonly recipient: string;
  /** Base units as decimal text. */
  readonly units: string;
  /** The same as people read it. */
  readonly amount: string;
  readonly coin: { readonly symbol: string; readonly name: string; readonly decimals: number };
  /** Public endpoints and explorer that a wallet may be told of when it does not know the chain. */
  readonly publicUrls: readonly string[];
  readonly explorer: string | null;
};

/** Why nothing was sent, or that it is not known. `unclear`: the wallet failed after it was asked to send. */
export type PayFault =
  | {
      readonly why:
        'rejected' | 'busy' | 'locked' | 'wrong_network' | 'no_coin' | 'changed' | 'unavailable' | 'unclear';
    }
  | { readonly why: 'no_funds'; readonly balance: string };

/** Thrown by the ways to pay; everything else that they throw is `unclear`. */
export class PaymentFailed extends Error {
  constructor(readonly fault: PayFault) {
    super(fault.why);
    this.name = 'PaymentFailed';
  }
}

/** What the payer is asked for next. */
export type PayStep = 'connect' | 'switch' | 'preparing' | 'confirm';

/** Asks a wallet to pay and answers the transaction's hash. Throws PaymentFailed. */
export type PayByWallet = (payment: BrowserPayment, onStep: (step: PayStep) => void) => Promise<string>;

/** Base units as decimal text, rounded down to the two digits that amounts have here. */
export function unitsToText(units: bigint, decimals: number): string {
  const cents = units / 10n ** BigInt(decimals - 2);
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** What a wallet threw: its code (EIP-1193 and the wallets' own) and its words. */
export function readWalletError(error: unknown): { readonly code: number | null; readonly text: string } {
  if (typeof error === 'string') return { code: null, text: error };
  if (typeof error !== 'object' || error === null) return { code: null, text: '' };
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  const inner = (data as { originalError?: { code?: unknown } } | undefined)?.originalError?.code;
  const known = [code, inner].find((one) => typeof one === 'number');
  return { code: known ?? null, text: typeof message === 'string' ? message : '' };
}

const REJECTED = [4001, 300];
const BUSY = -32002;
const LOCKED = [4100, 4900];

/** The fault that a wallet's refusal of a question is. `otherwise`: what it means when the wallet does not say. */
export function refusal(
  error: unknown,
  otherwise: PayFault['why'] & ('unavailable' | 'unclear' | 'locked'),
): PaymentFailed {
  if (error instanceof PaymentFailed) return error;
  const { code, text } = readWalletError(error);
  if (
    REJECTED.includes(code ?? 0) ||
    /user rejected|rejected by user|declined|cancell?ed by user|confirmation declined/i.test(text)
  )
    return new PaymentFailed({ why: 'rejected' });
  if (code === BUSY || /already pending/i.test(text)) return new PaymentFailed({ why: 'busy' });
  if (LOCKED.includes(code ?? 0)) return new PaymentFailed({ why: 'locked' });
  if (/insufficient funds|insufficient lamports|balance is not sufficient/i.test(text))
    return new PaymentFailed({ why: 'no_coin' });
  return new PaymentFailed({ why: otherwise });
}
