'use client';
// Has the wallet that paid sign for the refund address. On a press it looks for wallets in this browser and requests a
// signature from one. Then it sends the surrounding form.

import { useRef, useState } from 'react';
import type { BrowserWallet } from '@/lib/payments/checkout/browser/discover';
import type { SignFault, SignStep } from '@/lib/payments/checkout/browser/sign-with';

/** Texts that still contain `{wallet}`: only the browser knows its name. */
export type SignTexts = Readonly<Record<'button' | 'here' | 'none' | SignStep | SignFault, string>>;

type Props = {
  readonly family: BrowserWallet['family'];
  /** The account that has to sign, as wallets write it. */
  readonly signer: string;
  readonly text: string;
  readonly words: SignTexts;
  readonly isPrimary: boolean;
};

type State = { readonly at: 'idle' | 'busy' | 'failed'; readonly message: string };

export function SignAddress({ family, signer, text, words, isPrimary }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [wallets, setWallets] = useState<readonly BrowserWallet[]>([]);
  const [state, setState] = useState<State>({ at: 'idle', message: '' });
  const isBusy = state.at === 'busy';
  const look = async (): Promise<void> => {
    setState({ at: 'busy', message: '' });
    const found = await findWallets(family);
    setWallets(found);
    const [only, ...others] = found;
    if (!only) setState({ at: 'failed', message: words.none });
    else if (others.length > 0) setState({ at: 'idle', message: '' });
    else await sign(only);
  };
  const sign = async (wallet: BrowserWallet): Promise<void> => {
    const show = (at: State['at'], what: SignStep | SignFault) =>
      setState({ at, message: filled(words[what], wallet) });
    const { signWith } = await import('@/lib/payments/checkout/browser/sign-with');
    const signed = await signWith(wallet, { signer, text }, (step) => show('busy', step));
    if ('fault' in signed) return show('failed', signed.fault);
    if (!field.current) return;
    field.current.value = signed.signature;
    field.current.form?.requestSubmit();
  };
  /** The signing code is loaded on demand, so this fails when the browser is offline. */
  const attempt = (work: Promise<void>): void => {
    work.catch(() => setState({ at: 'failed', message: words.unclear }));
  };
  return (
    <div className="address-sign-ways">
      <input ref={field} type="hidden" name="signature" />
      {wallets.length > 1 ? (
        <>
          <p className="label">{words.here}</p>
          {wallets.map((wallet) => (
            <button
              key={wallet.id}
              type="button"
              className="button-quiet wallet"
              disabled={isBusy}
              onClick={() => attempt(sign(wallet))}
            >
              {wallet.icon !== null && <img src={wallet.icon} alt="" width={24} height={24} />}
              <bdi>{wallet.name}</bdi>
            </button>
          ))}
        </>
      ) : (
        <button
          type="button"
          className={isPrimary ? 'button' : 'button-quiet'}
          disabled={isBusy}
          onClick={() => attempt(look())}
        >
          {words.button}
        </button>
      )}
      <p className={`wallet-said wallet-${state.at}`} role="status" data-wallet={state.at}>
        {state.message}
      </p>
    </div>
  );
}

/** Wallets announce themselves at once on request; older ones are found after half a second (discover.ts). */
const DISCOVERY_MILLISECONDS = 700;

async function findWallets(family: BrowserWallet['family']): Promise<readonly BrowserWallet[]> {
  const { discoverWallets } = await import('@/lib/payments/checkout/browser/discover');
  const found: BrowserWallet[] = [];
  const end = discoverWallets((one) => found.push(one));
  await new Promise((resolve) => setTimeout(resolve, DISCOVERY_MILLISECONDS));
  end();
  return found.filter((one) => one.family === family);
}

/** The name is untrusted text: it is isolated, so that its direction does not rearrange the sentence. */
const filled = (text: string, { name }: BrowserWallet): string =>
  text.replaceAll('{wallet}', () => `\u2068${name}\u2069`);
