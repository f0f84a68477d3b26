'use client';
// The living part of the hosted page: asks the server for the status, counts down by the server's clock, and has the server
// draw the page again when there is something else to show. It never concludes anything about money by itself.

import { useRouter } from 'next/navigation';
import { useCallback, useEffect, useRef, useState } from 'react';
import useSWR from 'swr';
import { fingerprint } from '@/lib/sessions/checkout-stage';
import type { PublicStatus } from '@/lib/sessions/checkout-view';

type Words = { readonly timeLeft: string; readonly nearlyUp: string; readonly offline: string };
type Props = {
  readonly address: string;
  readonly drawn: PublicStatus;
  readonly counts: boolean;
  /** When the countdown becomes urgent, in seconds before the end. */
  readonly soonSeconds: number;
  readonly words: Words;
};

/** While money is awaited, later, and once the session has ended (a late payment can still be told of). */
const EVERY_MS = { fresh: 2000, patient: 5000, ended: 30_000 };
const PATIENT_AFTER_MS = 10 * 60_000;
const LONGEST_RETRY_MS = 30_000;
/** A drawing that did not come is asked for again after this long. */
const REDRAW_MS = 10_000;

/** `drawn` is the status that the page around was drawn from; `counts` shows the countdown. */
export function Live({ address, drawn, counts, soonSeconds, words }: Props) {
  const router = useRouter();
  const opened = useRef(0);
  const asked = useRef({ print: '', at: 0 });
  // The same function at every drawing: SWR begins its wait anew whenever this one changes, and the countdown draws each second.
  const refreshInterval = useCallback(
    (latest: PublicStatus | undefined) => pause(latest ?? drawn, performance.now() - opened.current),
    [drawn],
  );
  const { data, error, mutate } = useSWR<PublicStatus, Error>(address, load, {
    fallbackData: drawn,
    // At once: on a slow connection the drawing may be seconds old before this runs.
    revalidateOnMount: true,
    dedupingInterval: 500,
    focusThrottleInterval: 1000,
    refreshInterval,
    onErrorRetry: (_error, _key, _config, revalidate, { retryCount }) => {
      setTimeout(
        () => void revalidate({ retryCount }),
        Math.min(EVERY_MS.fresh * 2 ** (retryCount - 1), LONGEST_RETRY_MS),
      );
    },
  });
  const latest = data && data.server_time > drawn.server_time ? data : drawn;
  const left = useCountdown(latest, () => void mutate());

  useEffect(() => {
    opened.current = performance.now();
  }, []);

  useEffect(() => {
    const print = fingerprint(latest);
    const now = performance.now();
    const isNew = asked.current.print !== print || now - asked.current.at > REDRAW_MS;
    if (print === fingerprint(drawn) || !isNew) return;
    asked.current = { print, at: now };
    router.refresh();
  }, [latest, drawn, router]);

  return (
    <>
      {counts && (
        <p className={`countdown needs-scripts${left <= soonSeconds ? ' countdown-soon' : ''}`}>
          <span>{words.timeLeft}</span>{' '}
          <span role="timer" dir="ltr">
            {clockText(left)}
          </span>
        </p>
      )}
      {/* Said once: a timer that speaks every second could not be listened to. */}
      <p className="only-read" role="status">
        {counts && left > 0 && left <= soonSeconds ? words.nearlyUp : ''}
      </p>
      <p className="offline" role="status">
        {error ? words.offline : ''}
      </p>
    </>
  );
}

async function load(address: string): Promise<PublicStatus> {
  const answer = await fetch(address, { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as PublicStatus;
}

function pause(status: PublicStatus, openMs: number): number {
  if (status.status !== 'PENDING') return EVERY_MS.ended;
  return openMs > PATIENT_AFTER_MS ? EVERY_MS.patient : EVERY_MS.fresh;
}

/** Seconds left by the server's clock; the browser's own may be wrong by hours and only measures what has passed since. */
function useCountdown(status: PublicStatus, onOver: () => void): number {
  const [left, setLeft] = useState(Math.max(0, status.expires_at - status.server_time));
  const over = useRef(onOver);
  useEffect(() => {
    over.current = onOver;
  });
  useEffect(() => {
    const end = performance.now() + (status.expires_at - status.server_time) * 1000;
    if (end <= performance.now()) return;
    const timer = setInterval(() => {
      const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      setLeft(seconds);
      if (seconds > 0) return;
      clearInterval(timer);
      over.current();
    }, 1000);
    return () => clearInterval(timer);
  }, [status.expires_at, status.server_time]);
  return left;
}

const clockText = (seconds: number): string =>
  `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
