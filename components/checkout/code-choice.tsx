// Selects the QR code: the bare address that every wallet and exchange reads, or one wallet's link. A folded list of
// plain links, so that the server renders only the selected code and the page stays small.

import type { WalletLink } from '@/lib/payments/checkout/wallets/links';
import { getWords, type Words } from '@/lib/i18n/translate';
import { methodName } from '@/lib/payments/checkout/stage';
import type { PayMethod } from '@/lib/payments/checkout/view';

/** The payment link of no particular wallet: EIP-681 or Solana Pay. */
const STANDARD = 'link';

export type ShownCode = {
  /** Null: the bare address. */
  readonly id: string | null;
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  /** The label of the button that opens the link; null without a link. */
  readonly open: string | null;
};

type CodeOptions = {
  readonly method: PayMethod;
  readonly links: readonly WalletLink[];
  readonly wallet: string | undefined;
};

/** The requested code; the bare address if the requested one is not offered. */
export function shownCode({ method, links, wallet }: CodeOptions, { t }: Words): ShownCode {
  const link = links.find(({ id }) => id === wallet);
  if (link) {
    const { id, name, href, kind } = link;
    const hint = t(kind === 'fills_in' ? 'walletFillsIn' : 'walletOpensPage', { wallet: name });
    return {
      id,
      text: href,
      label: t('qrOfWallet', { wallet: name }),
      hint,
      open: t('openInWallet', { wallet: name }),
    };
  }
  const standard = standardOf(method);
  if (wallet === STANDARD && standard !== null) {
    return {
      id: STANDARD,
      text: method.payment_uri,
      label: t('qrOfStandard', { standard }),
      hint: t('qrStandardHint', { standard }),
      open: t('openWallet'),
    };
  }
  return { id: null, text: method.address, label: t('qrLabel'), hint: t('qrHint'), open: null };
}

/** The button that opens a wallet app on this device: the chosen app, or any app that reads the standard link. */
export function openedWith(
  { payment_uri: link }: PayMethod,
  code: ShownCode,
  { t }: Words,
): { readonly href: string; readonly text: string } {
  return code.open !== null ? { href: code.text, text: code.open } : { href: link, text: t('openWallet') };
}

/** The wallet apps for a network without a payment link standard: the chosen one, or all of them. */
export function walletApps(links: readonly WalletLink[], code: ShownCode, { t }: Words) {
  return links
    .filter(({ id }) => code.id === null || code.id === id)
    .map(({ href, name }) => {
      const label = t('openInWallet', { wallet: name });
      return { href, label, text: code.id === null ? name : label, copied: t('walletCopied', { wallet: name }) };
    });
}

type CodeChoiceProps = Pick<CodeOptions, 'method' | 'links'> &
  Pick<ShownCode, 'hint'> & { readonly shown: ShownCode['id'] };

export async function CodeChoice({ method, links, shown, hint }: CodeChoiceProps) {
  const { t } = await getWords();
  const standard = standardOf(method);
  const kinds: readonly { readonly id: string | null; readonly name: string }[] = [
    { id: null, name: t('qrAny') },
    ...links,
    ...(standard === null ? [] : [{ id: STANDARD, name: t('qrStandard', { standard }) }]),
  ];
  const href = (id: string | null) =>
    `?${new URLSearchParams({ method: methodName(method), ...(id === null ? {} : { wallet: id }) })}`;
  return (
    <details className="code-choice fold" open={shown !== null}>
      <summary>{t('otherWallets')}</summary>
      <p className="hint">{hint}</p>
      <nav aria-label={t('qrFor')}>
        <ul>
          {kinds.map(({ id, name }) => (
            <li key={name}>
              <a href={href(id)} aria-current={id === shown || undefined}>
                <bdi>{name}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}

/** The standard of the network's payment link; null where the link is the bare address, which opens no wallet. */
export function standardOf({ payment_uri: uri }: PayMethod): string | null {
  if (uri.startsWith('ethereum:')) return 'EIP-681';
  return uri.startsWith('solana:') ? 'Solana Pay' : null;
}
