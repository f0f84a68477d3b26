// The examples of the OpenAPI document. A test checks each against its schema.

export const SESSION_ID = 'cs_test_4tKq0Zb7XnWc9LmVh2RyPs';
export const HASH = '0x8f1d6a3b9c0e4f72a5d8b1c6e3f09a7d2b4c5e6f708192a3b4c5d6e7f8091a2b';
export const CREATED = 1_700_000_000;
const EXPIRES = CREATED + 1800;
const url = `https://pay.example/pay/${SESSION_ID}`;

const item = {
  price_data: { currency: 'USD', unit_amount: 500, product_data: { name: 'Coffee beans, 250 g' } },
  quantity: 2,
};
const open = { payment_status: 'unpaid', status: 'PENDING', created: CREATED, expires_at: EXPIRES, url };
const inDollars = { id: SESSION_ID, amount_total: 1250, currency: 'USD', ...open };
const inEuros = { id: SESSION_ID, amount_total: 1250, currency: 'EUR', ...open };
const conversion = {
  exchange_rate: '1.0831',
  target_currency: 'USDT',
  target_amount_total: 1354,
  rate_locked_at: CREATED,
};

export const CREATE_SESSION = {
  simple: {
    amount: 1250,
    currency: 'USD',
    order_id: 'order-1001',
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
  },
  itemized: {
    amount: 1250,
    currency: 'USD',
    order_id: 'order-1002',
    description: 'Two bags of coffee',
    line_items: [item],
    tax_amount: 50,
    shipping_amount: 200,
    metadata: { cart: '77' },
    expires_in: 900,
  },
  converted: { amount: 1250, currency: 'EUR', order_id: 'order-1003' },
  quick_start: {
    mode: 'payment',
    payment_method_types: ['crypto'],
    payment_method_options: { crypto: { network: 'tron', currency: 'USDT' } },
    amount: '12.50',
    currency: 'USD',
    order_id: 'order-1004',
  },
};

const quickStart = {
  base: { code: 0, message: 'success' },
  session: {
    session_id: SESSION_ID,
    order_id: 'order-1004',
    payment_status: 'unpaid',
    created: CREATED,
    status: 'PENDING',
    url,
    created_at: CREATED,
    expires_at: EXPIRES,
  },
};
export const QUICK_START_SESSION = { open: quickStart };

export const PAYMENT_SESSION = {
  simple: { ...inDollars, metadata: { order_id: 'order-1001' } },
  itemized: {
    ...inDollars,
    expires_at: CREATED + 900,
    tax_amount: 50,
    shipping_amount: 200,
    line_items: [item],
    metadata: { cart: '77', order_id: 'order-1002' },
  },
  converted: { ...inEuros, ...conversion, metadata: { order_id: 'order-1003' } },
  quick_start: quickStart,
};

const PAYER = '0x52908400098527886E0F7030069857D2E4169EE7';
const payment = {
  network: 'bsc',
  currency: 'USDT',
  sender: PAYER,
  transaction_hash: HASH,
  block_time: CREATED + 95,
};

export const READ_SESSION = {
  paid: {
    ...inDollars,
    payment_status: 'paid',
    status: 'COMPLETED',
    metadata: { order_id: 'order-1001' },
    amount_received: 1250,
    amount_refundable: 750,
    refunded_amount: 500,
    payments: [{ ...payment, amount: 1250, state: 'final' }],
  },
  partly_paid: {
    ...inDollars,
    metadata: { order_id: 'order-1001' },
    amount_received: 500,
    amount_refundable: 0,
    refunded_amount: 0,
    payments: [{ ...payment, amount: 500, state: 'final' }],
  },
};

const exception = {
  ...{ id: '4711', session_id: SESSION_ID, order_id: 'order-1001', kind: 'late' },
  ...payment,
  amount: 1250,
  payment_amount: 1250,
  block_time: EXPIRES + 40,
  created_at: EXPIRES + 43,
};
export const EXCEPTION = {
  open: { ...exception, state: 'open', actions: ['accept', 'refund', 'leave'] },
  accepted: {
    ...exception,
    ...{ amount: 0, state: 'accepted', actions: [], decided_at: EXPIRES + 600, decided_by: 'key' },
    note: 'The customer called.',
  },
};
export const DECIDE_EXCEPTION = {
  accept: { action: 'accept', note: 'The customer called.' },
  refund: { action: 'refund' },
};
export const EXCEPTION_LIST = {
  page: { data: [EXCEPTION.open], next_cursor: 'eDEgNDcxMQ' },
  empty: { data: [], next_cursor: null },
};

