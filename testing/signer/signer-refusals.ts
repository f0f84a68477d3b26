// Runs one row of the signer's refusal tables. A new signer must refuse it for the right reason and write nothing to
// its journal.

import fs from 'node:fs';
import { expect } from 'vitest';
import type { Draft } from '@/lib/networks/sending/send';
import type { RefusalCode } from '@/lib/signer/client';
import { draft as draftFormat, refundOrder, signParams, type RefundOrder } from '@/lib/signer/orders';
import { openScene } from './signer-scene';

export type Asked = { order: unknown; draft: unknown };
/** `invalid`: not even parsed, because the socket's format does not allow it. */
export type RefusedCase = [what: string, code: RefusalCode | 'invalid', () => Asked | Promise<Asked>];

export async function expectRefused(
  directory: string,
  code: RefusedCase[1],
  make: () => Asked | Promise<Asked>,
): Promise<void> {
  const { signer, journalFile } = openScene(directory);
  const before = fs.readFileSync(journalFile, 'utf8');
  const read = signParams.safeParse(await make());
  expect(read.success ? 'read' : 'invalid').toBe(code === 'invalid' ? 'invalid' : 'read');
  if (read.success) {
    expect(() => signer.sign(read.data)).toThrow(expect.objectContaining({ name: 'Refusal', code }));
  }
  // Nothing was started, so nothing blocks the honest order that follows.
  expect(fs.readFileSync(journalFile, 'utf8')).toBe(before);
}

/** Each under its own intent. */
export async function expectSigned(
  directory: string,
  honest: readonly [RefundOrder, (order: RefundOrder) => Draft | Promise<Draft>][],
): Promise<void> {
  const { signer } = openScene(directory);
  for (const [at, [given, draft]] of honest.entries()) {
    const order = refundOrder.parse({ ...given, intentId: `re_${at}` });
    expect(signer.sign({ order, draft: draftFormat.parse(await draft(order)) }).hash).toBeTypeOf('string');
  }
}

/** Changes fields of an honest draft besides its bytes. */
export const around =
  (order: RefundOrder, fields: object, honest: () => Draft | Promise<Draft>) => async (): Promise<Asked> => ({
    order,
    draft: { ...(await honest()), ...fields },
  });

/** The honest draft with its bytes changed, as text. */
export const altered =
  (order: RefundOrder, honest: () => Draft | Promise<Draft>, change: (unsigned: string) => string) =>
  async (): Promise<Asked> => {
    const draft = await honest();
    const unsigned = change(draft.unsigned);
    expect(unsigned).not.toBe(draft.unsigned);
    return { order, draft: { ...draft, unsigned } };
  };
