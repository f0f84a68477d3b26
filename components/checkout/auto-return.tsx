'use client';
// The countdown after which a finished page goes back to the shop, with the link that goes now and the button that stays. What
// counts is loaded once this is drawn, so that pages that are still to be paid do not carry it.

import { useEffect, useRef, useState } from 'react';
import type { CountdownState } from '@/lib/checkout/browser/shop-countdown';

type Props = {
  readonly kind: string;
  readonly href: string;
  readonly sessionId: string;
  /** Fields of the form that stays without scripts. */
  readonly stay: Readonly<Record<string, string>>;
  /** What to say by the seconds that are left; the first one while leaving. */
  readonly sentences: readonly string[];
  readonly words: Readonly<Record<'go' | 'stay' | 'stayed', string>>;
};

export function AutoReturn({ kind, href, sessionId, stay, sentences, words }: Props) {
  const seconds = sentences.length - 1;
  const [{ now, left }, show] = useState<CountdownState>({ now: 'counting', left: seconds });
  const link = useRef<HTMLAnchorElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const parts = { link: link.current, form: form.current, text: text.current };
    let end: (() => void) | undefined;
    let isOver = false;
    void import('@/lib/checkout/browser/shop-countdown').then(({ startCountdown }) => {
      if (!isOver && isDrawn(parts)) end = startCountdown(parts, { key: `stays ${sessionId}`, seconds, show });
    });
    return () => {
      isOver = true;
      end?.();
    };
  }, [sessionId, seconds]);
  const isCounting = now === 'counting';
  return (
    <section className="shop-return" data-return={now}>
      {/* A timer is silent for screen readers: they hear once, below, when the page will go. */}
      <p ref={text} className="shop-return-text" tabIndex={-1} role={isCounting ? 'timer' : undefined}>
        {now === 'staying' ? words.stayed : sentences[now === 'leaving' ? 0 : left]}
      </p>
      <div className="shop-return-ways">
        <a ref={link} className="button" href={href} rel="noreferrer" data-link={kind}>
          {words.go}
        </a>
        <form ref={form} method="get" hidden={!isCounting}>
          {Object.entries(stay).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <button type="submit" className="button-quiet">
            {words.stay}
          </button>
        </form>
      </div>
      <p className="only-read" role="status">
        {isCounting && left < seconds ? sentences.at(-2) : ''}
      </p>
    </section>
  );
}

type Drawn<T> = { readonly [Part in keyof T]: NonNullable<T[Part]> };
const isDrawn = <T extends object>(parts: T): parts is T & Drawn<T> => Object.values(parts).every(Boolean);
