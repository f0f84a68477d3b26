'use client';
// The reader's own test keys, which fill the samples and sign the reference's calls. The browser stores them for this
// tab alone (sessionStorage). They are never sent automatically, and are deleted with the tab and at sign-out. The
// service cannot fill them in: it holds only the hash of a key.

import { useSyncExternalStore } from 'react';

export type TestKeys = { readonly apiKey: string; readonly apiSecret: string };
export const NO_KEYS: TestKeys = { apiKey: '', apiSecret: '' };

const ITEM = 'test-keys';
const CHANGED = 'testkeyschange';
/** Letters and digits only, so that a pasted key cannot be anything else in a shell. */
const SHAPES: Readonly<Record<keyof TestKeys, RegExp>> = {
  apiKey: /^ak_test_[A-Za-z0-9]+$/,
  apiSecret: /^as_test_[A-Za-z0-9]+$/,
};

/** Whether a field is empty or holds a test key: live keys are not for trials. */
export const isTestKey = (field: keyof TestKeys, text: string): boolean => text === '' || SHAPES[field].test(text);

/** Whether calls can be signed with them. */
export const canSignWith = ({ apiKey, apiSecret }: TestKeys): boolean =>
  SHAPES.apiKey.test(apiKey) && SHAPES.apiSecret.test(apiSecret);

/** The keys of this tab; none on the server or in a browser without storage. */
export function useTestKeys(): TestKeys {
  return readKeys(useSyncExternalStore(listen, readText, () => ''));
}

/** Drops values that are not test keys. */
export function keepTestKeys(keys: Partial<TestKeys>): void {
  const kept = readKeys(JSON.stringify(keys));
  if (Object.values(kept).every((text) => text === '')) window.sessionStorage.removeItem(ITEM);
  else window.sessionStorage.setItem(ITEM, JSON.stringify(kept));
  window.dispatchEvent(new Event(CHANGED));
}

export const forgetTestKeys = (): void => keepTestKeys(NO_KEYS);

function listen(changed: () => void): () => void {
  window.addEventListener(CHANGED, changed);
  return () => window.removeEventListener(CHANGED, changed);
}

const readText = (): string => window.sessionStorage.getItem(ITEM) ?? '';

/** The test keys among the stored values. Another program of this origin may have written anything. */
export function readKeys(text: string): TestKeys {
  const read = parsed(text);
  const of = (field: keyof TestKeys) => {
    const value = read[field];
    return typeof value === 'string' && SHAPES[field].test(value) ? value : '';
  };
  return { apiKey: of('apiKey'), apiSecret: of('apiSecret') };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
