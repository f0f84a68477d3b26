'use client';
// The wallets that live in this browser, one button each: connect and pay without leaving the page. Draws nothing until it has
// found one. It only tells what the wallet said; that money arrived is for the server to say.

import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import type { BrowserWallet } from '@/lib/checkout/browser/discover';
import type { BrowserPayment, PayFault, PayStep } from '@/lib/checkout/browser/payment';
import type { PublicStatus } from '@/lib/sessions/checkout-view';

/** Texts with `{wallet}` and `{balance}` still in them: the names are known here only. */
export type WalletWords = Readonly<Record<PayStep | PayFault['why'] | 'here' | 'pay' | 'sent', string>> & {
  /** By family: "use it to pay on …", with the address of the page that offers it. */
  readonly elsewhere: readonly { readonly family: string; readonly text: string; readonly href: string }[];
};

type Props = { readonly payment: BrowserPayment; readonly words: WalletWords };

type State =
  | { readonly at: 'idle' }
  | { readonly at: 'busy'; readonly step: PayStep; readonly wallet: string }
  | { readonly at: 'failed'; readonly fault: PayFault; readonly wallet: string }
  | { readonly at: 'sent'; readonly wallet: string };

export function Wallets({ payment, words }: Props) {
  const router = useRouter();
  const wallets = useWallets();
  const [state, setState] = useState<State>({ at: 'idle' });
  useEffect(() => setState(remembered(payment)), [payment]);

  const pay = async (wallet: BrowserWallet): Promise<void> => {
    const step = (now: PayStep) => setState({ at: 'busy', step: now, wallet: wallet.name });
    step('preparing');
    try {
      const isSame = await isStillAsked(payment);
      if (!isSame) {
        setState({ at: 'failed', fault: { why: 'changed' }, wallet: wallet.name });
        router.refresh();
        return;
      }
      const payBy = await wallet.load();
      const hash = await payBy(payment, step);
      remember(payment, { wallet: wallet.name, hash });
      setState({ at: 'sent', wallet: wallet.name });
    } catch (error) {
      setState({ at: 'failed', fault: faultOf(error), wallet: wallet.name });
    }
  };

  const mine = wallets.filter(({ family }) => family === payment.family);
  const others = words.elsewhere.flatMap(({ family, text, href }) => {
    const wallet = wallets.find((one) => one.family === family);
    return wallet && family !== payment.family ? [{ text: filled(text, wallet.name), href }] : [];
  });
  const isOut = state.at === 'sent';
  if (mine.length === 0 && others.length === 0 && state.at === 'idle') return null;
  return (
    <section className="wallets" aria-label={words.here}>
      <p className="label">{words.here}</p>
      {!isOut &&
        mine.map((wallet) => (
          <button
            key={wallet.id}
            type="button"
            className="button wallet"
            disabled={state.at === 'busy'}
            onClick={() => void pay(wallet)}
          >
            {wallet.icon !== null && <img src={wallet.icon} alt="" width={24} height={24} />}
            <span>{filled(words.pay, wallet.name)}</span>
          </button>
        ))}
      {!isOut &&
        others.map(({ text, href }) => (
          <a key={href} className="wallet-elsewhere" href={href}>
            {text}
          </a>
        ))}
      <p className={`wallet-said wallet-${state.at}`} role="status" data-wallet={state.at}>
        {said(state, words)}
      </p>
    </section>
  );
}

/** The wallets found so far. Looking for them is loaded once the page stands. */
function useWallets(): readonly BrowserWallet[] {
  const [wallets, setWallets] = useState<readonly BrowserWallet[]>([]);
  useEffect(() => {
    let end: (() => void) | undefined;
    let isOver = false;
    void import('@/lib/checkout/browser/discover').then(({ discoverWallets }) => {
      if (!isOver) end = discoverWallets((one) => setWallets((known) => [...known, one]));
    });
    return () => {
      isOver = true;
      end?.();
      setWallets([]);
    };
  }, []);
  return wallets;
}

/** Whether the server still asks for exactly this, so that nobody pays a second time from a page that has grown old. */
async function isStillAsked({ sessionId, network, currency, recipient, amount }: BrowserPayment): Promise<boolean> {
  const answer = await fetch(`/pay/${sessionId}/status`, {
    cache: 'no-store',
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  if (!answer?.ok) throw { fault: { why: 'unavailable' } };
  const { methods } = (await answer.json()) as PublicStatus;
  const method = methods.find((one) => one.network === network && one.currency === currency);
  return method?.address === recipient && method.amount === amount;
}

/** A failure that nobody foresaw may have come after the wallet had sent. */
function faultOf(error: unknown): PayFault {
  const fault = (error as { fault?: PayFault } | null)?.fault;
  return fault ?? { why: 'unclear' };
}

function said(state: State, words: WalletWords): string {
  switch (state.at) {
    case 'idle':
      return '';
    case 'busy':
      return filled(words[state.step], state.wallet);
    case 'failed':
      return filled(words[state.fault.why], state.wallet, 'balance' in state.fault ? state.fault.balance : '');
    case 'sent':
      return filled(words.sent, state.wallet);
  }
}

/** The name is foreign text: it is isolated, so that its direction rearranges nothing. */
const filled = (text: string, wallet: string, balance = ''): string =>
  text.replaceAll('{wallet}', () => `\u2068${wallet}\u2069`).replaceAll('{balance}', () => balance);

type Sent = { readonly wallet: string; readonly hash: string };

/** What was sent from here is told again after a reload, as long as the same amount is still asked for. */
const keyOf = ({ sessionId, units }: BrowserPayment): string => `sent ${sessionId} ${units}`;

function remember(payment: BrowserPayment, sent: Sent): void {
  try {
    sessionStorage.setItem(keyOf(payment), JSON.stringify(sent));
  } catch {
    // Without storage only the reload is not covered.
  }
}

function remembered(payment: BrowserPayment): State {
  try {
    const text = sessionStorage.getItem(keyOf(payment));
    return text === null ? { at: 'idle' } : { at: 'sent', wallet: (JSON.parse(text) as Sent).wallet };
  } catch {
    return { at: 'idle' };
  }
}
