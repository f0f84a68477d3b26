// The drill's numbers as a section of docs/drills.md.

import { execFileSync } from 'node:child_process';
import { ROOT } from '../../test/install.mjs';

const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1);

/** @param {{ name: string, took: number, pause: number, waited: number, creates: number, failed: number }[]} steps */
export function tableOf(steps) {
  const rows = steps.map(({ name, took, pause, waited, creates, failed }) => [
    ...[name, seconds(took), creates, seconds(waited), seconds(pause), failed],
  ]);
  return [
    '| step | seconds | creates | longest wait of a create, s | longest time without one, s | failed requests |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

/** @param {{ steps: Parameters<typeof tableOf>[0], lines: string[], guarantees: { guarantee: string, broken: string[] }[] }} given */
export function sectionOf({ steps, lines, guarantees }) {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const kept = guarantees.map(
    ({ guarantee, broken }) => `- ${broken.length === 0 ? 'held' : `BROKEN (${broken.length})`}: ${guarantee}`,
  );
  return [
    '## Upgrade\n',
    `\`npm run drill -- upgrade\`, ${new Date().toISOString().slice(0, 10)}, to commit ${commit}.\n`,
    `${lines.join('\n')}\n`,
    `${tableOf(steps)}\n`,
    ...kept,
    '',
  ].join('\n');
}
