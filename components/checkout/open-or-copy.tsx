'use client';
// Copies the address at each press on a link to a wallet app, and says so: a browser does not tell whether an app opened.

import { useState, type MouseEvent, type ReactNode } from 'react';

/** `children`: links with what to say after copying in `data-copied`. */
export function OpenOrCopy({ address, failed, children }: { address: string; failed: string; children: ReactNode }) {
  const [said, say] = useState('');
  const copy = ({ target }: MouseEvent): void => {
    const copied = (target as Element).closest('a')?.dataset.copied;
    if (copied === undefined) return;
    navigator.clipboard.writeText(address).then(
      () => say(copied),
      () => say(failed),
    );
  };
  return (
    <div onClick={copy}>
      {children}
      <p className="open-wallets-said" role="status">
        {said}
      </p>
    </div>
  );
}
