// Where a process ends itself on purpose, so that tests can kill it between any two durable facts of a refund. Does nothing
// unless a process that runs on local chains only was armed by its settings.

/** Every point there is, in the order in which a refund passes them; the last three are the signer's. */
export const CRASH_POINTS = [
  'after-claim',
  'after-draft',
  'after-asked',
  'after-signed',
  'after-stored',
  'after-broadcast',
  'after-seen',
  'before-finish',
  'after-finish',
  'before-journal',
  'after-journal',
  'before-answer',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

type Armed = { readonly point: CrashPoint; left: number; readonly end: () => void };
let armed: Armed | null = null;

/**
 * Arms the point that a setting names, `name` or `name:hit` with hits counted from 1; undefined disarms. `end` is for tests.
 * Throws an Error for a setting that names no point.
 */
export function armCrashPoint(setting: string | undefined, end: () => void = endProcess): void {
  const [name = '', hit = '1'] = setting?.split(':') ?? [];
  const point = CRASH_POINTS.find((one) => one === name);
  if (setting !== undefined && (!point || !/^[1-9]\d{0,5}$/.test(hit))) {
    throw new Error(`CRASH_POINT: must be one of ${CRASH_POINTS.join(', ')}, or one with a number like after-signed:2`);
  }
  armed = point ? { point, left: Number(hit), end } : null;
}

/** Ends the process if it was armed for this point and this is the hit. */
export function crashpoint(point: CrashPoint): void {
  if (armed?.point !== point || --armed.left !== 0) return;
  armed.end();
}

/** As by kill -9: nothing is flushed, closed or rolled back by us. */
function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}
