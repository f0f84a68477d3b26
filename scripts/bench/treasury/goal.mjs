// Goals of the benchmark of the treasury: what was measured, its limit, and what other services need for the same.

/** For goals without a published figure of another service. */
const NONE = 'none published';

/**
 * A goal as a row of the table.
 * @param {string} what
 * @param {number} value
 * @param {{ most?: number, least?: number, digits?: number, unit?: string, peers?: string }} goal
 */
export function goal(what, value, { most, least, digits = 0, unit = '', peers = NONE }) {
  const text = (number) => `${number.toLocaleString('en-US', { maximumFractionDigits: digits })}${unit}`;
  return {
    what,
    target: most === undefined ? `at least ${text(least)}` : `at most ${text(most)}`,
    measured: text(value),
    peers,
    met: most === undefined ? value >= least : value <= most,
  };
}

export const whole = (value) => Math.round(value).toLocaleString('en-US');
