// Prepares a fresh clone for its tests: npm packages, SoftHSM for the tests of keys in an HSM, Redis for the tests of what web processes share,
// and for browser tests Chromium with fonts for every shipped language. Uses only Node's own modules, because it runs before anything is installed.

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { compilePkcs11, isPkcs11Compiled } from '../start/compile-pkcs11.mjs';

export const ROOT = path.join(import.meta.dirname, '../..');

/**
 * The headless shell first: the whole browser draws a window of its own for every context, and takes 1.6 times as long. The
 * story about reports of the policy needs the whole one.
 */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const CHROMIUM_PLACES = [HEADLESS_SHELL, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Latin is everywhere; Arabic is in the core set and Chinese in the CJK set. */
const FONT_PACKAGES = ['fonts-noto-core', 'fonts-noto-cjk'];
const SOFTHSM = '/usr/bin/softhsm2-util';
/** Valkey where it is there; Debian 12 has Redis only. */
const VALKEYS = ['/usr/bin/valkey-server', '/usr/local/bin/valkey-server', '/usr/bin/redis-server'];
/** A mirror that fails once is retried. */
const APT = ['-o', 'Acquire::Retries=3'];

/** Installs the packages of package-lock.json, unless they are installed. Throws when npm fails. */
export function installPackages() {
  if (isInstalled()) return;
  console.log('installing packages');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' });
}

function isInstalled() {
  const file = path.join(ROOT, 'node_modules/.package-lock.json');
  if (!fs.existsSync(file)) return false;
  const installed = readJson(file).packages;
  const wanted = Object.entries(readJson(path.join(ROOT, 'package-lock.json')).packages);
  return wanted.every(([place, { version, optional }]) => {
    return place === '' || (optional && !installed[place]) || installed[place]?.version === version;
  });
}

const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

/** The path of a Chromium, installed with apt-get where possible. Otherwise throws one clear sentence. */
export function installBrowser() {
  const found = findBrowser();
  const isBest = found !== undefined && [process.env.CHROMIUM, HEADLESS_SHELL].includes(found);
  const fonts = process.platform === 'linux' ? FONT_PACKAGES.filter((name) => !hasDebianPackage(name)) : [];
  const missing = [
    ...(isBest ? [] : [path.basename(HEADLESS_SHELL)]),
    ...(hasDebianPackage('chromium') ? [] : ['chromium']),
    ...fonts,
  ];
  installDebian(missing);
  const browser = findBrowser();
  if (browser) return browser;
  throw new Error(
    'The browser tests need Chromium: install it (on Debian: apt-get install chromium-headless-shell) or set CHROMIUM to its path.',
  );
}

/**
 * SoftHSM, and pkcs11js compiled. Where that is not possible, the tests of keys in an HSM fail with the sentence that says what is missing,
 * and no other test does.
 */
export function installHsm() {
  try {
    if (!fs.existsSync(SOFTHSM)) installDebian(['softhsm2']);
    if (isPkcs11Compiled(ROOT)) return;
    console.log('compiling pkcs11js');
    compilePkcs11(ROOT);
  } catch (error) {
    console.error(error.message);
  }
}

/** A server for testing/valkey.ts. Where that is not possible, its tests fail with the sentence that says what is missing. */
export function installValkey() {
  try {
    if (!VALKEYS.some((place) => fs.existsSync(place))) installDebian(['redis-server']);
  } catch (error) {
    console.error(error.message);
  }
}

/** Installs packages where that is possible; otherwise the caller finds them missing. */
function installDebian(names) {
  if (names.length === 0 || !canInstall()) return;
  console.log(`installing ${names.join(', ')}`);
  run('apt-get', [...APT, 'update', '-qq']);
  run('apt-get', [...APT, 'install', '-y', '-qq', '--no-install-recommends', ...names], {
    DEBIAN_FRONTEND: 'noninteractive',
  });
}

const findBrowser = () => [process.env.CHROMIUM, ...CHROMIUM_PLACES].find((place) => place && fs.existsSync(place));

const canInstall = () => process.getuid?.() === 0 && fs.existsSync('/usr/bin/apt-get');

const hasDebianPackage = (name) => !canInstall() || spawnSync('dpkg', ['-s', name], { stdio: 'ignore' }).status === 0;

function run(command, args, env = {}) {
  execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
}
