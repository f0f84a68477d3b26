'use client';
// Copies the address at each press on a link to a wallet app, and says so: a browser does not tell whether an app opened.

import { useEffect, useRef, useState, type ReactNode } from 'react';

/** `children`: links with what to say after copying in `data-copied`. */
export function OpenOrCopy({ address, failed, children }: { address: string; failed: string; children: ReactNode }) {
  const [said, say] = useState('');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    const copy = ({ target }: Event): void => {
      const copied = (target as Element).closest('a')?.dataset.copied;
      if (copied === undefined) return;
      navigator.clipboard.writeText(address).then(
        () => say(copied),
        () => say(failed),
      );
    };
    element?.addEventListener('click', copy);
    return () => element?.removeEventListener('click', copy);
  }, [address, failed]);
  return (
    <div ref={box}>
      {children}
      <p className="open-wallets-said" role="status">
        {said}
      </p>
    </div>
  );
}
