'use client';
// A moment: the relative time, and the exact time on hover, on focus and for screen readers. With `isExact` the exact
// time is shown.

import { Tooltip } from './tooltip';
import { useWords } from './words';

type Props = {
  /** Unix seconds. */
  readonly at: number;
  /** Shows the exact time, to the second, with the relative one after it. */
  readonly isExact?: boolean;
  /** In a list: the row's link has the focus, so the exact time is a hover text and is read out, but takes no focus. */
  readonly inList?: boolean;
};

/** Older moments are dates, because "213 days ago" is hard to place. */
const RELATIVE_SECONDS = 7 * 86_400;

const ALONE = 'rounded whitespace-nowrap underline decoration-line decoration-dotted underline-offset-4';

export function DateTime({ at, isExact = false, inList = false }: Props) {
  const { format, now } = useWords();
  const iso = new Date(at * 1000).toISOString();
  const relative = format.relative(at, now);
  if (isExact) {
    return (
      <time dateTime={iso} className="tabular-nums">
        {format.second(at)} <span className="text-muted">({relative})</span>
      </time>
    );
  }
  const shown = Math.abs(now - at) < RELATIVE_SECONDS ? relative : format.day(at);
  if (inList) {
    return (
      <time dateTime={iso} title={format.second(at)} className="whitespace-nowrap">
        {shown}
        <span className="only-read"> ({format.minute(at)})</span>
      </time>
    );
  }
  return (
    <Tooltip text={format.second(at)}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <time dateTime={iso} tabIndex={0} className={ALONE}>
        {shown}
      </time>
    </Tooltip>
  );
}
