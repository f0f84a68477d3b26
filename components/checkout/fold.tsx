'use client';
// Folds the choice away once there is nothing left to choose in it, again whenever one of its networks was pressed. Without scripts
// the server's drawing says whether it is open, where the stylesheet lets it fold at all.

import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react';

type Props = {
  readonly isFolded: boolean;
  /** What was chosen: another choice folds what was opened by hand. */
  readonly choice: string;
  readonly children: ReactNode;
};

export function Fold({ isFolded, choice, children }: Props) {
  const element = useRef<HTMLDetailsElement>(null);
  const drawn = useRef(`${isFolded} ${choice}`);
  useLayoutEffect(() => {
    const now = `${isFolded} ${choice}`;
    if (drawn.current === now) return;
    drawn.current = now;
    if (element.current) setOpen(element.current, !isFolded);
  }, [isFolded, choice]);
  useEffect(() => {
    const details = element.current;
    // Who presses what is chosen already says yes to it, and nothing is drawn anew.
    const onClick = ({ target }: MouseEvent) => {
      const link = target instanceof Element ? target.closest('.networks a[aria-current]') : null;
      if (details && isFolded && link) setOpen(details, false);
    };
    details?.addEventListener('click', onClick);
    return () => details?.removeEventListener('click', onClick);
  }, [isFolded]);
  return (
    <details ref={element} className="choice" open={!isFolded}>
      {children}
    </details>
  );
}

/** Where it folds, whoever was inside with the keyboard goes on from its summary; elsewhere there is no summary to be seen. */
function setOpen(details: HTMLDetailsElement, isOpen: boolean): void {
  const hadFocus = details.contains(document.activeElement);
  details.open = isOpen;
  const summary = details.querySelector('summary');
  if (!isOpen && hadFocus && summary && summary.getClientRects().length > 0) summary.focus();
}
