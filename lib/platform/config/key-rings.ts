// The settings that hold several keys, so that a key can be rotated while every process runs (docs/operate/rotation.md).

import { z } from 'zod';
import type { MacKeys, MasterKeys } from '@/lib/platform/crypto';

const KEY_BYTES = 32;
/** A key of random bytes has nearly as many different ones. */
const LEAST_DIFFERENT_BYTES = 8;

/** `undefined`: the key seals and opens. `opens`: a key that not every process knows yet. `audit`: what `audit-key` printed of a former key. */
const ENTRY = /^([1-9]\d{0,2}):([\w+/=-]+)(?::(opens|audit))?$/;

/**
 * MASTER_KEYS: `1:BASE64,2:BASE64:opens`. The highest version without a mark seals and comes first; those marked `audit` open nothing.
 */
export const masterKeys = z.string().transform((text, context): MasterKeys => {
  const refuse = (message: string): never => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const opening = new Map<number, Buffer>();
  const auditOnly = new Map<number, Buffer>();
  let sealing = 0;
  for (const entry of text.split(',')) {
    const [, version = '', encoded = '', mark] = ENTRY.exec(entry.trim()) ?? [];
    const key = Buffer.from(encoded, 'base64');
    if (key.length !== KEY_BYTES || new Set(key).size < LEAST_DIFFERENT_BYTES)
      return refuse('needs VERSION:BASE64 of 32 random bytes, separated by commas');
    const number = Number(version);
    if (opening.has(number) || auditOnly.has(number)) return refuse(`has version ${number} twice`);
    (mark === 'audit' ? auditOnly : opening).set(number, key);
    if (mark === undefined) sealing = Math.max(sealing, number);
  }
  const key = opening.get(sealing);
  if (!key) return refuse('needs an entry without a mark, whose key seals');
  return Object.assign(new Map([[sealing, key], ...opening]), { auditOnly });
});

/** EVIDENCE_KEY: `BASE64,BASE64`. The first key makes MACs, every one verifies. */
export const evidenceKeys = z.string().transform((text, context): MacKeys => {
  const keys = text.split(',').map((encoded) => (isBase64(encoded.trim()) ? Buffer.from(encoded, 'base64') : null));
  const [first, ...others] = keys.flatMap((key) => (key?.length === KEY_BYTES ? key : []));
  if (first && others.length + 1 === keys.length) return [first, ...others];
  context.addIssue({ code: 'custom', message: 'needs base64 of 32 random bytes, and commas between several' });
  return z.NEVER;
});

const isBase64 = (text: string): boolean => z.base64().safeParse(text).success;
