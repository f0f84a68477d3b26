'use client';
// Tells the page that opened or framed this one how the payment stands, if it is one that the store has listed: every listed
// origin is named as the only one that may read the message, so any other page is told nothing. Draws nothing.

import { useEffect } from 'react';

export type Report = { readonly session_id: string; readonly status: string; readonly payment_status: string };

/** `origins`: those that the store has listed. The report says what anybody with the page's address can see on it. */
export function StatusReporter({ origins, report }: { origins: readonly string[]; report: Report }) {
  const { session_id, status, payment_status } = report;
  useEffect(() => {
    tell(origins, { type: 'stabletill.status', session_id, status, payment_status });
  }, [origins, session_id, status, payment_status]);

  useEffect(() => {
    if (!isFramed()) return;
    // The frame has the keyboard, so the shop's page does not hear this key.
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) tell(origins, { type: 'stabletill.close', session_id });
    };
    // Back to the shop means the shop's own page, not the shop inside its own frame.
    const onClick = ({ target }: MouseEvent) => {
      const link = target instanceof Element ? target.closest('a[data-link]') : null;
      link?.setAttribute('target', '_top');
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('click', onClick, true);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('click', onClick, true);
    };
  }, [origins, session_id]);
  return null;
}

const isFramed = (): boolean => window.parent !== window;

function tell(origins: readonly string[], message: Readonly<Record<string, string>>): void {
  const listener = isFramed() ? window.parent : (window.opener as Window | null);
  if (!listener) return;
  for (const origin of origins) listener.postMessage(message, origin);
}
