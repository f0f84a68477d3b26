// The examples of payouts in the OpenAPI document. A test checks each against its schema.

import { CREATED, HASH } from './examples';

const requested = { payout_id: 'payout-2026-11-29', amount: 125_000, currency: 'USDT', network: 'bsc' };
const made = { ...requested, fee: 675, network_cost: 50, created_at: CREATED + 90_000 };
const destination = '0x52908400098527886E0F7030069857D2E4169EE7';

export const CREATE_PAYOUT = {
  plain: requested,
  described: { ...requested, payout_id: 'payout-2026-11-30', description: 'November', max_costs: 1000 },
};
export const PAYOUT = {
  pending: { ...made, status: 'pending' },
  completed: {
    ...made,
    status: 'completed',
    destination,
    transaction_hash: HASH,
    processed_at: CREATED + 90_180,
  },
  held: {
    ...made,
    status: 'processing',
    hold: {
      reason: 'address_delay',
      message: 'The address was entered a short time ago. It is paid after a delay.',
      until: CREATED + 172_800,
    },
  },
  failed: {
    ...made,
    status: 'failed',
    destination,
    failure_reason: 'The issuer of USDT has blocked the recipient.',
    processed_at: CREATED + 90_180,
  },
};
export const CANCELED_PAYOUT = {
  canceled: { payout_id: requested.payout_id, status: 'canceled', canceled_at: CREATED + 90_060 },
};
export const PAYOUT_LIST = {
  page: {
    data: [PAYOUT.completed],
    next_cursor: 'bzEgMTcwMDA5MDAwMDAwMCBwb183MWMyOTk3NzM0YjY0ZjU5ODQ0ZTA3Y2M2YjQ1ZjI3YTJjYzM1Nzcx',
  },
  empty: { data: [], next_cursor: null },
};
