// The picture of a state beside its text. Each state has its own shape, so that colour is never the only difference.

/** Drawn in white on a disc of the state's colour. */
const ON_A_DISC = {
  /** Paid. */
  good: 'M7 12.5l3.5 3.5L17 9',
  /** Expired. */
  time: 'M12 7v5l3 2',
  canceled: 'M8.5 8.5l7 7M15.5 8.5l-7 7',
  /** Refunded. */
  back: 'M10 15l-4-4 4-4M6 11h7.5a3.5 3.5 0 0 1 0 7H11',
  /** The customer has to send the remaining amount. */
  part: 'M12 7v5.5M12 16.4v.1',
} as const;

/** `wait`: pending without action by the customer. `decision`: money waits for a decision. */
export const MARK_KINDS = [...(Object.keys(ON_A_DISC) as (keyof typeof ON_A_DISC)[]), 'wait', 'decision'] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

export function Mark({ kind }: { kind: MarkKind }) {
  if (kind === 'wait') return <span className="mark" aria-hidden="true" />;
  return (
    <svg className="mark" viewBox="0 0 24 24" aria-hidden="true">
      {kind === 'decision' ? (
        <>
          <path className="mark-ground" d="M12 2.5 1.5 21h21z" strokeLinejoin="round" />
          <path className="mark-sign" d="M12 9.5v5M12 17.6v.1" />
        </>
      ) : (
        <>
          <circle className="mark-ground" cx="12" cy="12" r="12" />
          <path className="mark-sign" d={ON_A_DISC[kind]} />
        </>
      )}
    </svg>
  );
}
