'use client';
// A short explanation on hover and on focus. The keyboard can always reach the explained element.

import * as Ariakit from '@ariakit/react';
import type { ReactElement, ReactNode } from 'react';

type Props = {
  readonly text: ReactNode;
  /** The explained element; it takes the focus. */
  readonly children: ReactElement;
};

export function Tooltip({ text, children }: Props) {
  return (
    <Ariakit.TooltipProvider timeout={300}>
      <Ariakit.TooltipAnchor render={children} />
      <Ariakit.Tooltip
        unmountOnHide
        gutter={6}
        className="z-50 max-w-xs rounded-lg bg-ink px-2.5 py-1.5 text-xs text-surface shadow-pop"
      >
        {text}
      </Ariakit.Tooltip>
    </Ariakit.TooltipProvider>
  );
}
