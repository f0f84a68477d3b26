'use client';
// Charging an amount: one sale however often the button is pressed.

import { useRef } from 'react';
import { newName } from '@/components/dashboard/new-name';
import { useAction } from '@/components/dashboard/use-action';

/** The charge. `amount`: minor units of the currency. */
export type Charge = { readonly amount: number; readonly currency: string; readonly note?: string };

/**
 * Charges at a store's paths `api` and passes the session to `onSale`. A press after an unanswered request repeats the
 * same charge under the same name, so it is the same sale.
 */
export function useCharge(api: string, onSale: (id: string, charge: Charge) => void) {
  const sent = useRef<{ body: string; name: string }>(null);
  return useAction<Charge, { id: string; charge: Charge }>(
    async (call, charge) => {
      const body = JSON.stringify(charge);
      if (sent.current?.body !== body) sent.current = { body, name: newName() };
      const answer = await call.post<{ id: string }>(`${api}/till/sales`, { ...charge, name: sent.current.name });
      return 'fault' in answer ? answer : { value: { id: answer.value.id, charge } };
    },
    {
      isQuiet: true,
      onDone: ({ id, charge }) => {
        sent.current = null;
        onSale(id, charge);
      },
    },
  );
}
