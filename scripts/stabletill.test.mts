// The operator's command line: every command explains itself without a build, and every failure is a sentence with its exit code.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runStabletill } from './stabletill.mjs';

const PROGRAM = path.join(import.meta.dirname, 'stabletill.mjs');
const NAMES = fs
  .readdirSync(path.join(import.meta.dirname, 'stabletill'))
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => path.parse(file).name);
/** Existing scripts of package.json that other documents name. */
const NPM_SCRIPTS = [
  ...['doctor', 'check-books', 'verify-audit', 'refunds', 'addresses', 'cold', 'sanctions', 'exchange-wallets', 'hsm'],
  ...['attest-operator', 're-attest', 'migrate', 'setup', 'offline'],
];

let directory = '';
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-commands-'));
  const command = (name: string, body: string) =>
    fs.writeFileSync(
      path.join(directory, `${name}.mjs`),
      `export const command = { name: '${name}', summary: 'does ${name}', usage: 'stabletill ${name} WORD', ${body} };`,
    );
  command('speak', `run: ([word], { print }) => { print('one'); print('two'); return word === 'wrong' ? 2 : 1; }`);
  command('fail', `run: () => { throw new Error('The disk is full.'); }`);
  command('person', `isJsonless: true, run: () => 0`);
  fs.writeFileSync(path.join(directory, 'part.mjs'), 'export const helper = 1;');
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const output = { print: (line: string) => void out.push(line), note: (line: string) => void err.push(line) };
  const code = await runStabletill(words, output, directory);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('lists the modules that export a command, and explains each', async () => {
  const { code, out } = await run('--help');
  expect([code, out.match(/^ {2}(\w+)/gm)]).toEqual([0, ['  fail', '  person', '  speak']]);
  expect(await run('speak', '--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('stabletill speak WORD'),
  });
  expect(await run('help', 'speak')).toEqual(await run('speak', '--help'));
  expect(await run()).toMatchObject({ code: 2, out: '' });
});

test('an unknown command suggests the nearest one and is wrong usage', async () => {
  expect(await run('spek')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Did you mean speak?') });
  expect((await run('entirely')).err).not.toContain('Did you mean');
});

test('--json wraps the lines of a command that has no JSON of its own', async () => {
  const { code, out } = await run('speak', '--json');
  expect([code, JSON.parse(out)]).toEqual([1, { exit_code: 1, lines: ['one', 'two'] }]);
  expect(await run('speak', 'wrong', '--json')).toMatchObject({ code: 2, out: '' });
  expect(await run('person', '--json')).toMatchObject({ code: 2, err: expect.stringContaining('has no --json') });
});

test('a wrong word prints the usage to the standard error, and a failure is one sentence without a stack', async () => {
  expect(await run('speak', 'wrong')).toMatchObject({ code: 2, err: expect.stringContaining('stabletill speak WORD') });
  expect(await run('fail')).toEqual({ code: 1, out: '', err: 'The disk is full.' });
  process.env.LOG_LEVEL = 'debug';
  try {
    expect((await run('fail')).err).toMatch(/^Error: The disk is full\.\n\s+at /);
  } finally {
    delete process.env.LOG_LEVEL;
  }
});

test.each(NAMES)('%s explains itself without a build, and a wrong word ends without a stack', (name) => {
  const env = { ...process.env, DATABASE_URL: '', DATA_DIR: path.join(directory, 'nothing'), KEYSTORE_FILE: '' };
  const start = (...words: string[]) => spawnSync(process.execPath, [PROGRAM, ...words], { env, encoding: 'utf8' });
  const help = start(name, '--help');
  expect([help.status, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toMatch(new RegExp(`^stabletill ${name}`));
  const { status, stdout, stderr } = start(name, '--no-such-option');
  expect([status === 1 || status === 2, /\n\s+at /.test(stdout + stderr), stdout + stderr !== '']).toEqual([
    true,
    false,
    true,
  ]);
});

test('the scripts of package.json and the bin of the package run the same commands', () => {
  const { scripts, bin } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
  for (const name of NPM_SCRIPTS) expect(scripts[name]).toBe(`node scripts/stabletill.mjs ${name}`);
  expect(scripts['db:roles']).toBe('node scripts/stabletill.mjs database-roles');
  expect(bin).toEqual({ stabletill: 'scripts/stabletill.mjs' });
  expect(fs.statSync(PROGRAM).mode & 0o111).toBe(0o111);
});

test('runs by a symbolic link, as in the image', () => {
  const link = path.join(directory, 'stabletill');
  fs.symlinkSync(PROGRAM, link);
  expect(spawnSync(link, ['--version'], { encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '0.1.0\n' });
});

/** The files that the Dockerfile copies from the repository, below `image`. */
function copyAsInImage(image: string): void {
  const root = path.join(import.meta.dirname, '..');
  const lines = fs.readFileSync(path.join(root, 'Dockerfile'), 'utf8').matchAll(/^COPY --from=built (.+) (\S+)$/gm);
  for (const [, sources = '', target = ''] of lines) {
    for (const source of sources.split(' ').map((name) => name.replace(/^\/build\//, ''))) {
      // Built files are not needed to explain a command.
      if (!/^(?:package\.json|scripts|prisma|lib\/platform\/config)/.test(source)) continue;
      const isInto = target.endsWith('/') || target === './' || target === '.';
      const place = isInto ? path.join(target, path.basename(source)) : target;
      fs.cpSync(path.join(root, source), path.join(image, place), { recursive: true });
    }
  }
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(image, 'node_modules'));
}

test('has in the image all that it imports', () => {
  const image = path.join(directory, 'image');
  fs.mkdirSync(image);
  copyAsInImage(image);
  const { status, stdout, stderr } = spawnSync(path.join(image, 'scripts/stabletill.mjs'), ['--help'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  for (const name of NAMES) expect(stdout).toContain(`  ${name} `);
});
