// The drill's numbers as a table for docs/drills.md: how often each part was struck, and how long no create was answered.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../test/install.mjs';

const FILE = path.join(ROOT, 'docs/drills.md');
const HEADING = '## Failover';

const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** @param {{ name: string, isFailover?: boolean, pauses: number[] }[]} results */
export function tableOf(results) {
  const rows = results
    .filter(({ pauses }) => pauses.length > 0)
    .map(({ name, pauses }) => [name, pauses.length, seconds(median(pauses)), seconds(Math.max(...pauses))]);
  return [
    '| struck | times | creates paused, s, median | most |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

/** @param {{ results: any[], lines: string[], guarantees: { guarantee: string, broken: string[] }[] }} given */
export function sectionOf({ results, lines, guarantees }) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const kept = guarantees.map(
    ({ guarantee, broken }) => `- ${broken.length === 0 ? 'held' : `BROKEN (${broken.length})`}: ${guarantee}`,
  );
  return [
    `${HEADING}\n`,
    `\`npm run drill -- failover\`, ${new Date().toISOString().slice(0, 10)}, commit ${commit}. ${lines.join(' ')}\n`,
    `${tableOf(results)}\n`,
    ...kept,
    '',
  ].join('\n');
}

/** Replaces the section of docs/drills.md that has the same heading. */
export function record(section) {
  const text = fs.existsSync(FILE) ? fs.readFileSync(FILE, 'utf8') : '# Drills\n';
  const [heading] = section.split('\n');
  const parts = text.split(/^(?=## )/m).filter((part) => !part.startsWith(`${heading}\n`));
  fs.writeFileSync(FILE, `${[...parts.map((part) => part.trimEnd()), section.trimEnd()].join('\n\n')}\n`);
}
