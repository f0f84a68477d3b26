// What the pages of the dashboard and of the operator console read, and the files that people download. Lists with pages are those of the
// large merchant. Sums and files are those of a store that has as many sessions in both installations.

import { readDeliveryPage } from '@/lib/dashboard/lists/deliveries';
import { listStoreEvents } from '@/lib/dashboard/lists/events';
import { exportList } from '@/lib/dashboard/lists/exports';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { listPaymentLinks } from '@/lib/dashboard/lists/links';
import { listAllPayments, listPayments } from '@/lib/dashboard/lists/payments';
import { listStoreRefunds } from '@/lib/dashboard/lists/refunds';
import { listStatement } from '@/lib/dashboard/lists/statement';
import { listSweeps } from '@/lib/dashboard/lists/sweeps';
import { listAuditShown } from '@/lib/dashboard/operator/audit';
import { readFigures } from '@/lib/dashboard/operator/figures';
import { readHealth } from '@/lib/dashboard/operator/health';
import { listFailedDeliveries } from '@/lib/dashboard/operator/jobs';
import { readOverview } from '@/lib/dashboard/operator/overview';
import { countHolds } from '@/lib/dashboard/operator/refunds';
import { readWallets } from '@/lib/dashboard/operator/wallets';
import { readStoreOverview } from '@/lib/dashboard/payment/overview';
import { readPayment } from '@/lib/dashboard/payment/payment';
import { latestSales } from '@/lib/dashboard/payment/till';
import { payoutsOf } from '@/lib/dashboard/payouts/payouts';
import { downloadStatement } from '@/lib/dashboard/statements/download';
import { downloadPayments } from '@/lib/dashboard/statements/reports';
import { listStores } from '@/lib/merchants/stores/read';
import { balancesOf } from '@/lib/payouts/hold';
import type { Operation } from './operation';
import { rowAt, type Picked, type Side } from './side';

const ENVIRONMENT = 'test' as const;
const large = ({ key: { storeId } }: Side) => ({ storeId, environment: ENVIRONMENT });
const ordinary = ({ ordinaryStore: storeId }: Side) => ({ storeId, environment: ENVIRONMENT });
const pickedAt = ({ large: picked }: Side, turn: number): Picked => picked[turn % picked.length] as Picked;
const middle = ({ large: picked }: Side) => {
  const { created_at: createdAt, id } = picked[Math.floor(picked.length / 2)] as Picked;
  return { ...FIRST_PAGE, after: { createdAt, id } };
};

const page =
  (group: 'dashboard' | 'console') =>
  (name: string, run: Operation['run']): Operation => ({ group, name, run });
const shown = page('dashboard');
const watched = page('console');

const payments = (
  name: string,
  filters: Parameters<typeof listPayments>[2],
  at: (side: Side) => Parameters<typeof listPayments>[3] = () => FIRST_PAGE,
) => shown(`payments: ${name}`, (side) => listPayments(side.context, large(side), filters, at(side)));
const search = (name: string, column: string) =>
  shown(`search by ${name}`, async (side, turn) => {
    const text = `SELECT ${column} AS q FROM sessions WHERE store_id = $1 AND status = 'completed' ORDER BY id LIMIT 200`;
    const { q } = await rowAt<{ q: string }>(side, turn, { text, values: [side.key.storeId] });
    return listPayments(side.context, large(side), { q }, FIRST_PAGE);
  });

export const DASHBOARD: readonly Operation[] = [
  shown('overview of 30 days', (side) => readStoreOverview(side.context, ordinary(side), 30)),
  shown('overview of 90 days', (side) => readStoreOverview(side.context, ordinary(side), 90)),
  payments('first page', {}),
  payments('from the middle', {}, middle),
  payments('one status, middle', { status: 'expired' }, middle),
  payments('one network', { network: 'bsc' }),
  payments('refunded in part', { refund: 'part' }),
  search('order', 'order_id'),
  search('address', 'evm_address'),
  search('transaction', 'completed_transaction'),
  shown('a payment', (side, turn) => readPayment(side.context, large(side), pickedAt(side, turn).id)),
  shown('refunds', (side) => listStoreRefunds(side.context, large(side), {}, FIRST_PAGE)),
  shown('events', (side) => listStoreEvents(side.context, large(side), {}, FIRST_PAGE)),
  shown('events: one type', (side) =>
    listStoreEvents(side.context, large(side), { type: 'payment.expired' }, FIRST_PAGE),
  ),
  shown('deliveries', (side) => readDeliveryPage(side.context, large(side), {}, FIRST_PAGE)),
  shown('movements of the balance', (side) => listStatement(side.context, large(side), {}, FIRST_PAGE)),
  shown('balances', (side) => balancesOf(side.context, { ...ordinary(side), hours: 0 })),
  shown('balances, payments held a day', (side) => balancesOf(side.context, { ...ordinary(side), hours: 24 })),
  shown('payouts', (side) => payoutsOf(side.context, { ...ordinary(side), holdHours: 0 }, FIRST_PAGE)),
  shown('payment links', (side) => listPaymentLinks(side.context, large(side), FIRST_PAGE)),
  shown('latest sales at the till', (side) => latestSales(side.context, large(side))),
];

const everywhere = { storeId: null, environment: ENVIRONMENT };

export const CONSOLE: readonly Operation[] = [
  watched('overview', ({ context }) => readOverview(context)),
  watched('health', ({ context }) => readHealth(context)),
  watched('figures', ({ context }) => readFigures(context)),
  watched('wallets', ({ context }) => readWallets(context)),
  watched('payments of all stores', ({ context }) => listAllPayments(context, everywhere, {}, FIRST_PAGE)),
  watched('payments: one status, middle', (side) =>
    listAllPayments(side.context, everywhere, { status: 'expired' }, middle(side)),
  ),
  watched('stores', ({ context }) => listStores(context.pool, { status: null, after: null, limit: 25 })),
  watched('stores: by name', ({ context }) =>
    listStores(context.pool, { status: null, search: 'Benchmark', after: null, limit: 25 }),
  ),
  watched('audit log', ({ context }) => listAuditShown(context, { limit: 50 })),
  watched('sweeps', ({ context }) => listSweeps(context, ENVIRONMENT, {}, FIRST_PAGE)),
  watched('failed deliveries', ({ context }) => listFailedDeliveries(context, { before: null, limit: 25 })),
  watched('held refunds', ({ context }) => countHolds(context)),
];

/** The last month that has ended. */
function lastMonth(): { readonly month: string; readonly days: string } {
  const now = new Date();
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString();
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)).toISOString();
  return { month: `month=${first.slice(0, 7)}`, days: `from=${first.slice(0, 10)}&to=${last.slice(0, 10)}` };
}

const file = (name: string, open: (side: Side) => Response | Promise<Response>): Operation => ({
  group: 'export',
  name,
  isLong: true,
  run: async (side) => (await open(side)).text(),
});

export const EXPORTS: readonly Operation[] = [
  file('statement of a month', (side) =>
    downloadStatement(side.context, ordinary(side), 'csv', new URLSearchParams(lastMonth().month)),
  ),
  file('payments of a month', (side) =>
    downloadPayments(side.context, ordinary(side), 'csv', new URLSearchParams(lastMonth().month)),
  ),
  file('list of payments of a month', (side) =>
    exportList(side.context, ordinary(side), 'payments', new URLSearchParams(lastMonth().days)),
  ),
];
