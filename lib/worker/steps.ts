// The list of the worker's steps, which the cron route also runs. Each is bounded, leases its work in the database, and may run in parallel.

import { postAlarms } from '@/lib/installation/alarms/post';
import { runAlarms } from '@/lib/installation/alarms/step';
import { removeOldRecords, STEP as REMOVE_OLD } from '@/lib/installation/retention/step';
import { clearAccounts } from '@/lib/merchants/accounts/clear';
import { watchAudit } from '@/lib/merchants/audit/watch';
import { clearSpent } from '@/lib/merchants/api-keys/nonces';
import { openChains, sendingOptions } from '@/lib/networks/registry';
import { walletMarks } from '@/lib/networks/wallet-marks';
import type { Context } from '@/lib/platform/context';
import { feeStep } from '@/lib/payments/checkout/wallets/fee-step';
import { sendMails } from '@/lib/merchants/mail/send';
import { signerOf } from '@/lib/installation/freeze/step';
import { mailNotices } from '@/lib/merchants/notifications/step';
import { notifyPaused } from '@/lib/merchants/notifications/endpoint-paused-step';
import { quietRatesMilliseconds, ratesStep } from '@/lib/money/rates/step';
import { COINS_MILLISECONDS, coinStep } from '@/lib/ledger/coin/step';
import { outflowStep } from '@/lib/ledger/reconciliation/outflows';
import { reconcileStep } from '@/lib/ledger/reconciliation/step';
import { quarantineFrozen } from '@/lib/ledger/quarantine';
import { tipSteps } from '@/lib/ledger/reconciliation/tip/step';
import { closeMonths } from '@/lib/ledger/statements/close';
import { recordWalletHistory, WALLET_HISTORY_MILLISECONDS } from '@/lib/ledger/wallet-history/record';
import { COLD_RULES } from '@/lib/cold-storage/rules';
import { returnsStep } from '@/lib/cold-storage/returns/step';
import { mailRates } from '@/lib/payouts/rates/mails';
import { PAYOUT_RULES } from '@/lib/payouts/rules';
import { paymentSteps } from '@/lib/refunds/sending/step';
import { REFUND_RULES } from '@/lib/refunds/sending/refund-rules';
import { correctPaymentTimes } from '@/lib/refunds/recovery/wrong-times';
import { screeningSteps } from '@/lib/screening/step';
import { sweepSteps } from '@/lib/sweeps/step';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { settleQuarantined } from '@/lib/payments/sessions/settle/one-by-one';
import { ownWalletsStep, OWN_WALLETS_MILLISECONDS, PERMISSIONS_MILLISECONDS } from '@/lib/treasury/own-wallets/step';
import { recordEndpoints } from '@/lib/installation/status/record-endpoints';
import { openHeadStore } from '@/lib/installation/status/shared-heads';
import { storeQuarantined } from '@/lib/payments/watcher/transfers/quarantined';
import { OBJECTIVES_MILLISECONDS, recordObjectives } from '@/lib/installation/status/record-objectives';
import { recordStatus, QUIET_STATUS_MILLISECONDS, STATUS_MILLISECONDS } from '@/lib/installation/status/record-status';
import { recordUsage, USAGE_MILLISECONDS } from '@/lib/installation/status/record-usage';
import { rollUpSessions, TOTALS_MILLISECONDS } from '@/lib/payments/totals/roll-up';
import { watchStep } from '@/lib/payments/watcher/step';
import { watchedElsewhere } from '@/lib/payments/watcher/watched-elsewhere';
import { clearWebhookHours } from '@/lib/webhooks/endpoint/clear-hours';
import { deliverBatch } from '@/lib/webhooks/delivery/deliver';
import { maintainQuarantine } from './quarantine';
import { maintainSecurityCounts } from './security';
import {
  addressSteps,
  balanceSteps,
  coldSteps,
  freezeSteps,
  payoutSteps,
  proofSteps,
  scheduleSteps,
} from './keyed-steps';
import type { NamedStep } from './named-step';

/** How soon a due chain is scanned, and how soon a new session wakes an idle one (watcher/poll-interval). */
const WATCH_MILLISECONDS = 500;
/**
 * While the installation is quiet. A local network is read at every run, and a late payment to it shows after so long. Another one has to be
 * read in time when it is due (endpoints/request-limits, IDLE_SILENCE_MS).
 */
const [QUIET_LOCAL_MILLISECONDS, QUIET_WATCH_MILLISECONDS] = [30_000, 10_000];
/** How soon a change of an endpoint's health is shown. An endpoint without a report for 90 seconds has no state (status/read). */
const [ENDPOINTS_MILLISECONDS, QUIET_ENDPOINTS_MILLISECONDS] = [5000, 60_000];
/**
 * How soon a due comparison of ledger and chain begins. The step sets the pauses between two; while it is quiet, a local network is compared
 * as often as another one. What has to be explained is read again soon.
 */
