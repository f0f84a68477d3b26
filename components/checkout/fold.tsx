'use client';
// Folds its content away once there is nothing left to choose in it, again at each choice. Without scripts the server's drawing
// says whether it is open.

import { useLayoutEffect, useRef, type ReactNode } from 'react';

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
    const details = element.current;
    if (!details || drawn.current === `${isFolded} ${choice}`) return;
    drawn.current = `${isFolded} ${choice}`;
    const focused = document.activeElement;
    details.open = !isFolded;
    // Where there is room nothing is hidden, and the focus stays.
    if (isFolded && details.contains(focused) && !focused?.checkVisibility()) details.querySelector('summary')?.focus();
  }, [isFolded, choice]);
  return (
    <details ref={element} className="choice" open={!isFolded}>
      {children}
    </details>
  );
}
