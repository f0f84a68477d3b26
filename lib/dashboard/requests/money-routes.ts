// What merchants do about their payments: decide payment exceptions, export, and resend events. They share the use-cases of the
// signed API. Each change is in the audit log, in its own transaction.

import { z } from 'zod';
import { decide, type Decision } from '@/lib/payments/exceptions/decide';
import { readException, type ExceptionActor } from '@/lib/payments/exceptions/read';
import { EXCEPTION_ACTIONS } from '@/lib/payments/exceptions/states';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { resendEventIn } from '@/lib/webhooks/console/resend';
import { readStoreEvent } from '@/lib/dashboard/lists/events';
import { EXPORT_KINDS, exportList } from '@/lib/dashboard/lists/exports';
import { downloadStatement, isStatementFormat } from '@/lib/dashboard/statements/download';
import { downloadPayers, downloadPayments, isReportFormat } from '@/lib/dashboard/statements/reports';
import { downloadProof } from '@/lib/dashboard/statements/reserves';
import { route, type DashboardRoute } from '@/lib/dashboard/route';
import { auditHere, HERE, scopeOf } from '@/lib/dashboard/store-scope';

const LONGEST_TEXT = 500;

/** The files about payments that come out of the ledger, by their names in the address. */
const REPORTS: Readonly<Record<string, typeof downloadPayments>> = {
  payments: downloadPayments,
  payers: downloadPayers,
};

export const MONEY_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: `${HERE}/cases/{case}/decide`,
    access: 'cases.decide',
    body: z.object({ action: z.enum(EXCEPTION_ACTIONS), note: z.string().max(LONGEST_TEXT).optional() }),
    handle: async (call) => {
      const of = scopeOf(call);
      const { action, note } = call.body;
      const { role, userId } = call.actor;
      const by: ExceptionActor =
        role === 'operator' ? { kind: 'operator', userId } : { kind: 'merchant', userId, storeId: of.storeId };
      const caseId = call.params.case as string;
      const found = await readException(call.context, { caseId, by });
      // An operator can read all exceptions, but this request accepts only this store's.
      if (found.storeId !== of.storeId || found.environment !== of.environment)
        throw new ServiceError('CASE_NOT_FOUND');
      const given = note?.trim() ?? '';
      const decision: Decision = { caseId, by, address: call.from.address, ...(given !== '' && { note: given }) };
      const decided = await decide(call.context, decision, action);
      return { id: decided.id, state: decided.state };
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/exports/{kind}`,
    access: 'payments.export',
    handle: async (call) => {
      const of = scopeOf(call);
      const kind = EXPORT_KINDS.find((one) => one === call.params.kind);
      if (!kind) throw new ServiceError('NOT_FOUND');
      const file = exportList(call.context, of, kind, call.query);
      const details = { filters: call.query.toString().slice(0, LONGEST_TEXT) };
      await transaction(call.context.pool, (tx) => auditHere(call, tx, { action: 'export', target: kind, details }));
      return file;
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/statements/{format}`,
    access: 'payments.export',
    handle: async (call) => {
      const of = scopeOf(call);
      const { format } = call.params;
      if (!isStatementFormat(format)) throw new ServiceError('NOT_FOUND');
      const details = { format, filters: call.query.toString().slice(0, LONGEST_TEXT) };
      await transaction(call.context.pool, (tx) =>
        auditHere(call, tx, { action: 'export', target: 'statement', details }),
      );
      return downloadStatement(call.context, of, format, call.query);
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/reports/{report}/{format}`,
    access: 'payments.export',
    handle: async (call) => {
      const of = scopeOf(call);
      const { report = '', format } = call.params;
      const download = Object.hasOwn(REPORTS, report) ? REPORTS[report] : undefined;
      if (!download || !isReportFormat(format)) throw new ServiceError('NOT_FOUND');
      const details = { format, filters: call.query.toString().slice(0, LONGEST_TEXT) };
      await transaction(call.context.pool, (tx) => auditHere(call, tx, { action: 'export', target: report, details }));
      return download(call.context, of, format, call.query);
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/reserves/{proof}`,
    access: 'balances.read',
    handle: async (call) => {
      const { proof = '' } = call.params;
      const file = await downloadProof(call.context, scopeOf(call), proof);
      await transaction(call.context.pool, (tx) =>
        auditHere(call, tx, { action: 'export', target: 'reserves', details: { proof } }),
      );
      return file;
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/events/{event}/resend`,
    access: 'webhook.resend',
    body: z.object({}),
    handle: async (call) => {
      const of = scopeOf(call);
      const event = await readStoreEvent(call.context, of, call.params.event as string);
      if (!event) throw new ServiceError('NOT_FOUND', { message: 'There is no such event.' });
      return transaction(call.context.pool, async (tx) => {
        const made = await resendEventIn(tx, { storeId: of.storeId, eventId: event.id });
        if (!made)
          throw new ServiceError('NOT_FOUND', {
            message: 'No webhook endpoint is set, so there is nowhere to send it.',
          });
        await auditHere(call, tx, { action: 'event.resend', target: event.id, details: { type: event.type } });
        return { delivery_id: made.deliveryId };
      });
    },
  }),
];
