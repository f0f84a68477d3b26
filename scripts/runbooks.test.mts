// The runbooks against the product: each has all its parts, and every alert, alarm, page, command and button that it names exists.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALARM_KINDS, type AlarmKind } from '@/lib/installation/alarms/kinds';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDER = 'docs/operate/runbooks';
const PARTS = ['Symptom', 'Alarm', 'Page', 'First five minutes', 'Mend', 'Over', 'Do not', 'Game day'];
/** A page that is longer is not read at night. */
const MAX_LINES = 90;
/** Paths that are answered without a page of the app. */
const PLAIN_PATHS = ['/readyz', '/sandbox'];

const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');
const names = fs.readdirSync(path.join(ROOT, FOLDER)).filter((file) => file !== 'README.md');
const alerts = [...read('deploy/prometheus/alerts.yml').matchAll(/- alert: (\w+)$[^]*?runbook: ([\w./#-]+)/gm)].map(
  ([, name = '', runbook = '']) => ({ name, runbook }),
);
const words = JSON.parse(read('messages/dashboard/en.json')) as Record<string, string>;
const buttons = Object.values(JSON.parse(read('sandbox/messages/en.json')) as Record<string, string>);
const services = [...read('compose.yaml').matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
const screens = ['app', 'components'].map((folder) =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => read(path.join(folder, file)))
    .join('\n'),
);

const commands = new Map(
  await Promise.all(
    fs
      .readdirSync(path.join(ROOT, 'scripts/stabletill'))
      .filter((file) => file.endsWith('.mjs'))
      .map(async (file) => {
        const { name } = path.parse(file);
        const { command } = (await import(`./stabletill/${name}.mjs`)) as { command?: { name: string; usage: string } };
        return [command?.name ?? '', command?.usage ?? ''] as const;
      }),
  ),
);

/** By its heading, as far as the next one. */
const partOf = (text: string, heading: string): string =>
  text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, one = '']) => one);

test('every alert leads to the runbook that names it, or to its own section', () => {
  expect(alerts.length).toBeGreaterThan(20);
  const lost = alerts.filter(({ name, runbook }) => {
    const [file = '', anchor] = runbook.split('#');
    if (file === 'docs/operate/metrics.md')
      return anchor !== name.toLowerCase() || !read(file).includes(`### ${name}\n`);
    return anchor !== 'first-five-minutes' || !partOf(read(file), 'Alarm').includes(`\`${name}\``);
  });
  expect(lost).toEqual([]);
  const direct = alerts.filter(({ runbook }) => runbook.startsWith(FOLDER));
  expect(direct.length).toBeGreaterThan(10);
});

test('the list of runbooks has each once', () => {
  expect(all(read(`${FOLDER}/README.md`), /^\|.*\]\(([\w-]+\.md)\)/gm).toSorted()).toEqual(names.toSorted());
});

describe.each(names)('%s', (file) => {
  const text = read(`${FOLDER}/${file}`);

  test('has every part in order and fits on a page', () => {
    expect(all(text, /^## (.+)$/gm)).toEqual(PARTS);
    expect(text.split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  test('names alerts and alarms that exist, by their titles', () => {
    const named = all(text, /`(Stabletill\w+)`/g);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((one) => !alerts.some(({ name }) => name === one))).toEqual([]);
    const alarms = [...partOf(text, 'Alarm').matchAll(/"([^"]+)"\s+\(`(\w+)`/g)];
    const titleOf = (kind: string): string | undefined => words[ALARM_KINDS[kind as AlarmKind]?.words];
    expect(alarms.filter(([, title = '', kind = '']) => titleOf(kind) !== title.replaceAll(/\s+/g, ' '))).toEqual([]);
  });

  test('names pages that exist, with their anchors', () => {
    const paths = all(text, /`(\/(?:operator|status|readyz|sandbox)[\w/-]*(?:\?[\w=&-]+)?(?:#[\w-]+)?)`/g);
    expect(paths.length).toBeGreaterThan(0);
    const missing = paths.filter((one) => {
      const [, page = '', anchor] = /^([^?#]+)(?:\?[^#]*)?(?:#(.+))?$/.exec(one) ?? [];
      const exists = PLAIN_PATHS.includes(page) || pageExists(page);
      return !exists || (anchor !== undefined && !screens.some((source) => source.includes(`id="${anchor}"`)));
    });
    expect(missing).toEqual([]);
  });

  test('has only commands that exist, in their words', () => {
    const lines = [
      ...all(text, /```sh\n([^]*?)```/g).flatMap((block) => block.split('\n')),
      ...all(text, /`([^`\n]+)`/g),
    ];
    const faults = lines.flatMap((line) => [...commandFaults(line), ...serviceFaults(line), ...drillFaults(line)]);
    expect(faults).toEqual([]);
    expect(partOf(text, 'First five minutes')).toMatch(/```sh\n/);
  });

  test('names buttons of the page for game days as they are written there, or the drill instead', () => {
    const part = partOf(text, 'Game day');
    const pressed = all(part, /\*\*([^*]+)\*\*/g).map((one) => one.replaceAll(/\s+/g, ' ').replaceAll("'", '’'));
    expect(pressed.filter((one) => !buttons.includes(one))).toEqual([]);
    expect(pressed.length > 0 || /No button[:,]/.test(part)).toBe(true);
  });
});

function pageExists(page: string): boolean {
  const places = ['', ...fs.readdirSync(path.join(ROOT, 'app')).filter((name) => name.startsWith('('))];
  return places.some((group) => fs.existsSync(path.join(ROOT, 'app', group, page, 'page.tsx')));
}

/** `stabletill NAME WORD …` with a command, and a word of its usage where the command has such words. */
function commandFaults(line: string): string[] {
  return [...line.matchAll(/(?<!\.)\bstabletill ([a-z-]+)(?: ([a-z-]+))?/g)].flatMap(([whole, name = '', word]) => {
    // An entry of compose, and a database and its user, have the same name.
    if (/(-U|--stanza=)\s?stabletill/.test(line)) return [];
    const usage = commands.get(name);
    if (usage === undefined) return [`${whole}: no such command`];
    if (word === undefined || word.startsWith('-')) return [];
    return new RegExp(`\\b${word}\\b`).test(usage) ? [] : [`${whole}: the usage has no "${word}"`];
  });
}

function serviceFaults(line: string): string[] {
  const named = all(
    line,
    /docker compose (?:up -d|restart|stop|ps|exec|logs(?: --(?:tail|since) \w+)*|run --rm -it) ([\w ]+)/g,
  );
  return named.flatMap((one) => {
    const [first = '', ...more] = one.trim().split(/\s+/);
    const several = /docker compose (?:up -d|stop|restart)/.test(line) ? [first, ...more] : [first];
    return several.filter((name) => !services.includes(name)).map((name) => `${line}: compose.yaml has no "${name}"`);
  });
}

const drillFaults = (line: string): string[] =>
  all(line, /npm run drill -- ([\w-]+)/g).filter(
    (name) => !fs.existsSync(path.join(ROOT, `scripts/drill/${name}.mjs`)),
  );
