// Reads Stryker's report of a module: its score, and the mutants that no test noticed. Pure.

/** Mutants that a test noticed. A mutant that loops for ever is noticed by its time limit. */
const DETECTED = new Set(['Killed', 'Timeout']);
const UNDETECTED = new Set(['Survived', 'NoCoverage']);

/**
 * A mutant with which its file cannot be loaded fails every test file before a test runs. Stryker's runner for Vitest counts only failed
 * tests, so it reports such a mutant as a survivor of no test at all.
 */
const isUnloadable = ({ status, testsCompleted }) => status === 'Survived' && testsCompleted === 0;
const isUndetected = (mutant) => UNDETECTED.has(mutant.status) && !isUnloadable(mutant);

/**
 * Ignored mutants, and those that do not compile, count nowhere.
 * @param {any} report
 */
export function scoreOf(report) {
  const all = mutantsOf(report);
  const undetected = all.filter(isUndetected).length;
  const detected = all.filter((one) => DETECTED.has(one.status) || isUnloadable(one)).length;
  const valid = detected + undetected;
  return {
    mutants: valid,
    killed: detected,
    survived: undetected,
    ignored: all.filter(({ status }) => status === 'Ignored').length,
    percent: valid === 0 ? 0 : Math.floor((detected * 1000) / valid) / 10,
  };
}

/**
 * One line for each: file:line:column, the mutator, and the change.
 * @param {any} report
 */
export const survivorsOf = (report) =>
  mutantsOf(report)
    .filter(isUndetected)
    .map(({ file, source, location, mutatorName, replacement, status }) => {
      const { line, column } = location.start;
      const change = `${shortened(textAt(source, location))} → ${shortened(replacement ?? '')}`;
      return `${file}:${line}:${column} ${mutatorName}${status === 'NoCoverage' ? ' (not covered)' : ''}: ${change}`;
    });

/**
 * The report without the results of survivors in code that runs when its file is loaded.
 * @param {any} report
 */
export const withoutStaticSurvivors = (report) => ({
  ...report,
  files: Object.fromEntries(
    Object.entries(report.files).map(([file, content]) => [
      file,
      { ...content, mutants: content.mutants.filter((one) => !(one.static && isUndetected(one))) },
    ]),
  ),
});

/**
 * The lines of the survivors as Stryker's `--mutate` takes them. Other results stay in an incremental report.
 * @param {any} report
 */
export const rangesOfSurvivors = (report) => [
  ...new Set(
    mutantsOf(report ?? { files: {} })
      .filter(isUndetected)
      .map(({ file, location: { start, end } }) => `${file}:${start.line}-${end.line}`),
  ),
];

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
