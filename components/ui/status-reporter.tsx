'use client';
// Tells the page that opened or framed this one how the payment stands, if it is one that the store has listed: every listed
// origin is named as the only one that may read the message, so any other page is told nothing. Draws nothing.

import { useEffect } from 'react';

/** The script on the shop's page closes this window sooner; after that the page goes back by itself. */
const ANSWER_MS = 1000;

export type Report = { readonly session_id: string; readonly status: string; readonly payment_status: string };

/** `origins`: those that the store has listed. The report says what anybody with the page's address can see on it. */
export function StatusReporter({ origins, report }: { origins: readonly string[]; report: Report }) {
  const { session_id, status, payment_status } = report;
  useEffect(() => {
    tell(origins, { type: 'stabletill.status', session_id, status, payment_status });
  }, [origins, session_id, status, payment_status]);

  useEffect(() => {
    if (!shopWindow()) return;
    // The frame has the keyboard, so the shop's page does not hear this key.
    const onKey = (event: KeyboardEvent) => {
      if (!isFramed() || event.key !== 'Escape' || event.defaultPrevented) return;
      tell(origins, { type: 'stabletill.close', session_id });
    };
    // Back to the shop means the shop's own page: never the shop inside its own frame, nor a second one in the pop-up.
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
      // Wallets' pages refuse to be framed.
      if (isFramed() && link.matches('.open-wallet') && link.protocol === 'https:') link.target = '_blank';
      if (!link.dataset.link) return;
      event.preventDefault();
      const { href } = link;
      tell(origins, { type: 'stabletill.return', session_id, url: href });
      setTimeout(() => window.open(href, isFramed() ? '_top' : '_self'), ANSWER_MS);
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

/** The page that framed or opened this one; null when there is none, or it is gone. */
const shopWindow = (): Window | null => (isFramed() ? window.parent : (window.opener as Window | null));

function tell(origins: readonly string[], message: Readonly<Record<string, string>>): void {
  const listener = shopWindow();
  if (!listener) return;
  for (const origin of origins) listener.postMessage(message, origin);
}
