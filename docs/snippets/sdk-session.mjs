// Creates a payment session. Node 20 or later, with the SDK.
import { Stabletill } from '@stabletill/sdk';

const stabletill = new Stabletill({
  baseUrl: process.env.STABLETILL_URL,
  apiKey: process.env.STABLETILL_API_KEY,
  apiSecret: process.env.STABLETILL_API_SECRET,
});

const session = await stabletill.sessions.create({
  amount: 1250, // in the smallest unit: 12.50 USD
  currency: 'USD',
  order_id: 'order-' + Date.now(), // yours, used once
  // success_url: where the customer goes after the payment
});
console.log('Redirect the customer to ' + session.url);
