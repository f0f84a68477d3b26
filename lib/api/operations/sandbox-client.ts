// Sends requests to the sandbox process, which acts on the local chains. Only where a sandbox is configured.

import { z } from 'zod';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';

/** A reorg is announced some seconds before it happens, so the sandbox needs a longer timeout. */
const LIMIT_MILLISECONDS = 15_000;

const answerSchema = z.record(z.string(), z.unknown());
const faultSchema = z.object({ message: z.string() });

/** Returns the sandbox's response. Throws INVALID_PARAMETER with its reason for what its chains cannot do. */
export async function callSandbox(
  { config }: Pick<Context, 'config'>,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${config.SANDBOX_ORIGIN}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(LIMIT_MILLISECONDS),
  });
  const answer: unknown = await response.json();
  if (response.ok) return answerSchema.parse(answer);
  if (response.status === 400)
    throw new ServiceError('INVALID_PARAMETER', { message: faultSchema.parse(answer).message });
  throw new Error(`the sandbox answered ${response.status} to ${path}`);
}
