// The named schemas of the OpenAPI document: requests from the schemas that check them, responses from answers.ts, events from
// events.ts, each with its descriptions.

import type { z } from 'zod';
import { decideSchema } from '@/lib/api/operations/exception-routes';
import { ageSchema, failSchema, mineSchema, paySchema, reorgSchema } from '@/lib/api/operations/test-helper-routes';
import { createPayoutSchema } from '@/lib/payouts/schema';
import { createRefundSchema } from '@/lib/refunds/request/schema';
import { createSessionSchema } from '@/lib/payments/sessions/create/schema';
import words from '@/messages/docs/reference/en.json';
import * as answers from './answers';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { eventSchema, eventSchemaName, eventTexts } from './events';
import { quickStartRequest } from './quick-start';
import { jsonSchema, withDescriptions, type JsonSchema } from './json-schema';

const BODIES = {
  CreateSession: createSessionSchema,
  QuickStart: quickStartRequest,
  PaymentSession: answers.paymentSession,
  ReadSession: answers.readSession,
  QuickStartSession: answers.quickStartSession,
  CanceledSession: answers.canceledSession,
  SessionList: answers.sessionList,
  CreateRefund: createRefundSchema,
  CreatedRefund: answers.createdRefund,
  Refund: answers.refund,
  CanceledRefund: answers.canceledRefund,
  RefundList: answers.refundList,
  CreatePayout: createPayoutSchema,
  Payout: answers.payout,
  CanceledPayout: answers.canceledPayout,
  PayoutList: answers.payoutList,
  PaymentException: answers.paymentException,
  PaymentExceptionList: answers.paymentExceptionList,
  DecideException: decideSchema,
  EventList: answers.eventList,
  HeardEvents: answers.listenResponse,
  FoundPayment: answers.foundPayment,
  TestPay: paySchema,
  TestPayment: answers.testPayment,
  TestExpiry: answers.testExpiry,
  TestAge: ageSchema,
  AgedSession: answers.agedSession,
  TestFail: failSchema,
  TestFailure: answers.testFailure,
  TestMine: mineSchema,
  MinedBlocks: answers.minedBlocks,
  TestReorg: reorgSchema,
  ReplacedBlocks: answers.replacedBlocks,
  Error: answers.errorEnvelope,
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type SchemaName = keyof typeof BODIES;

type Texts = { readonly description: string; readonly fields: Readonly<Record<string, string>> };
const TEXTS = words.schemas as Readonly<Record<string, Texts>>;

/** Every schema by its name, with descriptions. */
export function componentSchemas(): Record<string, JsonSchema> {
  const bodies = Object.entries(BODIES).map(([name, schema]) => [name, described(name, schema)] as const);
  const events = EVENT_TYPES.map(
    (type) => [eventSchemaName(type), described(eventTexts(type), eventSchema(type))] as const,
  );
  return Object.fromEntries([...bodies, ...events]);
}

/** `texts` is the key of the descriptions. */
function described(texts: string, schema: z.ZodType): JsonSchema {
  const { description = '', fields = {} } = TEXTS[texts] ?? {};
  return { description, ...withDescriptions(jsonSchema(schema), fields) };
}

/** The names under `schemas` of the reference's texts that are used. */
export const TEXT_NAMES: readonly string[] = [
  ...Object.keys(BODIES),
  'Event',
  'OptionalEvent',
  'PayoutEvent',
  'RefundEvent',
];
