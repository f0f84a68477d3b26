// A release has one version, and the changelog says what it brings.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const json = (file: string) =>
  JSON.parse(read(file)) as { version: string; packages?: Record<string, { version: string }> };

const { version } = json('package.json');

test('program, SDK, lock file and chart have the same version', () => {
  const found = {
    lock: json('package-lock.json').packages?.['']?.version,
    sdk: json('packages/sdk/package.json').version,
    header: /VERSION = '([^']+)'/.exec(read('packages/sdk/src/transport.ts'))?.[1],
    chart: /^version: (\S+)$/m.exec(read('deploy/helm/stabletill/Chart.yaml'))?.[1],
    app: /^appVersion: (\S+)$/m.exec(read('deploy/helm/stabletill/Chart.yaml'))?.[1],
    image: /^ {2}tag: (\S+)$/m.exec(read('deploy/helm/stabletill/values.yaml'))?.[1],
  };
  for (const [place, one] of Object.entries(found)) expect({ place, version: one }).toEqual({ place, version });
});

test('the changelog has the version with its date, below at most the changes since then', () => {
  const [first = '', second = ''] = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  const released = first === 'Unreleased' ? second : first;
  expect(released).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`));
});
