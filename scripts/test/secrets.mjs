// Finds secrets in an installation's log files (O-03 in docs/failure-model.md#exports-and-operation): by the values that
// this installation holds, and by the formats of generated ones. It reports a secret by name, never by value.

import fs from 'node:fs';
import path from 'node:path';

/** Where an installation stores its secrets, beside its logs. */
const HELD = ['sandbox.json', 'secrets.json', 'demo.json'];
/** The secret fields of those files; an address or a name may be in a log. */
const SECRET = /(password|passphrase|api_key|secret|private_key|_KEYS?$|_SECRET$|PASSPHRASE$)/;
/** Shorter values could be part of any word. */
const LEAST = 12;

const FORMS = {
  'an API secret': /\bas_(?:live|test)_[0-9A-Za-z]{16,}/,
  'an API key': /\bak_(?:live|test)_[0-9A-Za-z]{16,}/,
  'a webhook secret': /\bwhsec_[0-9A-Za-z]{16,}/,
  'a login cookie': /stabletill-login=[^;\s"]{20,}/,
  'the token of a link': /[?&]token=[0-9A-Za-z]{43}/,
  'an authenticator’s seed': /otpauth:\/\/|[?&]secret=[A-Z2-7]{16,}/,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bxprv[1-9A-HJ-NP-Za-km-z]{100,}/,
  'a database’s password': /postgres(?:ql)?:\/\/[^\s/:@]+:[^\s/@]+@/,
};

/**
 * The secrets in the logs of a data directory, a line for each file and secret. An empty list means none. Throws when
 * there are no logs, because then nothing was checked.
 * @param {string} dataDirectory
 * @returns {string[]}
 */
export function secretsInLogs(dataDirectory) {
  const directory = path.join(dataDirectory, 'logs');
  const values = HELD.flatMap((name) => valuesIn(path.join(dataDirectory, name), name));
  const files = fs.readdirSync(directory);
  if (files.length === 0) throw new Error(`There are no logs in ${directory}.`);
  return files.flatMap((file) => {
    const text = fs.readFileSync(path.join(directory, file), 'utf8');
    return secretsIn(text, values).map((what) => `logs/${file} holds ${what}`);
  });
}

/** @param {string} text @param {{ name: string, value: string }[]} values */
export function secretsIn(text, values) {
  const held = values.filter(({ value }) => text.includes(value)).map(({ name }) => name);
  const formed = Object.entries(FORMS).filter(([, form]) => form.test(text));
  return [...new Set([...held, ...formed.map(([name]) => name)])];
}

function valuesIn(file, name) {
  return fs.existsSync(file) ? secretValues(JSON.parse(fs.readFileSync(file, 'utf8')), name) : [];
}

/** @param {unknown} content @param {string} name @returns {{ name: string, value: string }[]} */
export function secretValues(content, name) {
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).flatMap(([key, value]) => {
    const inside = `${name}: ${key}`;
    if (typeof value !== 'string') return secretValues(value, inside);
    if (!SECRET.test(key)) return [];
    // Master keys are written with their version before them, private keys with or without 0x.
    const bare = value.replace(/^(\d+:|0x)/, '');
    return bare.length < LEAST ? [] : [{ name: inside, value: bare }];
  });
}