const [RECONCILE_MILLISECONDS, QUIET_LOCAL_RECONCILE_MILLISECONDS] = [5000, 300_000];
/** A theft from a deposit address must stop signing within a minute. */
const [OUTFLOWS_MILLISECONDS, QUIET_OUTFLOWS_MILLISECONDS] = [5000, 20_000];
/** The step also writes the worker's heartbeat. Without one for a minute the worker counts as stopped (expire/heartbeat). */
const [EXPIRE_MILLISECONDS, QUIET_EXPIRE_MILLISECONDS] = [500, 25_000];
/** How soon a due quarantined row is retried. The row sets the pauses between two attempts. */
const QUARANTINE_MILLISECONDS = 1000;
const MAINTENANCE_MILLISECONDS = 5000;
const SECURITY_MILLISECONDS = 15_000;
/** How soon operators are notified of an alarm. While it is quiet, one run does not close an alarm (alarms/update). */
const [ALARMS_MILLISECONDS, QUIET_ALARMS_MILLISECONDS] = [15_000, 55_000];
/** How soon a due source is queried. The sources' own pauses are longer. */
const RATES_MILLISECONDS = 1000;
/** How soon a due request for a network's fee is sent. The step sets the pause between two. */
const FEE_MILLISECONDS = 5000;
/** A user is usually waiting for the mail. */
const MAIL_MILLISECONDS = 2000;
const CLEAR_MILLISECONDS = 60_000;
/** How soon the head of the audit log is stored outside the database, and tampering with the log is noticed. */
const [AUDIT_MILLISECONDS, QUIET_AUDIT_MILLISECONDS] = [30_000, 60_000];
/** How soon a mail reports a paused endpoint. The failures before it took a day. */
const PAUSED_MILLISECONDS = 10_000;
const NOTICES_MILLISECONDS = 30_000;
/** How soon money that a hit freezes leaves the balance of its store. Payouts leave it out at once (lib/ledger/frozen). */
const FROZEN_MILLISECONDS = 5000;
/** How soon the worker broadcasts a return from the cold wallet whose command was interrupted, and books a final one. */
const COLD_RETURNS_MILLISECONDS = 5000;
/** They are kept by the hour for two weeks. */
const CLEAR_HOURS_MILLISECONDS = 3_600_000;
/** Rows go by whole months (lib/installation/retention). */
const RETENTION_MILLISECONDS = 3_600_000;
/** A month is closed an hour after its end (lib/ledger/statements/close). */
const CLOSE_MONTHS_MILLISECONDS = 600_000;

