'use client';
// The wallets that live in this browser, one button each: connect and pay without leaving the page. Draws nothing until it has
// found one. It only tells what the wallet said; that money arrived is for the server to say.

import { useRouter } from 'next/navigation';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { BrowserWallet } from '@/lib/checkout/browser/discover';
import type { BrowserPayment, PayFault, PayStep } from '@/lib/checkout/browser/payment';
import { readTab, writeTab } from '@/lib/checkout/browser/tab-storage';
import type { PublicStatus } from '@/lib/sessions/checkout-view';

/** Texts with `{wallet}` and `{balance}` still in them: the names are known here only. */
export type WalletWords = Readonly<Record<PayStep | PayFault['why'] | 'here' | 'pay' | 'sent', string>> & {
  /** By family: "use it to pay on …", with the address of the page that offers it. */
  readonly elsewhere: readonly { readonly family: string; readonly text: string; readonly href: string }[];
};

type Props = { readonly payment: BrowserPayment; readonly words: WalletWords };

/** `of` is the payment that it was about: the page around may meanwhile ask for another. */
type State = { readonly of: string; readonly wallet: string } & (
  | { readonly at: 'busy'; readonly step: PayStep }
  | { readonly at: 'failed'; readonly fault: PayFault }
  | { readonly at: 'sent' }
);

export function Wallets({ payment, words }: Props) {
  const router = useRouter();
  const wallets = useWallets();
  const [last, setLast] = useState<State | null>(null);
  const key = keyOf(payment);
  const stored = useSyncExternalStore(nothingChanges, () => readTab(key), nothing);
  const state: State | null = last?.of === key ? last : stored === null ? null : stateOf(key, stored);

  const pay = async (wallet: BrowserWallet): Promise<void> => {
    const about = { of: key, wallet: wallet.name };
    const before = readTab(key);
    const onStep = (step: PayStep) => {
      // From here on the wallet may send, whether or not this page lives to hear of it.
      if (step === 'confirm') keep(key, { at: 'asked', wallet: wallet.name });
      setLast({ ...about, at: 'busy', step });
    };
    onStep('preparing');
    try {
      const [{ payWith }] = await Promise.all([import('@/lib/checkout/browser/pay-with'), checkStillAsked(payment)]);
      const payBy = await payWith(wallet);
      await payBy(payment, onStep);
      keep(key, { at: 'sent', wallet: wallet.name });
      setLast({ ...about, at: 'sent' });
    } catch (error) {
      const fault = faultOf(error);
      // What became of an earlier try is as unknown as it was.
      if (fault.why !== 'unclear') writeTab(key, before);
      setLast({ ...about, at: 'failed', fault });
      if (fault.why === 'changed') router.refresh();
    }
  };

  const mine = wallets.filter(({ family }) => family === payment.family);
  const others = words.elsewhere.flatMap(({ family, text, href }) => {
    const wallet = wallets.find((one) => one.family === family);
    return wallet && family !== payment.family ? [{ text: filled(text, wallet.name), href }] : [];
  });
  const isOut = state?.at === 'sent';
  if (mine.length === 0 && others.length === 0 && state === null) return null;
  return (
    <section className="wallets" aria-label={words.here}>
      <p className="label">{words.here}</p>
      {!isOut &&
        mine.map((wallet) => (
          <button
            key={wallet.id}
            type="button"
            className="button wallet"
            disabled={state?.at === 'busy'}
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
      <p className={`wallet-said wallet-${state?.at}`} role="status" data-wallet={state?.at}>
        {state && said(state, words)}
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

/** Throws unless the server still asks for exactly this, so that nobody pays a second time from a page that has grown old. */
async function checkStillAsked({ sessionId, network, currency, recipient, amount }: BrowserPayment): Promise<void> {
  const { methods } = await readStatus(sessionId);
  const method = methods.find((one) => one.network === network && one.currency === currency);
  if (method?.address !== recipient || method.amount !== amount) throw new NotAsked('changed');
}

async function readStatus(sessionId: string): Promise<PublicStatus> {
  try {
    const answer = await fetch(`/pay/${sessionId}/status`, { cache: 'no-store', signal: AbortSignal.timeout(10_000) });
    if (answer.ok) return (await answer.json()) as PublicStatus;
  } catch {
    // Told below, like an answer that is none.
  }
  throw new NotAsked('unavailable');
}

/** Of the same shape as PaymentFailed, which is loaded with the wallets' code only. */
class NotAsked extends Error {
  readonly fault: PayFault;
  constructor(why: 'changed' | 'unavailable') {
    super(why);
    this.fault = { why };
  }
}

/** A failure that nobody foresaw may have come after the wallet had sent. */
function faultOf(error: unknown): PayFault {
  const fault = (error as { fault?: PayFault } | null)?.fault;
  return fault ?? { why: 'unclear' };
}

function said(state: State, words: WalletWords): string {
  switch (state.at) {
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

/** What was sent from here is told again after a reload, as long as the same amount is asked for in the same way. */
const keyOf = ({ sessionId, network, currency, units }: BrowserPayment): string =>
  `sent ${sessionId} ${network} ${currency} ${units}`;

const nothingChanges = () => () => {};
const nothing = () => null;

type Kept = { readonly at: 'asked' | 'sent'; readonly wallet: string };

/** Stored as one text, since it is compared at each drawing. */
const keep = (key: string, { at, wallet }: Kept): void => writeTab(key, `${at} ${wallet}`);

/** A page that went away while the wallet was asking does not know what came of it. */
function stateOf(key: string, stored: string): State {
  const [at, ...name] = stored.split(' ');
  const wallet = name.join(' ');
  return at === 'sent' ? { of: key, at, wallet } : { of: key, at: 'failed', wallet, fault: { why: 'unclear' } };
}
