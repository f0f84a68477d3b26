// Geometry of a small chart: one line over equal periods that starts at 0, with horizontal marks. Numbers are for drawing only. Pure.

export const WIDTH = 300;
export const HEIGHT = 80;
/** Keeps a line at the edge inside. */
const INSET = 2;
/** The length of a reading between two gaps. */
const DOT = 3;

type Plot = {
  /** What the upper edge stands for: the largest of the amounts and marks. */
  readonly top: string;
  /** The path of the line; periods without an amount leave a gap. */
  readonly line: string;
  /** The path of each mark, in the given order. */
  readonly marks: readonly string[];
};

/** `amounts` and `marks` are decimal texts. */
export function plotOf(amounts: readonly (string | null)[], marks: readonly string[]): Plot {
  const all = [...amounts.filter((one) => one !== null), ...marks];
  const top = all.reduce((most, one) => (Number(one) > Number(most) ? one : most), '0');
  const y = (amount: string): number => {
    const share = Number(top) === 0 ? 0 : Number(amount) / Number(top);
    return rounded(HEIGHT - INSET - share * (HEIGHT - 2 * INSET));
  };
  const step = (WIDTH - 2 * INSET) / Math.max(1, amounts.length - 1);
  const line = amounts.map((amount, at) => {
    if (amount === null) return '';
    const isAfterGap = at === 0 || amounts[at - 1] === null;
    const isAlone = isAfterGap && (amounts[at + 1] ?? null) === null;
    const x = INSET + at * step;
    return isAlone
      ? `M${rounded(x - DOT / 2)} ${y(amount)}h${DOT}`
      : `${isAfterGap ? 'M' : 'L'}${rounded(x)} ${y(amount)}`;
  });
  return { top, line: line.join(''), marks: marks.map((one) => `M0 ${y(one)}H${WIDTH}`) };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
