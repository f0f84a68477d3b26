'use client';
// Links that open a wallet app on a network without a payment link that every wallet reads. A browser does not tell whether an
// app opened, so each press also copies the address and says so.

import { useState } from 'react';

type WalletApp = {
  readonly href: string;
  readonly text: string;
  /** What screen readers call it; holds the visible text. */
  readonly label: string;
  /** Says that the address was copied. */
  readonly copied: string;
};
type Props = {
  readonly address: string;
  readonly apps: readonly WalletApp[];
  readonly words: Readonly<Record<'label' | 'failed', string>>;
};

export function OpenOrCopy({ address, apps, words }: Props) {
  const [said, setSaid] = useState('');
  const copy = (copied: string) =>
    navigator.clipboard.writeText(address).then(
      () => setSaid(copied),
      () => setSaid(words.failed),
    );
  return (
    <div className="open-wallets" role="group" aria-label={words.label}>
      {apps.length > 1 && <p className="label">{words.label}</p>}
      <div className="open-wallets-apps">
        {apps.map(({ href, text, label, copied }) => (
          <a
            key={href}
            className="button open-wallet"
            href={href}
            rel="noreferrer"
            aria-label={label}
            onClick={() => void copy(copied)}
          >
            <bdi>{text}</bdi>
          </a>
        ))}
      </div>
      <p className="open-wallets-said" role="status">
        {said}
      </p>
    </div>
  );
}
