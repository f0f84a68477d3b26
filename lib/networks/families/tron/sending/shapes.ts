// Schemas of java-tron's answers for sending. Its JSON omits fields that are zero.

import { z } from 'zod';

const integer = z.number().int().nonnegative();
const bytes = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase());

/** A constant call; `failed` if the contract itself did not accept it. */
export const triedCall = z
  .object({
    result: z.object({ code: z.string().optional(), message: z.string().optional() }),
    energy_used: integer.default(0),
    constant_result: z.array(bytes).default([]),
    transaction: z.object({ ret: z.array(z.object({ ret: z.string().optional() })).default([]) }).optional(),
  })
  .transform(({ result, energy_used: energy, constant_result: words, transaction }) => ({
    refused: result.code !== undefined,
    failed: transaction?.ret[0]?.ret === 'FAILED' || (result.message !== undefined && result.code === undefined),
    energy,
    word: words[0] ?? '',
  }));

/** An account; an address that was never activated has neither coins nor an address field. `balance` is in sun. */
export const account = z.object({ balance: integer.default(0), address: z.string().optional() });

const permission = z.object({
  id: integer.default(0),
  threshold: integer,
  operations: bytes.optional(),
  keys: z
    .array(z.object({ address: z.string().regex(/^41[0-9a-f]{40}$/), weight: integer }))
    .min(1)
    .max(20),
});
export type ReportedPermission = z.output<typeof permission>;

/** The permissions of an account. */
export const permittedAccount = z.object({
  address: z.string().optional(),
  owner_permission: permission.optional(),
  active_permission: z.array(permission).max(8).default([]),
});

export const resources = z.object({
  freeNetLimit: integer.default(0),
  freeNetUsed: integer.default(0),
  NetLimit: integer.default(0),
  NetUsed: integer.default(0),
  EnergyLimit: integer.default(0),
  EnergyUsed: integer.default(0),
});
export type Resources = z.output<typeof resources>;

/** The parameters that governance sets, by name. */
export const parameters = z
  .object({ chainParameter: z.array(z.object({ key: z.string(), value: z.number().optional() })) })
  .transform(({ chainParameter }) => new Map(chainParameter.map(({ key, value }) => [key, value ?? 0])));

/** The answer to a broadcast; `message` is text or hex-encoded text and is not used. */
export const broadcast = z.object({ result: z.boolean().optional(), code: z.string().optional() });
