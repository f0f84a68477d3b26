'use client';
// The server's status of a sale. It is polled while something can change, with pauses on connection errors and in
// hidden tabs. Also the seconds left by the server's clock.

import { useEffect, useState } from 'react';
import useSWR from 'swr';
import type { PublicStatus } from '@/lib/payments/checkout/view';
import { isEnded, saleStage } from './stage';

const EVERY_MS = 1500;
/** A late payment can still be shown. */
const ENDED_MS = 30_000;
const LONGEST_RETRY_MS = 30_000;

export function useSaleStatus(sessionId: string): {
  readonly status: PublicStatus | null;
  readonly isOffline: boolean;
} {
  // SWR does not poll while the tab is hidden, and polls at once when the tab is shown again.
  const { data, error } = useSWR<PublicStatus, Error>(`/pay/${sessionId}/status`, load, {
    dedupingInterval: 500,
    focusThrottleInterval: 1000,
    refreshInterval: pauseAfter,
    onErrorRetry: (_error, _key, _config, revalidate, { retryCount }) => {
      setTimeout(() => void revalidate({ retryCount }), Math.min(EVERY_MS * 2 ** (retryCount - 1), LONGEST_RETRY_MS));
    },
  });
  return { status: data ?? null, isOffline: error !== undefined };
}

/** The same function at every render; otherwise the wait would restart each time. */
const pauseAfter = (latest: PublicStatus | undefined): number =>
  latest && isEnded(saleStage(latest)) ? ENDED_MS : EVERY_MS;

async function load(address: string): Promise<PublicStatus> {
  const answer = await fetch(address, { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as PublicStatus;
}

/** Seconds left by the server's clock; this device's own clock only measures the time elapsed since. */
export function useSecondsLeft(status: Pick<PublicStatus, 'expires_at' | 'server_time'>): number {
  const { expires_at: end, server_time: now } = status;
  const [left, setLeft] = useState(Math.max(0, end - now));
  useEffect(() => {
    const over = performance.now() + (end - now) * 1000;
    const show = () => setLeft(Math.max(0, Math.ceil((over - performance.now()) / 1000)));
    const timer = setInterval(show, 1000);
    return () => clearInterval(timer);
  }, [end, now]);
  return left;
}
