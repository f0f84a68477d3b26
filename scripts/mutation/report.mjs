// Reads Stryker's report of a module: its score, and the mutants that no test noticed. Pure.

/** Mutants that a test noticed. A mutant that loops for ever is noticed by its time limit. */
const DETECTED = new Set(['Killed', 'Timeout']);
const UNDETECTED = new Set(['Survived', 'NoCoverage']);

/**
 * Ignored mutants, and those that do not compile, count nowhere.
 * @param {any} report
 */
export function scoreOf(report) {
  const all = mutantsOf(report);
  const count = (statuses) => all.filter(({ status }) => statuses.has(status)).length;
  const [detected, undetected] = [count(DETECTED), count(UNDETECTED)];
  const valid = detected + undetected;
  return {
    mutants: valid,
    killed: detected,
    survived: undetected,
    ignored: count(new Set(['Ignored'])),
    percent: valid === 0 ? 0 : Math.floor((detected * 1000) / valid) / 10,
  };
}

/**
 * One line for each: file:line:column, the mutator, and the change.
 * @param {any} report
 */
export const survivorsOf = (report) =>
  mutantsOf(report)
    .filter(({ status }) => UNDETECTED.has(status))
    .map(({ file, source, location, mutatorName, replacement, status }) => {
      const { line, column } = location.start;
      const change = `${shortened(textAt(source, location))} → ${shortened(replacement ?? '')}`;
      return `${file}:${line}:${column} ${mutatorName}${status === 'NoCoverage' ? ' (not covered)' : ''}: ${change}`;
    });

const mutantsOf = ({ files }) =>
  Object.entries(files).flatMap(([file, { source, mutants }]) => mutants.map((one) => ({ file, source, ...one })));

function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  return lines.join(' ').slice(start.column - 1);
}

const LONGEST = 90;
function shortened(text) {
  const one = text.replaceAll(/\s+/g, ' ');
  return one.length > LONGEST ? `${one.slice(0, LONGEST)}…` : one;
}
