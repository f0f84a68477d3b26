'use client';
// A word of explanation on hover and on focus. What is explained can always be reached with the keyboard.

import * as Ariakit from '@ariakit/react';
import type { ReactElement, ReactNode } from 'react';

type Props = {
  readonly text: ReactNode;
  /** The element that is explained; it takes the focus. */
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
