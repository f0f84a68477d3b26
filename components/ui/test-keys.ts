'use client';
// The reader's own test keys, with which the samples are filled and the reference signs. They are kept by the browser for this
// tab alone (sessionStorage), never sent by themselves, and gone with the tab or when somebody signs out. The service could not
// fill them in: it holds only the hash of a key.

import { useSyncExternalStore } from 'react';

export type TestKeys = { readonly apiKey: string; readonly apiSecret: string };
export const NO_KEYS: TestKeys = { apiKey: '', apiSecret: '' };

const ITEM = 'test-keys';
const CHANGED = 'testkeyschange';
/** Letters and digits only, so that what is pasted can be nothing else in a shell. */
const SHAPES: Readonly<Record<keyof TestKeys, RegExp>> = {
  apiKey: /^ak_test_[A-Za-z0-9]+$/,
  apiSecret: /^as_test_[A-Za-z0-9]+$/,
};

/** Whether a field is empty or holds a key of the test environment: live keys are not for trying things out. */
export const isTestKey = (field: keyof TestKeys, text: string): boolean => text === '' || SHAPES[field].test(text);

/** Whether calls can be signed with them. */
export const canSignWith = ({ apiKey, apiSecret }: TestKeys): boolean =>
  SHAPES.apiKey.test(apiKey) && SHAPES.apiSecret.test(apiSecret);

/** What this tab keeps; on the server and where the browser keeps nothing, none. */
export function useTestKeys(): TestKeys {
  return readKeys(useSyncExternalStore(listen, readText, () => ''));
}

/** Those that are none of the test environment are left out. */
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

/** Of what was kept, what is a test key. Another program of this origin may have written anything. */
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