export const CANCELED_SESSION = { canceled: { ...inDollars, status: 'EXPIRED', expires_at: CREATED + 60 } };

export const FOUND_PAYMENT = {
  counted: {
    session_id: SESSION_ID,
    transaction_hash: HASH,
    verdict: 'counted',
    message: 'This payment counts: 5.00 USDT arrived on BNB Smart Chain. 7.50 USDT is still missing.',
    network: 'bsc',
    currency: 'USDT',
    amount: '5.00',
    short_by: '7.50',
  },
  not_found: {
    session_id: SESSION_ID,
    transaction_hash: HASH,
    verdict: 'not_found',
    message: 'There is no such transaction on Ethereum and BNB Smart Chain.',
    networks_asked: ['ethereum', 'bsc'],
    networks_unanswered: [],
  },
};

export const TEST_PAY = {
  partial: { network: 'bsc', currency: 'USDC', scenario: 'partial' },
  amount: { network: 'ethereum', currency: 'USDT', amount: 500 },
};
export const TEST_PAYMENT = { sent: { transaction_hash: HASH, network: 'bsc' } };
const DAYS_181 = 181 * 86_400;
export const AGED_SESSION = {
  aged: { id: SESSION_ID, created: CREATED - DAYS_181, paid_at: CREATED - DAYS_181 + 60 },
};
export const TEST_EXPIRY = { expired: { id: SESSION_ID, expires_at: CREATED + 60 } };

const asked = {
  session_id: SESSION_ID,
  refund_id: 'refund-1001',
  amount: 500,
  currency: 'USDT',
  reason: 'requested_by_customer',
};
const requested = { ...asked, order_id: 'order-1001', created_at: CREATED + 86_400 };
const refund = { ...requested, network: 'bsc' };
const created = { ...requested, status: 'pending', metadata: { ticket: 17, parts: ['lid'] } };
const receipt = 'rcp_9cTq2Zb7XnWk4LmVh0RyPs';

export const CREATE_REFUND = {
  part: { ...asked, metadata: { ticket: 17, parts: ['lid'] } },
  plain: { session_id: SESSION_ID, refund_id: 'refund-1002', amount: 750, currency: 'USDC' },
};
export const CREATED_REFUND = { pending: created };
export const REFUND = {
  completed: {
    ...refund,
    status: 'completed',
    transaction_hash: HASH,
    receipt_number: receipt,
    receipt_url: `https://pay.example/receipt/${receipt}`,
    network_cost: 10,
    processed_at: CREATED + 86_520,
    destination: PAYER,
  },
  held: {
    ...refund,
    status: 'processing',
    hold: {
      reason: 'destination_needed',
      message:
        'No single address is certain to be the customer’s. Send the customer the claim link so that they can enter one.',
      claim_url: 'https://pay.example/claim/8rKq0Zb7XnWc9LmVh2RyPsT4uEj6AoDi3GfSx1BvNpY',
    },
  },
  failed: {
    ...refund,
    status: 'failed',
    failure_reason: 'The issuer of the token has blocked the recipient.',
    processed_at: CREATED + 86_520,
    destination: PAYER,
  },
};
export const CANCELED_REFUND = {
  canceled: { refund_id: 'refund-1001', status: 'canceled', canceled_at: CREATED + 86_430 },
};
export const REFUND_LIST = {
  page: {
    data: [REFUND.completed],
    next_cursor: 'cjEgMTcwMDA4NjQwMDAwMCByZV83MWMyOTk3NzM0YjY0ZjU5ODQ0ZTA3Y2M2YjQ1ZjI3YTJjYzM1Nzcx',
  },
  empty: { data: [], next_cursor: null },
};

export const SESSION_LIST = {
  page: { data: [READ_SESSION.paid], next_cursor: 'czEgMTcwMDAwMDAwMCBjc190ZXN0XzR0S3EwWmI3WG5XYzlMbVZoMlJ5UHM' },
  empty: { data: [], next_cursor: null },
};
