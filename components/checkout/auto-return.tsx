'use client';
// The countdown after which a finished page goes back to the shop, with the link that goes now and the button that stays. What
// counts is loaded once this is drawn, so that pages that are still to be paid do not carry it.

import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { CountdownState } from '@/lib/checkout/browser/shop-countdown';

type Props = {
  readonly sessionId: string;
  /** What to say by the seconds that are left; the first one while leaving. */
  readonly sentences: readonly string[];
  readonly stayed: string;
  /** The link that goes and the form that stays. */
  readonly children: ReactNode;
};

export function AutoReturn({ sessionId, sentences, stayed, children }: Props) {
  const seconds = sentences.length - 1;
  const [{ now, left }, show] = useState<CountdownState>({ now: 'counting', left: seconds });
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    let end: (() => void) | undefined;
    let isOver = false;
    void import('@/lib/checkout/browser/shop-countdown').then(({ startCountdown }) => {
      if (!isOver && section.current)
        end = startCountdown(section.current, { key: `stays ${sessionId}`, seconds, show });
    });
    return () => {
      isOver = true;
      end?.();
    };
  }, [sessionId, seconds]);
  const isCounting = now === 'counting';
  return (
    <section ref={section} className="shop-return" data-return={now}>
      {/* A timer is silent for screen readers: they hear once, below, when the page will go. */}
      <p className="shop-return-text" tabIndex={-1} role={isCounting ? 'timer' : undefined}>
        {now === 'staying' ? stayed : sentences[now === 'leaving' ? 0 : left]}
      </p>
      {children}
      <p className="only-read" role="status">
        {isCounting && left < seconds ? sentences.at(-2) : ''}
      </p>
    </section>
  );
}