/** Opens every step for these settings. Throws when a setting cannot be applied. */
export function openSteps(context: Context): NamedStep[] {
  // Otherwise the step of the alarms would fail in each run.
  walletMarks(context.config);
  const given = { ...context, heads: openHeadStore(context) };
  const chains = openChains(context.config, given);
  return [
    ...chains.map((chain) => ({
      name: `watch ${chain.environment} ${chain.network}`,
      // Without the key no payment may be stored, so this process does not watch.
      run: context.config.EVIDENCE_KEY ? watchStep(chain) : watchedElsewhere(chain),
      everyMilliseconds: WATCH_MILLISECONDS,
      quietMilliseconds: chain.spec.chain === 'local' ? QUIET_LOCAL_MILLISECONDS : QUIET_WATCH_MILLISECONDS,
    })),
    ...freezeSteps(context.config),
    ...paymentSteps(given, chains, { refunds: REFUND_RULES, payouts: PAYOUT_RULES, cold_transfers: COLD_RULES }).map(
      (step) => ({ ...step, isBeside: true as const }),
    ),
    {
      name: 'book outflows',
      run: outflowStep(context.config, signerOf(context.config)),
      everyMilliseconds: OUTFLOWS_MILLISECONDS,
      quietMilliseconds: QUIET_OUTFLOWS_MILLISECONDS,
    },
    { name: 'correct payment times', run: correctPaymentTimes, everyMilliseconds: CLEAR_MILLISECONDS, isBeside: true },
    { name: 'book coins', run: coinStep, everyMilliseconds: COINS_MILLISECONDS, isBeside: true },
    ...tipSteps(given, chains),
    ...screeningSteps(given, chains).map((step) => ({ ...step, isBeside: true as const })),
    { name: 'quarantine frozen money', run: quarantineFrozen, everyMilliseconds: FROZEN_MILLISECONDS, isBeside: true },
    ...sweepSteps(given, chains).map((step) => ({ ...step, isBeside: true as const })),
    ...balanceSteps(given, chains),
    {
      name: 'expire sessions',
      run: expireSessions,
      everyMilliseconds: EXPIRE_MILLISECONDS,
      quietMilliseconds: QUIET_EXPIRE_MILLISECONDS,
    },
    { name: 'store quarantined transfers', run: storeQuarantined, everyMilliseconds: QUARANTINE_MILLISECONDS },
    { name: 'settle quarantined sessions', run: settleQuarantined, everyMilliseconds: QUARANTINE_MILLISECONDS },
    { name: 'tend quarantine', run: maintainQuarantine, everyMilliseconds: MAINTENANCE_MILLISECONDS },
    { name: 'tend security events', run: maintainSecurityCounts, everyMilliseconds: SECURITY_MILLISECONDS },
    ...addressSteps(given, chains),
    ...payoutSteps(context.config),
    ...scheduleSteps(context.config),
    ...coldSteps(context.config),
    ...proofSteps(given, chains),
    {
      name: 'follow cold returns',
      run: returnsStep(given, chains),
      everyMilliseconds: COLD_RETURNS_MILLISECONDS,
      isBeside: true,
    },
    {
      name: 'fetch exchange rates',
      run: ratesStep(context.config),
      everyMilliseconds: RATES_MILLISECONDS,
      quietMilliseconds: quietRatesMilliseconds(context.config),
    },
    { name: 'deliver webhooks', run: deliverBatch, everyMilliseconds: 0, onlyInPass: true },
    { name: 'tell of paused endpoints', run: notifyPaused, everyMilliseconds: PAUSED_MILLISECONDS },
    { name: 'mail notices', run: mailNotices, everyMilliseconds: NOTICES_MILLISECONDS },
    { name: 'mail about payout rates', run: mailRates, everyMilliseconds: NOTICES_MILLISECONDS },
    {
      name: 'tend alarms',
      run: runAlarms,
      everyMilliseconds: ALARMS_MILLISECONDS,
      quietMilliseconds: QUIET_ALARMS_MILLISECONDS,
    },
    { name: 'send mails', run: sendMails(), everyMilliseconds: MAIL_MILLISECONDS },
    {
      name: 'watch the audit log',
      run: watchAudit(),
      everyMilliseconds: AUDIT_MILLISECONDS,
      quietMilliseconds: QUIET_AUDIT_MILLISECONDS,
    },
    { name: 'clear accounts', run: clearAccounts, everyMilliseconds: CLEAR_MILLISECONDS },
    { name: 'clear webhook hours', run: clearWebhookHours, everyMilliseconds: CLEAR_HOURS_MILLISECONDS },
    { name: 'clear what is spent', run: clearSpent, everyMilliseconds: CLEAR_MILLISECONDS },
    { name: REMOVE_OLD, run: removeOldRecords, everyMilliseconds: RETENTION_MILLISECONDS, isBeside: true },
    { name: 'store request usage', run: recordUsage, everyMilliseconds: USAGE_MILLISECONDS },
    { name: 'store objectives', run: recordObjectives, everyMilliseconds: OBJECTIVES_MILLISECONDS },
    {
      name: 'store the status',
      run: recordStatus,
      everyMilliseconds: STATUS_MILLISECONDS,
      quietMilliseconds: QUIET_STATUS_MILLISECONDS,
    },
    { name: 'add sessions up', run: rollUpSessions, everyMilliseconds: TOTALS_MILLISECONDS, isBeside: true },
    { name: 'record the wallets', run: recordWalletHistory, everyMilliseconds: WALLET_HISTORY_MILLISECONDS },
    { name: 'close statement months', run: closeMonths, everyMilliseconds: CLOSE_MONTHS_MILLISECONDS, isBeside: true },
    {
      name: 'post alarms',
      run: postAlarms(),
      everyMilliseconds: ALARMS_MILLISECONDS,
      quietMilliseconds: QUIET_ALARMS_MILLISECONDS,
      isBeside: true,
    },
    // Last, because a dead endpoint is slow to fail.
    ...chains.map((chain) => ({
      name: `endpoints of ${chain.environment} ${chain.network}`,
      run: recordEndpoints(chain),
      everyMilliseconds: ENDPOINTS_MILLISECONDS,
      quietMilliseconds: QUIET_ENDPOINTS_MILLISECONDS,
      isBeside: true as const,
    })),
    ...chains.map((chain) => ({
      name: `reconcile ${chain.environment} ${chain.network}`,
      run: reconcileStep(chain, sendingOptions(context.config, given, chain), context.config.SIGNER_SOCKET),
      everyMilliseconds: RECONCILE_MILLISECONDS,
      ...(chain.spec.chain === 'local' ? { quietMilliseconds: QUIET_LOCAL_RECONCILE_MILLISECONDS } : {}),
      isBeside: true as const,
    })),
    ...chains.map((chain) => ({
      name: `own wallets ${chain.environment} ${chain.network}`,
      run: ownWalletsStep(sendingOptions(context.config, given, chain), context.config.SIGNER_SOCKET),
      everyMilliseconds: OWN_WALLETS_MILLISECONDS,
      // Only TRON has permissions.
      ...(chain.spec.family === 'tron' ? { quietMilliseconds: PERMISSIONS_MILLISECONDS } : {}),
      isBeside: true as const,
    })),
    // No payment depends on it.
    ...chains.map((chain) => ({
      name: `fee of ${chain.environment} ${chain.network}`,
      run: feeStep(chain, sendingOptions(context.config, given, chain)),
      everyMilliseconds: FEE_MILLISECONDS,
      isBeside: true as const,
    })),
  ];
}
