// The live part of the hosted page, as the server renders it: the remaining time and the offline notice.

import { clockText } from '@/lib/payments/checkout/clock-text';
import type { PublicStatus } from '@/lib/payments/checkout/view';
import './elements';

type Words = { readonly timeLeft: string; readonly nearlyUp: string; readonly offline: string };
type Props = {
  readonly address: string;
  /** The status that the surrounding page was rendered from. */
  readonly drawn: PublicStatus;
  /** Whether the remaining time is shown. */
  readonly counts: boolean;
  /** When the countdown becomes urgent, in seconds before the end. */
  readonly soonSeconds: number;
  readonly words: Words;
};

export function Live({ address, drawn, counts, soonSeconds, words }: Props) {
  const left = Math.max(0, drawn.expires_at - drawn.server_time);
  return (
    <live-status
      data-status-url={address}
      data-status={JSON.stringify(drawn)}
      data-soon={soonSeconds}
      data-nearly={words.nearlyUp}
      data-offline={words.offline}
    >
      {counts && (
        <p className={`countdown needs-scripts${left <= soonSeconds ? ' countdown-soon' : ''}`}>
          <span>{words.timeLeft}</span>{' '}
          <span role="timer" dir="ltr">
            {clockText(left)}
          </span>
        </p>
      )}
      <p className="only-read" role="status" />
      <p className="offline" role="status" />
    </live-status>
  );
}
