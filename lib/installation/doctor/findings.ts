// A finding of the doctor about one part of an installation: a state, a description, and what to do. Pure.

export type Finding = {
  readonly check: string;
  /** `fail`: unsafe or not working. `warn`: works, but an operator should check it. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do; absent when nothing is needed. */
  readonly todo?: string;
};

const LABELS: Readonly<Record<Finding['state'], string>> = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' };
const WIDTH = 10;

/** One line for a finding, and a second line for what to do. */
export function lineOf({ check, state, message, todo }: Finding): string {
  const line = `${LABELS[state]}  ${check.padEnd(WIDTH)}  ${message}`;
  return todo === undefined ? line : `${line}\n${' '.repeat(WIDTH + 8)}→ ${todo}`;
}

/** The last line: the number of findings in each state. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
  return `${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} failures`;
}
