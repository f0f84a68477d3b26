// A payment request to a browser wallet, its faults, and its steps. Shared by the three wallet families and the part of the page that
// shows them. Runs in browsers: no Node.js APIs, no libraries.

import type { NetworkFamily } from '@/lib/networks/chain';

export type BrowserPayment = {
  readonly family: NetworkFamily;
  readonly sessionId: string;
  readonly network: string;
  readonly currency: string;
  /** Hexadecimal chain id; on Solana the name of the cluster. */
  readonly chain: string;
  /** The name that a wallet shows when it offers to add the chain. */
  readonly chainName: string;
  /** The token's contract or mint. */
  readonly token: string;
  readonly decimals: number;
  readonly recipient: string;
  /** Base units as decimal text. */
  readonly units: string;
  /** The same for display. */
  readonly amount: string;
  readonly coin: { readonly symbol: string; readonly name: string; readonly decimals: number };
  /** Public endpoints and explorer for a wallet that does not know the chain yet. */
  readonly publicUrls: readonly string[];
  readonly explorer: string | null;
};

/** Why no payment was sent. `unclear`: the wallet failed after the send request, so the payment may have been sent. */
export type PayFault =
  | {
      readonly why:
        'rejected' | 'busy' | 'locked' | 'wrong_network' | 'no_coin' | 'changed' | 'unavailable' | 'unclear';
    }
  | { readonly why: 'no_funds'; readonly balance: string };

/** Thrown by the payment functions; any other error counts as `unclear`. */
export class PaymentFailed extends Error {
  constructor(readonly fault: PayFault) {
    super(fault.why);
    this.name = 'PaymentFailed';
  }
}

/** The next step for the payer. */
export type PayStep = 'connect' | 'switch' | 'preparing' | 'confirm';

/** Requests the payment from a wallet and returns the transaction hash. Throws PaymentFailed. */
export type PayByWallet = (payment: BrowserPayment, onStep: (step: PayStep) => void) => Promise<string>;

/** Base units as decimal text, rounded down to the two digits that amounts have here. */
export function unitsToText(units: bigint, decimals: number): string {
  const cents = units / 10n ** BigInt(decimals - 2);
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The code (EIP-1193 and the wallets' own) and the text of a wallet error. */
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

/** Maps a wallet error to a fault. `otherwise`: the fault when the wallet gives no reason. */
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
